// Published kernels of products as kernel IR, so that the same analysis reads them as ours.
//
// Written from what their sources say of them: who loads what where, and in which order it lies there.

/** @typedef {any} Expression a node of kernel IR */

const index = { scalar: "uint32", width: 1 };
const float = (width = 1) => ({ scalar: "float32", width });
/** @returns {Expression} */
const u = (value) => ({ kind: "literal", value, type: index });
/** @returns {Expression} */
const name = (text, type = index) => ({ kind: "variable", name: text, type });
/** @returns {Expression} */
const builtin = (text) => ({ kind: "builtin", builtin: text, type: index });
/** @returns {Expression} */
const op = (left, operator, right) => ({
  kind: "binary",
  operator,
  left,
  right,
  type: left.type,
});
const plus = (...parts) => parts.reduce((a, b) => op(a, "+", b));
const times = (e, factor) => op(e, "*", u(factor));
const over = (e, divisor) => op(e, "/", u(divisor));
const modulo = (e, divisor) => op(e, "%", u(divisor));
const load = (array, at, width = 1) => ({ kind: "load", array, index: at, type: float(width) });
const declare = (text, value, mutable = false) => ({
  kind: "declare",
  name: text,
  type: value.type,
  value,
  mutable,
});
const store = (array, at, value) => ({ kind: "store", array, index: at, value });
const loop = (variable, extent, body) => ({ kind: "loop", variable, extent, body });
const component = (vector, n) => ({ kind: "component", vector, index: n, type: float() });
const barrier = { kind: "barrier", memory: "workgroup" };
const zero = (width = 1) => ({ kind: "literal", value: 0, type: float(width) });
const range = (count) => Array.from({ length: count }, (_, n) => n);
const local = builtin("local-index");
const [gx, gy] = [builtin("workgroup-x"), builtin("workgroup-y")];

const storage = (id, length, width = 1) => ({
  id,
  scalar: "float32",
  space: "storage",
  length,
  buffer: id,
  access: "read_write",
  atomic: false,
  width,
});
const shared = (id, length, width = 1) => ({
  id,
  scalar: "float32",
  space: "workgroup",
  length,
  access: "read_write",
  atomic: false,
  width,
});

const multiplyAdd = (sum, a, b, width = 1) => ({
  kind: "assign",
  name: sum,
  value: op(name(sum, float(width)), "+", op(a, "*", b)),
});

function plan(kernelName, kernel) {
  const entry = {
    kernel: { name: kernelName, steps: [], ...kernel },
    wgsl: "",
    entryPoint: "main",
  };
  return {
    name: kernelName,
    buffers: [],
    kernels: [{ ...entry, bindings: [] }],
    steps: [{ kind: "dispatch", kernel: 0 }],
    stepIndices: "table",
  };
}

/** One result for each lane, from memory; `lanes` lie along its rows or its columns. */
function naive({ M, N, K, x, y, lanes }) {
  const [fast, slow] = [modulo(local, x), over(local, x)];
  const [row, column] = lanes === "columns" ? [slow, fast] : [fast, slow];
  const [rows, columns] = lanes === "columns" ? [y, x] : [x, y];
  const [down, across] = [plus(times(gy, rows), row), plus(times(gx, columns), column)];
  return plan("naive", {
    arrays: [storage("A", M * K), storage("B", K * N), storage("C", M * N)],
    workgroupSize: x * y,
    grid: [N / columns, M / rows, 1],
    body: [
      declare("row", down),
      declare("column", across),
      declare("sum", zero(), true),
      loop("k", K, [
        multiplyAdd(
          "sum",
          load("A", plus(times(name("row"), K), name("k"))),
          load("B", plus(times(name("k"), N), name("column"))),
        ),
      ]),
      store("C", plus(times(name("row"), N), name("column")), name("sum", float())),
    ],
  });
}

/** A tile of both operands in workgroup memory, one result for each lane; `pad` words after each row. */
function tiled({ M, N, K, tile, pad = 0 }) {
  const [row, column] = [over(local, tile), modulo(local, tile)];
  const pitch = tile + pad;
  const down = plus(times(gy, tile), row);
  const across = plus(times(gx, tile), column);
  return plan("tiled", {
    arrays: [
      storage("A", M * K),
      storage("B", K * N),
      storage("C", M * N),
      shared("a", tile * pitch),
      shared("b", tile * pitch),
    ],
    workgroupSize: tile * tile,
    grid: [N / tile, M / tile, 1],
    body: [
      declare("sum", zero(), true),
      loop("k", K / tile, [
        store(
          "a",
          plus(times(row, pitch), column),
          load("A", plus(times(down, K), times(name("k"), tile), column)),
        ),
        store(
          "b",
          plus(times(row, pitch), column),
          load("B", plus(times(plus(times(name("k"), tile), row), N), across)),
        ),
        barrier,
        // Written out: compilers do, and so do those who wrote WGSL.
        ...range(tile).map((i) =>
          multiplyAdd(
            "sum",
            load("a", plus(times(row, pitch), u(i))),
            load("b", plus(column, u(i * pitch))),
          ),
        ),
        barrier,
      ]),
      store("C", plus(times(down, N), across), name("sum", float())),
    ],
  });
}

/** Where element `e` of step `k` lies in a tile: "km" has k in rows. */
function place(layout, k, e, { extent, BK }) {
  return layout === "km" ? plus(times(k, extent), e) : plus(times(e, BK), k);
}

/**
 * Lanes copy a tile of lines from memory. `isK` says whether k lies along a line in memory, `first` is where
 * the tile begins there, `pitch` how far apart lines are.
 */
