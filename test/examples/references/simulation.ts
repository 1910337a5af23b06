import {
  integers,
  make,
  type Reference,
  type References,
  range,
  reals,
  sum,
  unit,
  view,
} from "./plain.ts";

const floydWarshall: Reference = {
  sizes: [{ N: 1 }, { N: 2 }, { N: 7 }, { N: 13 }],
  inputs: ({ N }) => ({ d: reals(1, 10, N, N) }),
  // By making paths one step longer, N times (Bellman and Ford).
  results: ({ N }, { d: steps }) => {
    const step = (i: number, j: number): number => (i === j ? 0 : steps[i * N + j]);
    let d = make([N, N], (i, j) => (i === j ? 0 : Infinity));
    for (let n = 0; n < N; n++) {
      const before = view(d, N, N);
      d = make([N, N], (i, j) => Math.min(...range(N).map((k) => before(i, k) + step(k, j))));
    }
    return { d };
  },
};

const gameOfLife: Reference = {
  sizes: [
    { H: 1, W: 1, T: 1 },
    { H: 7, W: 5, T: 3 },
    { H: 2, W: 13, T: 2 },
  ],
  inputs: ({ H, W }) => ({ start: integers(0, 2, H, W) }),
  results: ({ H, W, T }, { start }) => {
    let cell = Array.from(start);
    for (let t = 0; t < T; t++) {
      const before = view(cell, H, W);
      cell = make([H, W], (i, j) => {
        const around = [-1, 0, 1].flatMap((a) =>
          [-1, 0, 1].map((b) =>
            a === 0 && b === 0 ? 0 : before((i + a + H) % H, (j + b + W) % W),
          ),
        );
        const living = sum(9, (n) => around[n]);
        return living === 3 || (living === 2 && before(i, j) === 1) ? 1 : 0;
      });
    }
    return { cell };
  },
};

const jacobi: Reference = {
  sizes: [
    { H: 3, W: 3, T: 1 },
    { H: 7, W: 11, T: 5 },
    { H: 13, W: 3, T: 2 },
  ],
  inputs: ({ H, W }) => ({ start: reals(0, 100, H, W) }),
  results: ({ H, W, T }, { start }) => {
    let heat = Array.from(start);
    for (let t = 0; t < T; t++) {
      const before = view(heat, H, W);
      heat = make([H, W], (i, j) => {
        if (i === 0 || j === 0 || i === H - 1 || j === W - 1) return before(i, j);
        return (before(i - 1, j) + before(i + 1, j) + before(i, j - 1) + before(i, j + 1)) / 4;
      });
    }
    return { heat };
  },
};

const mandelbrot: Reference = {
  sizes: [
    { H: 1, W: 1, T: 1 },
    { H: 7, W: 11, T: 5 },
    { H: 13, W: 5, T: 8 },
  ],
  inputs: () => ({}),
  results: ({ H, W, T }) => {
    const steps = make([H, W], (i, j) => {
      const [cx, cy] = [(3.2 * (j + 0.5)) / W - 2.2, (2.4 * (i + 0.5)) / H - 1.2];
      let [x, y, n] = [0, 0, 0];
      while (n < T && x * x + y * y < 4) {
        [x, y] = [x * x - y * y + cx, 2 * x * y + cy];
        n += 1;
      }
      return n;
    });
    return { steps };
  },
};

type Point = readonly number[];

const nBody: Reference = {
  sizes: [
    { N: 1, T: 1 },
    { N: 7, T: 3 },
    { N: 13, T: 1 },
  ],
  inputs: ({ N }) => ({
    position: unit(N, 3),
    velocity: unit(N, 3),
    mass: reals(0.5, 2, N),
    softening: reals(0.2, 0.4),
    dt: reals(0.01, 0.05),
  }),
  results: ({ N, T }, { position: p0, velocity: v0, mass, softening, dt }) => {
    const points = (data: ArrayLike<number>): Point[] =>
      range(N).map((n) => [data[3 * n], data[3 * n + 1], data[3 * n + 2]]);
    let [position, velocity] = [points(p0), points(v0)];
    const drift = (): Point[] =>
      position.map((p, n) => p.map((v, a) => v + 0.5 * dt[0] * velocity[n][a]));
    const pull = (on: Point, by: number): Point => {
      const way = position[by].map((v, a) => v - on[a]);
      const square = way[0] ** 2 + way[1] ** 2 + way[2] ** 2 + softening[0] ** 2;
      return way.map((v) => (mass[by] * v) / (square * Math.sqrt(square)));
    };
    for (let t = 0; t < T; t++) {
      position = drift();
      const force = position.map((p) => {
        const pulls = range(N).map((j) => pull(p, j));
        return [0, 1, 2].map((a) => sum(N, (j) => pulls[j][a]));
      });
      velocity = velocity.map((v, n) => v.map((part, a) => part + dt[0] * force[n][a]));
      position = drift();
    }
    return { position: position.flat(), velocity: velocity.flat() };
  },
};

const heatEquation: Reference = {
  sizes: [
    { N: 3, S: 1 },
    { N: 11, S: 7 },
    { N: 70, S: 3 },
  ],
  inputs: ({ N }) => ({ start: unit(N) }),
  results: ({ N, S }, { start }) => {
    let u = Array.from(start);
    for (let s = 0; s < S; s++) {
      const last = u;
      const isEnd = (i: number): boolean => i === 0 || i === N - 1;
      u = last.map((x, i) => (isEnd(i) ? x : x / 2 + (last[i - 1] + last[i + 1]) / 4));
    }
    return { u };
  },
};

export const simulation: References = {
  heat_equation: heatEquation,
  floyd_warshall: floydWarshall,
  game_of_life: gameOfLife,
  jacobi,
  mandelbrot,
  n_body: nBody,
};
