// Dynamic programming: every element of a table follows from those above and to the left.

/** @typedef {import("./case.js").Case} Case */

const N = 512;
const none = "it has no loop over elements of a table";

/** @type {Case} */
const editDistance = {
  name: `edit distance ${N}x${N}`,
  source: `def edit_distance(int(N) a, int(N) b) -> (d) {
  cost(i, 0) = i where i in 0:N + 1
  cost(0, j) = j where j in 1:N + 1
  for i in 1:N + 1 {
    for j in 1:N + 1 {
      cost(i, j) = min(min(cost(i - 1, j), cost(i, j - 1)) + 1,
                       cost(i - 1, j - 1) + (a(i - 1) == b(j - 1) ? 0 : 1))
    }
  }
  d(k) = float(cost(N, N)) where k in 0:1
}`,
  inputs: { a: [N], b: [N] },
  integers: { a: 4, b: 4 },
  output: { name: "d", shape: [1] },
  operations: 5 * N * N,
  bytes: 4 * (2 * N + 1),
  terms: 1,
  element: ({ a, b }) => {
    let above = Array.from({ length: N + 1 }, (_, j) => j);
    for (let i = 1; i <= N; i++) {
      const row = [i];
      for (let j = 1; j <= N; j++) {
        const diagonal = above[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
        row.push(Math.min(above[j] + 1, row[j - 1] + 1, diagonal));
      }
      above = row;
    }
    return above[N];
  },
  unsupported: { "jax-js": none, tfjs: none, onnxruntime: none },
};

/** @type {readonly Case[]} */
export const tables = [editDistance];
