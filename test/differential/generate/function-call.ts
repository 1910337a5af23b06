/** Calls of the float functions: exact ones on whole numbers, all others where they are smooth. */
import type { ScalarType } from "../../../src/support/scalar-type.ts";
import { type Draft, magnitudeLimit, type Term } from "./scene.ts";

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
  { text: "ceil(% * 0.5)", magnitude: same },
  { text: "trunc(% * 0.25)", magnitude: same },
  { text: "round(% * 0.5)", magnitude: same },
  { text: "relu(%)", magnitude: same },
  { text: "(-%)", magnitude: same },
  { text: "sign(%)", magnitude: one },
  { text: "min(%, inf)", magnitude: same },
  { text: "max(%, -inf)", magnitude: same },
  { text: "floor(% * 0.5)", magnitude: same },
  { text: "fdim(%, 1.0)", magnitude: (m) => m + 1 },
  { text: "fmod(%, 5.0)", magnitude: same },
  { text: "remainder(%, 4.0)", magnitude: same },
  { text: "copysign(%, -1.0)", magnitude: same },
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
  { text: "exp10(clamp(%, -2.0, 2.0))", magnitude: () => 100 },
  { text: "expm1(clamp(%, -3.0, 3.0))", magnitude: () => 20 },
  { text: "log10(abs(%) + 0.5)", magnitude: (m) => 1 + Math.log(m + 1) },
  { text: "log1p(abs(%))", magnitude: (m) => Math.log(m + 1) },
  { text: "logb(abs(%) + 0.5)", magnitude: (m) => 1 + Math.log2(m + 1) },
  { text: "cbrt(abs(%) + 0.5)", magnitude: (m) => m + 1 },
  { text: "hypot(%, 1.5)", magnitude: (m) => m + 2 },
  { text: "asin(clamp(%, -0.9, 0.9))", magnitude: () => 2 },
  { text: "acos(clamp(%, -0.9, 0.9))", magnitude: () => 3 },
  { text: "atan(%)", magnitude: () => 2 },
  { text: "atan2(%, 1.5)", magnitude: () => 2 },
  { text: "sinh(clamp(%, -3.0, 3.0))", magnitude: () => 11 },
  { text: "cosh(clamp(%, -3.0, 3.0))", magnitude: () => 11 },
  { text: "asinh(%)", magnitude: same },
  { text: "acosh(abs(%) + 1.5)", magnitude: (m) => m + 1 },
  { text: "atanh(clamp(%, -0.9, 0.9))", magnitude: () => 2 },
  { text: "erfc(%)", magnitude: () => 2 },
  { text: "normcdf(%)", magnitude: one },
  { text: "tgamma(clamp(%, 0.5, 4.0))", magnitude: () => 6 },
  { text: "lgamma(abs(%) + 0.5)", magnitude: (m) => 1 + m * Math.log(m + 2) },
  { text: "fdim(%, 0.25)", magnitude: (m) => m + 1 },
  { text: "fmod(%, 2.5)", magnitude: () => 2.5 },
  { text: "remainder(%, 2.5)", magnitude: () => 1.25 },
  { text: "copysign(%, -0.5)", magnitude: same },
  { text: "(1.5 / (abs(%) + 0.5))", magnitude: () => 3 },
  { text: "(% / 3.0)", magnitude: same },
  { text: "(abs(%) % 2.5)", magnitude: () => 2.5 },
];

/** A term of at most `most`. */
function small(term: Term, most: number): Term {
  if (term.magnitude <= most) return term;
  return { text: `clamp(${term.text}, -${most}.0, ${most}.0)`, magnitude: most };
}

function applied(form: Form, argument: Term): Term {
  return {
    // The first hole is the argument's; the remainder's form has another sign.
    text: form.text.replace("%", () => argument.text),
    magnitude: form.magnitude(argument.magnitude),
  };
}

/** How far another form is in the list, and how long the argument may be that is written twice. */
const partner = 19;
const shortLength = 24;

/** A function of one float, or the sum of two, so that few programs have all functions. */
export function functionOf(d: Draft, type: ScalarType, term: Term): Term {
  const { random, exact } = d.scene;
  const forms = exact ? exactForms : realForms;
  const form = random.pick(forms);
  const argument = small(term, exact ? magnitudeLimit(type) : type === "float16" ? 50 : 1000);
  const first = applied(form, argument);
  const other = forms[(forms.indexOf(form) + partner) % forms.length];
  if (exact || other === undefined || argument.text.length > shortLength) return first;
  const second = applied(other, argument);
  return {
    text: `(${first.text} + ${second.text})`,
    magnitude: first.magnitude + second.magnitude,
  };
}

/** A call of a float function on random arguments. */
export function floatCall(d: Draft, type: ScalarType, part: () => Term): Term {
  if (!d.scene.random.chance(0.12)) return functionOf(d, type, part());
  const limit = magnitudeLimit(type);
  const factor = Math.sqrt(limit) / 2;
  const [a, b, c] = [small(part(), factor), small(part(), factor), small(part(), limit / 4)];
  const magnitude = a.magnitude * b.magnitude + c.magnitude;
  return { text: `fma(${a.text}, ${b.text}, ${c.text})`, magnitude };
}
