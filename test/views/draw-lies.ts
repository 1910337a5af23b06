/** Random ways in which the tensors of a program lie in memory. */
import { elementTypeOf, type Program, type Tensor } from "../../src/ir/program.ts";
import type { Random } from "../../src/support/random.ts";
import { elementBytes, elementCount, type TensorData } from "../../src/support/scalar-type.ts";
import type { OffsetMultiple, TensorLayout } from "../../src/support/strided-view.ts";
import type { Inputs } from "../differential/inputs.ts";
import { type Lie, positionsOf } from "./memory.ts";

/** A tensor in a memory, which may be that of another one too. */
export interface DrawnLie extends Lie {
  readonly layout: TensorLayout;
  /** The position of the first element in memory. */
  readonly first: number;
  /** The tensors in the same memory; itself alone for most. */
  readonly memory: string;
}

function shuffled(random: Random, count: number): readonly number[] {
  const order = Array.from({ length: count }, (_, d) => ({ d, at: random.next() }));
  return order.sort((a, b) => a.at - b.at).map(({ d }) => d);
}

/** Rows of whole words are all that a result of 8 or 16 bits may have. */
function stridesOfWords(random: Random, shape: readonly number[], per: number): number[] | null {
  const last = shape.at(-1);
  if (last === undefined || last % per !== 0) return null;
  const strides: number[] = [1];
  let size = last + per * random.integer(0, 3);
  for (let d = shape.length - 2; d >= 0; d--) {
    strides.unshift(size);
    size *= shape[d] ?? 1;
  }
  return strides;
}

/** Strides in which dimensions follow each other in any order, with gaps, and may run backwards. */
function drawStrides(random: Random, { shape, role }: Tensor): number[] {
  const strides = shape.map(() => 0);
  let size = random.chance(0.3) ? random.integer(2, 4) : 1;
  for (const d of random.chance(0.4)
    ? shuffled(random, shape.length)
    : [...shape.keys()].reverse()) {
    if (role === "input" && random.chance(0.15)) continue;
    strides[d] = random.chance(0.2) ? -size : size;
    size *= shape[d] ?? 1;
    if (random.chance(0.3)) size += random.integer(1, 5);
  }
  return strides;
}

function multipleOf(random: Random, first: number, bytes: number): OffsetMultiple {
  const least = bytes === 4 ? 1 : 4 / bytes;
  const known = ([4, 2, 1] as const).filter((m) => first % m === 0 && (m >= least || m === 1));
  return random.chance(0.7) ? (known[0] ?? 1) : random.pick(known);
}

function drawLie(random: Random, tensor: Tensor): Omit<DrawnLie, "memory"> | null {
  const bytes = elementBytes(elementTypeOf(tensor));
  const narrowResult = bytes < 4 && tensor.role !== "input";
  const { shape } = tensor;
  if (elementCount(shape) === 0) return null;
  const strides = narrowResult
    ? stridesOfWords(random, shape, 4 / bytes)
    : drawStrides(random, tensor);
  if (strides === null) return null;
  const step = narrowResult ? 4 : random.pick([1, 1, 2, 4]);
  const first = random.chance(0.15) ? 0 : step * random.integer(0, 20);
  const offset = first - Math.min(...positionsOf(shape, strides, 0));
  const shifted = first > 0 || random.chance(0.5);
  const offsetMultiple = narrowResult ? 4 : multipleOf(random, first, bytes);
  return {
    strides,
    offset,
    first,
    layout: { strides, offsetMultiple: shifted ? offsetMultiple : null },
  };
}

/**
 * A lie for most tensors of the caller. Sometimes an input and a result of one type are in one
 * memory, every other element of it each.
 */
export function drawLies(random: Random, program: Program): ReadonlyMap<string, DrawnLie> {
  const lies = new Map<string, DrawnLie>();
  const callers = program.tensors.filter((t) => t.role !== "temporary");
  for (const tensor of callers) {
    const lie = random.chance(0.75) ? drawLie(random, tensor) : null;
    if (lie !== null) lies.set(tensor.name, { ...lie, memory: tensor.name });
  }
  const wide = callers.filter((t) => elementBytes(elementTypeOf(t)) === 4 && lies.has(t.name));
  const result = wide.find((t) => t.role !== "input");
  const input = wide.find(
    (t) => t.role === "input" && elementTypeOf(t) === (result && elementTypeOf(result)),
  );
  if (result === undefined || input === undefined || random.chance(0.5)) return lies;
  for (const [n, { name }] of [input, result].entries()) {
    const lie = lies.get(name);
    if (lie === undefined) continue;
    const strides = lie.strides.map((stride) => 2 * stride);
    const first = 2 * lie.first + n;
    const offset = 2 * lie.offset + n;
    const layout: TensorLayout = { strides, offsetMultiple: first % 4 === 0 ? 4 : 1 };
    lies.set(name, { strides, first, offset, layout, memory: `${input.name} ${result.name}` });
  }
  return lies;
}

/** The same inputs, but where a stride is 0 those of index 0 everywhere. */
export function repeatedInputs(
  program: Program,
  inputs: Inputs,
  lies: ReadonlyMap<string, DrawnLie>,
): Inputs {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, data]): readonly [string, TensorData] => {
      const lie = lies.get(name);
      const tensor = program.tensors.find((t) => t.name === name);
      if (lie === undefined || tensor === undefined) return [name, data];
      const known = new Map<number, number>();
      const positions = positionsOf(tensor.shape, lie.strides, lie.offset);
      for (const [n, position] of positions.entries()) {
        if (!known.has(position)) known.set(position, data[n] ?? 0);
      }
      return [name, data.map((_, n) => known.get(positions[n] ?? 0) ?? 0)];
    }),
  );
}