function copies(
  from,
  to,
  { lines, length, first, pitch, isK, layout, extent, threads, global, BK },
) {
  return range((lines * length) / (threads * global)).flatMap((n) => {
    const at = plus(local, u(n * threads));
    const line = over(at, length / global);
    const inLine = times(modulo(at, length / global), global);
    const value = `${to}${n}`;
    const words = range(global).map((w) => {
      const along = plus(inLine, u(w));
      const [k, e] = isK ? [along, line] : [line, along];
      const one = global === 1 ? name(value, float()) : component(name(value, float(global)), w);
      return store(to, place(layout, k, e, { extent, BK }), one);
    });
    return [declare(value, load(from, plus(times(line, pitch), first, inLine), global)), ...words];
  });
}

/** Values of a step for the results of a lane, and how to say each of them. */
function operand(tile, { layout, base, extent, count, vectors, BK }, i) {
  const width = layout === "km" ? vectors : 1;
  const text = (n) => `${tile}_${i}_${n}`;
  const loads = range(count / width).map((n) => {
    const e = plus(base, u(n * width));
    return declare(text(n), load(tile, place(layout, u(i), e, { extent, BK }), width));
  });
  const value = (n) => {
    const whole = name(text(Math.floor(n / width)), float(width));
    return width === 1 ? whole : component(whole, n % width);
  };
  return { loads, value };
}

/**
 * TM x TN results for each lane from tiles in workgroup memory. `a` and `b` say how the tiles lie there:
 * "km" has k in rows, which vectors along the results can be read from. `global` is the width of loads
 * from memory, `transposed` says that B is N x K.
 */
function blocked(given) {
  const { M, N, K, BM, BN, BK, TM, TN, a, b, vectors = 1, global = 1, transposed = false } = given;
  const threads = (BM * BN) / (TM * TN);
  const [down, across] = [name("down"), name("across")];
  const points = range(TM).flatMap((m) => range(TN).map((n) => ({ m, n, sum: `s${m}_${n}` })));
  const steps = range(BK).flatMap((i) => {
    const x = operand("a", { layout: a, base: down, extent: BM, count: TM, vectors, BK }, i);
    const y = operand("b", { layout: b, base: across, extent: BN, count: TN, vectors, BK }, i);
    const sums = points.map(({ m, n, sum }) => multiplyAdd(sum, x.value(m), y.value(n)));
    return [...x.loads, ...y.loads, ...sums];
  });
  const tileK = times(name("k"), BK);
  const common = { threads, global, BK };
  const ofA = { lines: BM, length: BK, first: plus(times(gy, BM * K), tileK), pitch: K, isK: true };
  const ofB = transposed
    ? { lines: BN, length: BK, first: plus(times(gx, BN * K), tileK), pitch: K, isK: true }
    : { lines: BK, length: BN, first: plus(times(tileK, N), times(gx, BN)), pitch: N, isK: false };
  const row = (m) => times(plus(times(gy, BM), down, u(m)), N);
  return plan("blocked", {
    arrays: [
      storage("A", M * K, global),
      storage("B", K * N, global),
      storage("C", M * N),
      shared("a", BM * BK),
      shared("b", BK * BN),
    ],
    workgroupSize: threads,
    grid: [N / BN, M / BM, 1],
    body: [
      declare("down", times(over(local, BN / TN), TM)),
      declare("across", times(modulo(local, BN / TN), TN)),
      ...points.map(({ sum }) => declare(sum, zero(), true)),
      loop("k", K / BK, [
        ...copies("A", "a", { ...ofA, ...common, layout: a, extent: BM }),
        ...copies("B", "b", { ...ofB, ...common, layout: b, extent: BN }),
        barrier,
        ...steps,
        barrier,
      ]),
      ...points.map(({ m, n, sum }) =>
        store("C", plus(row(m), times(gx, BN), across, u(n)), name(sum, float())),
      ),
    ],
  });
}

/** Vectors of 4 from memory, 4x4 results for each lane, nothing staged. */
function unstaged({ M, N, K, x, y }) {
  const row = times(plus(times(gx, x), modulo(local, x)), 4);
  const column = times(plus(times(gy, y), over(local, x)), 4);
  const k4 = times(name("k"), 4);
  return plan("unstaged", {
    arrays: [storage("A", M * K, 4), storage("B", K * N, 4), storage("C", M * N, 4)],
    workgroupSize: x * y,
    grid: [M / 4 / x, N / 4 / y, 1],
    body: [
      declare("row", row),
      declare("column", column),
      ...range(4).map((m) => declare(`s${m}`, zero(4), true)),
      loop("k", K / 4, [
        ...range(4).map((m) =>
          declare(`a${m}`, load("A", plus(times(plus(name("row"), u(m)), K), k4), 4)),
        ),
        ...range(4).map((i) =>
          declare(`b${i}`, load("B", plus(times(plus(k4, u(i)), N), name("column")), 4)),
        ),
        ...range(4).flatMap((i) =>
          range(4).map((m) =>
            multiplyAdd(
              `s${m}`,
              {
                kind: "vector",
                components: [component(name(`a${m}`, float(4)), i)],
                type: float(4),
              },
              name(`b${i}`, float(4)),
              4,
            ),
          ),
        ),
      ]),
      ...range(4).map((m) =>
        store(
          "C",
          plus(times(plus(name("row"), u(m)), N), name("column")),
          name(`s${m}`, float(4)),
        ),
      ),
    ],
  });
}

/** The writers of plans by the names that published.json gives them. */
export const kernels = { naive, tiled, blocked, unstaged };
