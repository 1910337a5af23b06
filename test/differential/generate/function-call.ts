/** Calls of the float functions: exact ones on whole numbers, all others where they are smooth. */
import { type Draft, magnitudeLimit, type Term, type WordType } from "./scene.ts";

type Make = (type: WordType, depth: number) => Term;

/** `%` and `f(%)`: where the argument goes, and the largest value for an argument up to `m`. */
interface Form {
  readonly text: string;
  readonly magnitude: (m: number) => number;
}

const same = (m: number): number => m;
const one = (): number => 1;

/** Exact for whole numbers. */
const exactForms: readonly Form[] = [
  { text: "abs(%)", magnitude: same },
  { text: "fabs(%)", magnitude: same },
  { text: "floor(%)", magnitude: same },
  { text: "ceil(%)", magnitude: same },
  { text: "trunc(%)", magnitude: same },
  { text: "round(%)", magnitude: same },
  { text: "relu(%)", magnitude: same },
  { text: "(-%)", magnitude: same },
  { text: "sign(%)", magnitude: one },
  { text: "min(%, inf)", magnitude: same },
  { text: "max(%, -inf)", magnitude: same },
  { text: "floor(% * 0.5)", magnitude: same },
];

const realForms: readonly Form[] = [
  { text: "abs(%)", magnitude: same },
  { text: "relu(%)", magnitude: same },
  { text: "(-%)", magnitude: same },
  { text: "sqrt(abs(%) + 0.5)", magnitude: (m) => Math.sqrt(m + 0.5) },
  { text: "rsqrt(abs(%) + 0.5)", magnitude: () => 2 },
  { text: "exp(clamp(%, -3.0, 3.0))", magnitude: () => 21 },
  { text: "exp2(clamp(%, -3.0, 3.0))", magnitude: () => 8 },
  { text: "log(abs(%) + 0.5)", magnitude: (m) => 1 + Math.log(m + 1) },
  { text: "log2(abs(%) + 0.5)", magnitude: (m) => 1 + Math.log2(m + 1) },
  { text: "sin(clamp(%, -3.0, 3.0))", magnitude: one },
  { text: "cos(clamp(%, -3.0, 3.0))", magnitude: one },
  { text: "tan(clamp(%, -1.0, 1.0))", magnitude: () => 2 },
  { text: "tanh(%)", magnitude: one },
  { text: "sigmoid(%)", magnitude: one },
  { text: "silu(%)", magnitude: same },
  { text: "gelu(%)", magnitude: same },
  { text: "erf(%)", magnitude: one },
  { text: "pow(abs(%) + 0.5, 1.5)", magnitude: (m) => (m + 1) ** 1.5 },
  { text: "(1.5 / (abs(%) + 0.5))", magnitude: () => 3 },
  { text: "(% / 3.0)", magnitude: same },
  { text: "(abs(%) % 2.5)", magnitude: () => 2.5 },
];

/** A term of at most `most`. */
function small(term: Term, most: number): Term {
  if (term.magnitude <= most) return term;
  return { text: `clamp(${term.text}, -${most}.0, ${most}.0)`, magnitude: most };
}

/** A function of one float. */
export function functionOf(d: Draft, term: Term): Term {
  const { random, exact } = d.scene;
  const form = random.pick(exact ? exactForms : realForms);
  const argument = small(term, exact ? magnitudeLimit : 1000);
  return {
    // The first hole is the argument's; the remainder's form has another sign.
    text: form.text.replace("%", () => argument.text),
    magnitude: form.magnitude(argument.magnitude),
  };
}

/** A call of a float function on random arguments. */
export function floatCall(d: Draft, depth: number, make: Make): Term {
  const part = (): Term => make("float32", depth - 1);
  if (!d.scene.random.chance(0.12)) return functionOf(d, part());
  const [a, b, c] = [small(part(), 512), small(part(), 512), small(part(), magnitudeLimit / 4)];
  const magnitude = a.magnitude * b.magnitude + c.magnitude;
  return { text: `fma(${a.text}, ${b.text}, ${c.text})`, magnitude };
}
