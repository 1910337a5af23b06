/** Comparison of what a definition means to the compiler with what the evaluator makes of it. */
import { lowerSource } from "../../src/compile.ts";
import { type InterpretedTensor, interpret } from "../../src/ir/interpret/interpret.ts";
import { elementTypeOf, type Program } from "../../src/ir/program.ts";
import type { TensorData } from "../../src/support/scalar-type.ts";
import { type EvaluatedTensor, evaluateSource } from "../support/evaluate-source.ts";

/** A definition with its sizes and its inputs. */
export interface Case {
  readonly source: string;
  /** May be left out where only one is not called. */
  readonly definition?: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly inputs: (program: Program) => Readonly<Record<string, TensorData>>;
  /**
   * How far two elements may be apart, relative to 1 and to the element; 0: equal. Where float16
   * rounds, which the interpreter leaves to its bounds, they may be apart by those.
   */
  readonly tolerance: number;
}

/** What differs, in words; "refused" when the front end does not take the definition. */
export function disagreements(c: Case): readonly string[] | "refused" {
  const lowered = lowerSource(c.source, {
    sizes: c.sizes,
    ...(c.definition === undefined ? {} : { def: c.definition }),
  });
  if (!lowered.ok) return "refused";
  const { program } = lowered;
  const inputs = c.inputs(program);
  const evaluated = evaluateSource(c.source, {
    sizes: c.sizes,
    inputs,
    definition: program.name,
  });
  const rounds = c.tolerance > 0 && /\b(half|float16)\b/.test(c.source);
  const interpreted = interpret(program, inputs, { temporaries: true, bounds: rounds });
  const found = [...evaluated.faults, ...interpreted.faults];
  for (const tensor of program.tensors) {
    const mine = evaluated.tensors.get(tensor.name);
    const theirs = interpreted.tensors.get(tensor.name);
    if (mine === undefined || theirs === undefined) continue;
    const declared = `${tensor.name} is ${elementTypeOf(tensor)}(${tensor.shape})`;
    const expected = `${tensor.name} is ${mine.type}(${mine.shape})`;
    if (declared !== expected) found.push(`${declared}, but ${expected}`);
    else found.push(...differences(tensor.name, mine, theirs, c.tolerance));
  }
  return found;
}

function differences(
  name: string,
  mine: EvaluatedTensor,
  theirs: InterpretedTensor,
  tolerance: number,
): readonly string[] {
  return [...mine.data.entries()].flatMap(([n, a]) => {
    const b = theirs.data[n] ?? Number.NaN;
    const equal = a === b || (Number.isNaN(a) && Number.isNaN(b));
    const allowed = Math.max(tolerance * Math.max(1, Math.abs(a)), theirs.bound?.[n] ?? 0);
    if (equal || Math.abs(a - b) <= allowed || allowed === Infinity) return [];
    return [`${name}[${n}] is ${b}, but ${a}`];
  });
}
