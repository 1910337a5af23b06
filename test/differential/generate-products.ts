/** Random sums of products of two tensors, most of which a matrix unit can execute. */
import { type Random, seededRandom } from "../../src/support/random.ts";
import type { TcCase } from "./generate-tc.ts";

/** A coordinate as text, and one more than the greatest value that it has. */
interface Coordinate {
  readonly text: string;
  readonly extent: number;
}

interface Dim {
  readonly name: string;
  readonly extent: number;
}

function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  const left = [...items];
  const order: T[] = [];
  while (left.length > 0) order.push(...left.splice(random.integer(0, left.length), 1));
  return order;
}

function coordinateOf(random: Random, { name, extent }: Dim): Coordinate {
  const drawn = random.integer(0, 40);
  if (drawn === 0) return { text: `2 * ${name}`, extent: 2 * extent };
  if (drawn < 3) return { text: `${name} + ${2 * drawn}`, extent: extent + 2 * drawn };
  return { text: name, extent };
}

/** Declares a tensor that an access fits, and reads it. */
function tensorOf(
  random: Random,
  name: string,
  type: string,
  coordinates: readonly Coordinate[],
): { readonly parameter: string; readonly read: string } {
  const order = random.chance(0.7) ? coordinates : shuffled(random, coordinates);
  // Rows may be longer than what is read of them.
  const longer = random.chance(0.2) ? 4 : 0;
  const shape = order.map((c, d) => c.extent + (d === order.length - 1 ? longer : 0));
  const read = `${name}(${order.map((c) => c.text).join(", ")})`;
  return { parameter: `${type}(${shape.join(", ")}) ${name}`, read };
}

const types = [
  { operand: "float", wrap: (e: string) => e },
  { operand: "half", wrap: (e: string) => e },
  { operand: "half", wrap: (e: string) => `float(${e})` },
];

/** What is done with each result: to it, or into another tensor, with what a row or an element adds. */
function afterOf(
  random: Random,
  target: string,
  columns: string,
): {
  readonly text: readonly string[];
  readonly results: string;
  readonly reads: readonly string[];
} {
  const [other, whole, row] = ["Y", "E", "F"].map((name) => target.replace("C", name));
  const bias = `${row?.slice(0, 1)}(${columns})`;
  switch (random.integer(0, 10)) {
    case 0:
    case 1:
      return { text: [`${target} = fmax(${target}, 0.25)`], results: "C", reads: [] };
    case 2:
      return { text: [`${target} += ${bias}`], results: "C", reads: ["F"] };
    case 3:
      return {
        text: [`${other} = fmax(${target} + ${bias}, 0.25) + ${whole}`],
        results: random.pick(["Y", "C, Y"]),
        reads: ["E", "F"],
      };
    case 4:
      return {
        text: [`${target} += ${bias}`, `${other} = half(0.5 * ${target}) * ${whole}`],
        results: "Y",
        reads: ["E", "F"],
      };
    default:
      return { text: [], results: "C", reads: [] };
  }
}

function statementsOf(
  random: Random,
  target: string,
  sum: string,
  ranges: string,
): { readonly text: readonly string[]; readonly start: boolean } {
  if (random.chance(0.7)) return { text: [`${target} +=! ${sum} ${ranges}`], start: false };
  return {
    text: [`${target} = ${target.replace("C", "D")}`, `${target} += ${sum} ${ranges}`],
    start: true,
  };
}

/** A definition: rows, columns and a depth in some order, a batch or a window besides. */
export function generateProduct(seed: number): TcCase {
  const random = seededRandom(seed);
  const extent = (): number => random.pick([4, 6, 8, 12, 12, 12, 24, 24, 5]);
  const [m, n, k] = ["m", "n", "k"].map((name): Dim => ({ name, extent: extent() })) as [
    Dim,
    Dim,
    Dim,
  ];
  const batch: readonly Dim[] = random.chance(0.25) ? [{ name: "z", extent: 2 }] : [];
  const window: readonly Dim[] = random.chance(0.2) ? [{ name: "w", extent: 3 }] : [];
  const { operand, wrap } = random.pick(types);
  const drawn = [...batch, m, k].map((d) => coordinateOf(random, d));
  // A window slides over the rows.
  const ofA = drawn.map((c, d) => {
    if (window.length === 0 || d !== batch.length) return c;
    return { text: `${c.text} + w`, extent: c.extent + 2 };
  });
  const ofB = [...batch, ...window, k, n].map((d) => coordinateOf(random, d));
  const a = tensorOf(random, "A", operand, ofA);
  const b = tensorOf(random, "B", operand, ofB);
  const factors = shuffled(random, [a.read, b.read]).map(wrap);
  const outer = shuffled(random, [...batch, m, n]);
  const target = `C(${outer.map((d) => d.name).join(", ")})`;
  const ranges = [...batch, m, n, k, ...window].map((d) => `${d.name} in 0:${d.extent}`);
  const where = `where ${ranges.join(", ")}`;
  const { text, start } = statementsOf(random, target, factors.join(" * "), where);
  const result = operand === "half" && wrap("") === "" ? "half" : "float";
  const shape = outer.map((d) => d.extent).join(", ");
  const after = afterOf(random, target, n.name);
  const more: Readonly<Record<string, string>> = {
    E: `${result}(${shape}) E`,
    F: `${result}(${n.extent}) F`,
  };
  const parameters = [
    ...[a.parameter, b.parameter],
    ...(start ? [`${result}(${shape}) D`] : []),
    ...after.reads.map((name) => more[name]),
  ];
  const body = [...text, ...after.text].map((line) => `  ${line}`);
  const header = `def f(${parameters.join(", ")}) -> (${after.results}) {`;
  const source = [header, ...body, "}", ""].join("\n");
  const population = "reals";
  return { name: `product ${seed}`, source, sizes: {}, population, inputSeed: seed };
}
