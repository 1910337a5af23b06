/**
 * A matrix product by the scheme of scalars that TensorFlow.js has for WebGPU, written here: a workgroup of 8 x 8 invocations,
 * each of which keeps 4 x 4 elements of a tile of 32 x 32; both factors pass through workgroup memory, 32 x 32 elements at a
 * time. Its variants with vectors and with slices of the depth are not here. The entry point has the parameters of the
 * compiler's own, so that long products are launched in slices.
 */
import type { PlanData } from "../../../src/emit.ts";
import type { RunJob } from "../worker-protocol.ts";
import type { Product } from "./product-of.ts";

const tile = 32;
const points = 4;
const side = tile / points;

/** What the scheme chooses, in a line. */
export const tiledChoices: string = `tile ${tile} × ${tile}, steps of ${tile}, workgroup ${side} × ${side}, points ${points} × ${points}`;

/** The product with a kernel of that scheme, and its source for the reference. */
export function tiledProduct(product: Product): RunJob {
  const { rows, columns, depth } = product;
  const { isStraight } = product;
  const turned = (is: boolean, a: string, b: string): string => (is ? `${a}, ${b}` : `${b}, ${a}`);
  const source = `def product(float(${turned(isStraight.left, "M", "K")}) A, float(${turned(isStraight.right, "K", "N")}) B) -> (C) {
  C(${turned(isStraight.result, "m", "n")}) +=! A(${turned(isStraight.left, "m", "k")}) * B(${turned(isStraight.right, "k", "n")})
}
`;
  const sizes = { M: rows, N: columns, K: depth };
  return { source, def: "product", sizes, plan: planOf(product), inputs: {} };
}

function planOf(product: Product): PlanData {
  const { rows, columns, depth, isStraight } = product;
  const shape = (is: boolean, a: number, b: number): readonly number[] => (is ? [a, b] : [b, a]);
  const buffer = (name: string, role: "input" | "output", own: readonly number[]) =>
    ({ id: name, name, role, type: "float32", shape: own, live: [0, 0] }) as const;
  const groups = (extent: number): number => Math.ceil(extent / tile);
  return {
    ...{ schema: 1, type: "plan", name: "product", stepIndices: "table" },
    requirements: { requiredFeatures: [], requiredLimits: {} },
    buffers: [
      buffer("A", "input", shape(isStraight.left, rows, depth)),
      buffer("B", "input", shape(isStraight.right, depth, columns)),
      buffer("C", "output", shape(isStraight.result, rows, columns)),
    ],
    kernels: [
      {
        ...{ name: "tiled", wgsl: wgslOf(product), entryPoint: "tiled", steps: [] },
        workgroupSize: side * side,
        grid: [groups(columns), groups(rows), 1],
        bindings: [
          { buffer: "A", access: "read" },
          { buffer: "B", access: "read" },
          { buffer: "C", access: "read_write" },
        ],
      },
    ],
    steps: [{ kind: "dispatch", kernel: 0 }],
  };
}

/** The number of an element of a matrix. */
function place(isStraight: boolean, row: string, column: string, rows: number, columns: number) {
  return isStraight ? `${row} * ${columns}u + ${column}` : `${column} * ${rows}u + ${row}`;
}

function wgslOf({ rows, columns, depth, isStraight: is }: Product): string {
  const inner = `for (var i = 0u; i < ${points}u; i++) { for (var j = 0u; j < ${points}u; j++) {`;
  // Lanes beside each other read beside each other: a turned factor is kept turned.
  const [staged, factor] = is.left
    ? [
        "left_tile[at.x][at.y] = left_at(first.x + at.x, start + at.y);",
        "left_tile[own.x + i][step]",
      ]
    : [
        "left_tile[at.x][at.y] = left_at(first.x + at.y, start + at.x);",
        "left_tile[step][own.x + i]",
      ];
  const [a, b, c] = [
    place(is.left, "row", "step", rows, depth),
    place(is.right, "step", "column", depth, columns),
    place(is.result, "row", "column", rows, columns),
  ];
  return `@group(0) @binding(0) var<storage, read> left: array<f32>;
@group(0) @binding(1) var<storage, read> right: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
var<workgroup> left_tile: array<array<f32, ${tile}>, ${tile}>;
var<workgroup> right_tile: array<array<f32, ${tile}>, ${tile}>;

fn left_at(row: u32, step: u32) -> f32 {
  if (row < ${rows}u && step < ${depth}u) { return left[${a}]; }
  return 0.0;
}

fn right_at(step: u32, column: u32) -> f32 {
  if (step < ${depth}u && column < ${columns}u) { return right[${b}]; }
  return 0.0;
}

@compute @workgroup_size(${side * side})
fn tiled(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let own = vec2<u32>(local_index / ${side}u, local_index % ${side}u) * ${points}u;
  let first = workgroup_id.yx * ${tile}u;
  var sums: array<array<f32, ${points}>, ${points}>;
  for (var part = 0u; part < ${Math.ceil(depth / tile)}u; part++) {
    let start = part * ${tile}u;
    ${inner}
      let at = own + vec2<u32>(i, j);
      ${staged}
      right_tile[at.x][at.y] = right_at(start + at.x, first.y + at.y);
    } }
    workgroupBarrier();
    for (var step = 0u; step < ${tile}u; step++) {
      var cached: array<f32, ${points}>;
      for (var j = 0u; j < ${points}u; j++) { cached[j] = right_tile[step][own.y + j]; }
      for (var i = 0u; i < ${points}u; i++) {
        let factor = ${factor};
        for (var j = 0u; j < ${points}u; j++) { sums[i][j] = fma(factor, cached[j], sums[i][j]); }
      }
    }
    workgroupBarrier();
  }
  ${inner}
    let row = first.x + own.x + i;
    let column = first.y + own.y + j;
    if (row < ${rows}u && column < ${columns}u) { result[${c}] = sums[i][j]; }
  } }
}
`;
}
