/** What candidates are run on: random numbers, never zeros, that depend on the program and a seed alone. */
import { eachExpression } from "../../ir/expression.ts";
import {
  callerShape,
  elementTypeOf,
  type Index,
  type Program,
  type Statement,
  type Tensor,
  tensorOf,
} from "../../ir/program.ts";
import { type Random, seededRandom } from "../../support/random.ts";
import {
  allocate,
  type ElementType,
  elementCount,
  type TensorData,
  toElement,
} from "../../support/scalar-type.ts";

/**
 * `integers`: whole numbers in [-3, 4), of which sums and products are exact. `signed`: uniform in [-1, 1).
 * `positive`: uniform in [0.25, 1.25), for what divides, or takes roots and logarithms.
 */
export type Population = "integers" | "signed" | "positive";

/** Tensor data by name. */
export type GateInputs = Readonly<Record<string, TensorData>>;

/** The tensors whose elements a coordinate is computed from. */
function sourcesOf({ reads }: Statement, index: Index): readonly string[] {
  if (index.kind === "affine") return [];
  return eachExpression(index.expression).flatMap((e) => {
    const source = e.kind === "read" ? reads[e.read]?.tensor : undefined;
    return source === undefined ? [] : [source];
  });
}

/** The extents that elements of tensors are indices below: of tensors that others are accessed by. */
function indexExtents(program: Program): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const uses = program.statements.flatMap((statement) =>
    [...statement.reads, statement.write].flatMap(({ tensor, index }) =>
      index.flatMap((one, d) => {
        const extent = tensorOf(program, tensor).shape[d] ?? 1;
        return sourcesOf(statement, one).map((source) => ({ source, extent }));
      }),
    ),
  );
  for (const { source, extent } of uses) {
    found.set(source, Math.min(extent, found.get(source) ?? extent));
  }
  return found;
}

function drawValue(random: Random, type: ElementType, population: Population): number {
  switch (type) {
    case "bool":
      return random.integer(0, 2);
    case "uint8":
    case "uint16":
    case "uint32":
      return random.integer(0, 7);
    case "int8":
    case "int16":
    case "int32":
      return random.integer(-3, 4);
    case "float16":
    case "float32":
      if (population === "integers") return random.integer(-3, 4);
      return population === "signed" ? 2 * random.next() - 1 : 0.25 + random.next();
  }
}

/** Inputs and inouts of a program. Elements that serve as indices are spread over all that they can name. */
export function drawGateInputs(program: Program, population: Population, seed: number): GateInputs {
  const extents = indexExtents(program);
  const random = seededRandom(seed ^ 0x51ed270b);
  const draw = (tensor: Tensor): TensorData => {
    const type = elementTypeOf(tensor);
    const data = allocate(type, elementCount(callerShape(tensor)));
    const put = toElement(type);
    const extent = extents.get(tensor.name);
    for (let i = 0; i < data.length; i++) {
      const value =
        extent === undefined ? drawValue(random, type, population) : random.integer(0, extent);
      data[i] = put(value);
    }
    return data;
  };
  const supplied = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(supplied.map((t) => [t.name, draw(t)]));
}
