/** Einsum formulas, as `numpy.einsum` takes them, to definitions. */
import { format } from "../frontend/format/format.ts";
import { identifier, tokenize } from "../frontend/syntax/tokens.ts";

/** What the definition of a formula and its tensors are called. */
export interface EinsumNames {
  /** The definition; `einsum` by default. */
  readonly def?: string;
  /** The operands, in their order; `A`, `B`, ... by default. */
  readonly operands?: readonly string[];
  /** The result; by default the letter after the operands'. */
  readonly output?: string;
}

/** A formula that was read: the letters of each operand and of the result. */
interface Formula {
  readonly operands: readonly string[];
  readonly output: string;
}

/**
 * The source text of a definition that computes an einsum formula of float32 tensors: `mk,kn->mn`
 * is the matrix product. A letter that occurs twice in an operand takes its diagonal; a letter that
 * is not in the result is summed over. Without `->` the result has the letters that occur once, in
 * the order of their codes. Spaces mean nothing. Small and capital letters differ. In the text the
 * indices are small letters and their sizes are capital ones, as far as these names are free.
 *
 * @throws RangeError saying what to write, for a formula that is none, for `...`, and for names that
 *   the language does not take.
 */
export function fromEinsum(spec: string, names: EinsumNames = {}): string {
  const formula = readFormula(spec);
  const tensors = tensorNames(formula, names);
  const all = [...new Set([...formula.operands.join("")])];
  const letterOf = letterNames(all, new Set([...tensors.operands, tensors.output]));
  const list = (letters: string, kind: "index" | "size"): string =>
    letters === "" ? "" : `(${[...letters].map((l) => letterOf.get(l)?.[kind]).join(", ")})`;
  const { operands, output } = formula;
  const named = operands.map((letters, n) => ({ letters, name: tensors.operands[n] ?? "" }));
  const parameters = named.map(({ letters, name }) => `float${list(letters, "size")} ${name}`);
  const factors = named.map(({ letters, name }) => name + list(letters, "index"));
  const operator = all.every((letter) => output.includes(letter)) ? "=" : "+=!";
  const target = tensors.output + list(output, "index");
  return format(
    `def ${names.def ?? "einsum"}(${parameters.join(", ")}) -> (${tensors.output}) {
      ${target} ${operator} ${factors.join(" * ")}
    }`,
  );
}

function readFormula(spec: string): Formula {
  const [left = "", ...right] = spec.replace(/\s+/g, "").split("->");
  if (spec.includes(".")) {
    throw refused(
      spec,
      "`...` stands for an unknown number of dimensions: write a letter for each",
    );
  }
  if (right.length > 1) throw refused(spec, "`->` may stand once, before the result");
  const operands = left.split(",");
  const output = right[0];
  const wrong = [...operands, output ?? ""].join("").match(/[^A-Za-z]/)?.[0];
  if (wrong === ",") throw refused(spec, "there is one result: nothing but letters follow `->`");
  if (wrong !== undefined) throw refused(spec, `an index is a letter, not \`${wrong}\``);
  if (output === undefined) return { operands, output: lettersOnce(left) };
  for (const [n, letter] of [...output].entries()) {
    if (!left.includes(letter)) {
      throw refused(spec, `index \`${letter}\` of the result is in no operand: add it to one`);
    }
    if (output.indexOf(letter) < n) {
      throw refused(spec, `index \`${letter}\` is twice in the result: leave one out`);
    }
  }
  return { operands, output };
}

/** The result of a formula without one. */
function lettersOnce(left: string): string {
  const letters = [...left].filter((c) => c !== "," && left.indexOf(c) === left.lastIndexOf(c));
  return letters.sort().join("");
}

function refused(spec: string, why: string): RangeError {
  return new RangeError(`einsum \`${spec}\`: ${why}`);
}

interface TensorNames {
  readonly operands: readonly string[];
  readonly output: string;
}

/** @throws RangeError for names that are none, or not as many as there are operands. */
function tensorNames({ operands }: Formula, names: EinsumNames): TensorNames {
  const given = names.operands ?? operands.map((_, n) => letterName(n));
  if (given.length !== operands.length) {
    const counts = `${operands.length} operands, got ${given.length} names`;
    throw new RangeError(`the formula has ${counts}: give one for each`);
  }
  const output = names.output ?? freeName(given);
  const all = [names.def ?? "einsum", ...given, output];
  for (const name of all) checkName(name);
  const twice = all.find((name, n) => all.indexOf(name) < n);
  if (twice !== undefined) {
    throw new RangeError(`\`${twice}\` is used twice: give each tensor a name of its own`);
  }
  return { operands: given, output };
}

/** `A`, ..., `Z`, `A1`, ... */
function letterName(n: number): string {
  const round = Math.floor(n / 26);
  return String.fromCharCode(65 + (n % 26)) + (round === 0 ? "" : round);
}

/** The first letter after as many as there are names that is none of them. */
function freeName(names: readonly string[]): string {
  let n = names.length;
  while (names.includes(letterName(n))) n++;
  return letterName(n);
}

function checkName(name: string): void {
  const { tokens, errors } = tokenize(name);
  const [token] = tokens;
  if (token?.tokenType === identifier && token.image === name && errors.length === 0) return;
  const rule = "letters, digits and `_`, no digit first, and no word of the language";
  throw new RangeError(`\`${name}\` is no name: ${rule}`);
}

/** A name of its own for each letter: indices are small, sizes capital. */
function letterNames(
  letters: readonly string[],
  taken: ReadonlySet<string>,
): ReadonlyMap<string, { readonly index: string; readonly size: string }> {
  const used = new Set(taken);
  const named = letters.map((letter) => {
    const small = letter.toLowerCase();
    // `M` beside `m` becomes `mm`.
    const base = letter !== small && letters.includes(small) ? small + small : small;
    const index = unused(base, `${base}_`, used);
    const size = unused(base.toUpperCase(), `N${base.toUpperCase()}`, used);
    return [letter, { index, size }] as const;
  });
  return new Map(named);
}

/** The first name that is free: `first`, `second`, `second2`, ... Takes it. */
function unused(first: string, second: string, used: Set<string>): string {
  let name = first;
  for (let n = 1; used.has(name); n++) name = n === 1 ? second : second + n;
  used.add(name);
  return name;
}
