/** `exists`: accesses that range indices and that nothing reads. */
import type { Snippet } from "./snippet.ts";

/** Snippets about `exists`. */
export const existing: readonly Snippet[] = [
  {
    title: "an access after `exists` gives an index its range",
    head: "float(3) x) -> (y)",
    body: "y(i) = 2.0 * float(i) where exists x(i)",
    inputs: { x: [9, 9, 9] },
    expect: { y: [0, 2, 4] },
  },
  {
    title: "an access after `exists` narrows like one that is read",
    head: "float(5) x, float(2) w) -> (y)",
    body: "y(i) = x(i) where k = 1, exists x(i + 2 * k)",
    inputs: { x: [1, 2, 3, 4, 5], w: [0, 0] },
    expect: { y: [1, 2, 3] },
  },
  {
    title: "an index that only `exists` names is reduced over",
    head: "float(2) x, float(N) w) -> (y)",
    body: "y(i) +=! x(i) where exists w(k)",
    sizes: { N: 3 },
    inputs: { x: [1, 2], w: [9, 9, 9] },
    expect: { y: [3, 6] },
  },
  {
    title: "two indices in one access after `exists`",
    head: "float(4) x, float(2) w) -> (y)",
    body: "y(i) +=! float(k) * w(k) where exists x(i + k)",
    inputs: { x: [9, 9, 9, 9], w: [10, 20] },
    expect: { y: [20, 20, 20] },
  },
  {
    title: "a range in the `where` is final whatever `exists` says",
    head: "float(2) x) -> (y)",
    body: "y(i) = float(i) where i in 0:4, exists x(i)",
    inputs: { x: [9, 9] },
    expect: { y: [0, 1, 2, 3] },
  },
  {
    title: "a gather after `exists` ranges its own index only",
    head: "float(2) x, int(3) I) -> (y)",
    body: "y(i) = float(i) where exists x(I(i))",
    inputs: { x: [9, 9], I: [7, 7, 7] },
    expect: { y: [0, 1, 2] },
  },
  {
    title: "in a loop `exists` takes the shape that a later statement gives",
    head: "float(2, 3) x) -> (y, s)",
    body: "for t in 2 {\nif t > 0 { s(t, i) = 1.0 where exists y(t - 1, i) }\ny(t, i) = x(t, i)\n}",
    inputs: { x: [1, 2, 3, 4, 5, 6] },
    expect: {
      y: [
        [1, 2, 3],
        [4, 5, 6],
      ],
      s: [
        [0, 0, 0],
        [1, 1, 1],
      ],
    },
  },
];
