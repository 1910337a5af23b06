import { make, type Reference, type References, range, reals, sum, unit, view } from "./plain.ts";

/** How many places a window of size `k` has in `n` elements with padding `p`, every `s`. */
function places(n: number, k: number, s: number, p: number): number {
  return Math.floor((n + 2 * p - k) / s) + 1;
}

const isInside = (i: number, n: number): boolean => i >= 0 && i < n;

const conv1d: Reference = {
  sizes: [
    { N: 1, C: 1, T: 1, O: 1, K: 1, D: 1 },
    { N: 2, C: 3, T: 13, O: 5, K: 3, D: 2 },
    { N: 1, C: 2, T: 7, O: 3, K: 4, D: 5 },
  ],
  inputs: ({ N, C, T, O, K }) => ({ x: unit(N, C, T), weight: unit(O, C, K), bias: unit(O) }),
  results: ({ N, C, T, O, K, D }, { x: given, weight: w, bias }) => {
    const [x, weight] = [view(given, N, C, T), view(w, O, C, K)];
    const at = (n: number, c: number, t: number): number => (t < 0 ? 0 : x(n, c, t));
    const out = make([N, O, T], (n, o, t) => {
      const taps = sum(C, (c) => sum(K, (k) => at(n, c, t - D * k) * weight(o, c, k)));
      return Math.max(0, bias[o] + taps);
    });
    return { out };
  },
};

const conv2d: Reference = {
  sizes: [
    { N: 1, C: 1, H: 1, W: 1, O: 1, KH: 1, KW: 1, S: 1, P: 0 },
    { N: 2, C: 3, H: 7, W: 11, O: 5, KH: 3, KW: 5, S: 2, P: 1 },
    { N: 1, C: 2, H: 13, W: 5, O: 3, KH: 2, KW: 3, S: 3, P: 2 },
    { N: 1, C: 1, H: 3, W: 3, O: 2, KH: 3, KW: 3, S: 1, P: 1 },
  ],
  inputs: ({ N, C, H, W, O, KH, KW }) => ({
    image: unit(N, C, H, W),
    weight: unit(O, C, KH, KW),
    bias: unit(O),
  }),
  results: ({ N, C, H, W, O, KH, KW, S, P }, { image: i, weight: w, bias }) => {
    const [image, weight] = [view(i, N, C, H, W), view(w, O, C, KH, KW)];
    const pixel = (n: number, c: number, h: number, x: number): number =>
      isInside(h, H) && isInside(x, W) ? image(n, c, h, x) : 0;
    const value = (n: number, o: number, h: number, x: number): number => {
      let total = bias[o];
      for (let c = 0; c < C; c++)
        for (let kh = 0; kh < KH; kh++)
          for (let kw = 0; kw < KW; kw++)
            total += pixel(n, c, S * h + kh - P, S * x + kw - P) * weight(o, c, kh, kw);
      return total;
    };
    return { out: make([N, O, places(H, KH, S, P), places(W, KW, S, P)], value) };
  },
};

/** With kernel 3, stride 1 and padding 1; odd and even sizes, as pairs of neighbours want them. */
const conv3x3: Reference = {
  sizes: [
    { N: 1, C: 1, H: 1, W: 1, O: 1 },
    { N: 2, C: 3, H: 7, W: 10, O: 5 },
    { N: 1, C: 2, H: 4, W: 3, O: 3 },
  ],
  inputs: ({ N, C, H, W, O }) => ({ image: unit(N, C, H, W), weight: unit(O, C, 3, 3) }),
  results: (sizes, inputs) => {
    const bias = range(sizes["O"]).map(() => 0);
    return conv2d.results({ ...sizes, KH: 3, KW: 3, S: 1, P: 1 }, { ...inputs, bias });
  },
};

/** The same with channels last, in and out. */
const conv3x3Nhwc: Reference = {
  sizes: conv3x3.sizes,
  inputs: ({ N, C, H, W, O }) => ({ image: unit(N, H, W, C), weight: unit(3, 3, C, O) }),
  results: (sizes, { image: i, weight: w }) => {
    const { N, C, H, W, O } = sizes;
    const [image, weight] = [view(i, N, H, W, C), view(w, 3, 3, C, O)];
    const inputs = {
      image: make([N, C, H, W], (n, c, h, x) => image(n, h, x, c)),
      weight: make([O, C, 3, 3], (o, c, kh, kw) => weight(kh, kw, c, o)),
    };
    const out = view(conv3x3.results(sizes, inputs)["out"], N, O, H, W);
    return { out: make([N, H, W, O], (n, h, x, o) => out(n, o, h, x)) };
  },
};

/** Group by group, on parts of the arrays. */
const groupedConv2d: Reference = {
  sizes: [
    { N: 1, G: 1, C: 1, H: 1, W: 1, O: 1, KH: 1, KW: 1, S: 1, P: 0 },
    { N: 2, G: 2, C: 3, H: 5, W: 7, O: 2, KH: 3, KW: 2, S: 2, P: 1 },
    { N: 1, G: 3, C: 1, H: 7, W: 5, O: 5, KH: 2, KW: 3, S: 3, P: 2 },
  ],
  inputs: ({ N, G, C, H, W, O, KH, KW }) => ({
    image: unit(N, G, C, H, W),
    weight: unit(G, O, C, KH, KW),
  }),
  results: ({ N, G, C, H, W, O, KH, KW, S, P }, { image, weight }) => {
    const out = range(N * G).flatMap((part) => {
      const [picture, filter] = [C * H * W, O * C * KH * KW];
      const inputs = {
        image: Array.from(image).slice(part * picture, (part + 1) * picture),
        weight: Array.from(weight).slice((part % G) * filter, ((part % G) + 1) * filter),
        bias: range(O).map(() => 0),
      };
      return Array.from(conv2d.results({ N: 1, C, H, W, O, KH, KW, S, P }, inputs)["out"]);
    });
    return { out };
  },
};

const depthwiseDilated: Reference = {
  sizes: [
    { N: 1, C: 1, H: 1, W: 1, KH: 1, KW: 1, D: 1 },
    { N: 2, C: 3, H: 7, W: 11, KH: 3, KW: 2, D: 3 },
    { N: 1, C: 5, H: 13, W: 5, KH: 2, KW: 3, D: 2 },
  ],
  inputs: ({ N, C, H, W, KH, KW }) => ({ image: unit(N, C, H, W), weight: unit(C, KH, KW) }),
  results: ({ N, C, H, W, KH, KW, D }, { image: i, weight: k }) => {
    const [image, weight] = [view(i, N, C, H, W), view(k, C, KH, KW)];
    const value = (n: number, c: number, h: number, w: number): number =>
      sum(KH, (kh) => sum(KW, (kw) => image(n, c, h + D * kh, w + D * kw) * weight(c, kh, kw)));
    return { out: make([N, C, H - D * (KH - 1), W - D * (KW - 1)], value) };
  },
};

/** Each output collects what reaches it; the example adds from the inputs. */
const convTranspose2d: Reference = {
  sizes: [
    { N: 1, C: 1, H: 1, W: 1, O: 1, KH: 1, KW: 1, S: 1 },
    { N: 2, C: 3, H: 5, W: 3, O: 2, KH: 3, KW: 5, S: 2 },
    { N: 1, C: 2, H: 2, W: 7, O: 3, KH: 5, KW: 3, S: 3 },
  ],
  inputs: ({ N, C, H, W, O, KH, KW }) => ({ image: unit(N, C, H, W), weight: unit(C, O, KH, KW) }),
  results: ({ N, C, H, W, O, KH, KW, S }, { image: i, weight: k }) => {
    const [image, weight] = [view(i, N, C, H, W), view(k, C, O, KH, KW)];
    const value = (n: number, o: number, y: number, x: number): number => {
      let total = 0;
      for (let h = 0; h < H; h++)
        for (let w = 0; w < W; w++)
          if (isInside(y - S * h, KH) && isInside(x - S * w, KW))
            total += sum(C, (c) => image(n, c, h, w) * weight(c, o, y - S * h, x - S * w));
      return total;
    };
    return { out: make([N, O, S * (H - 1) + KH, S * (W - 1) + KW], value) };
  },
};

/** The pixels of each window that are in the image. */
function windows(
  { N, C, H, W, K, S, P }: Readonly<Record<string, number>>,
  pixels: ArrayLike<number>,
  value: (window: readonly number[]) => number,
): number[] {
  const image = view(pixels, N, C, H, W);
  return make([N, C, places(H, K, S, P), places(W, K, S, P)], (n, c, h, w) => {
    const rows = range(K).flatMap((y) => (isInside(S * h + y - P, H) ? [S * h + y - P] : []));
    const columns = range(K).flatMap((x) => (isInside(S * w + x - P, W) ? [S * w + x - P] : []));
    return value(rows.flatMap((y) => columns.map((x) => image(n, c, y, x))));
  });
}

const pools = [
  { N: 1, C: 1, H: 1, W: 1, K: 1, S: 1, P: 0 },
  { N: 2, C: 3, H: 7, W: 5, K: 3, S: 2, P: 1 },
  { N: 1, C: 2, H: 11, W: 13, K: 5, S: 3, P: 2 },
];

const maxPool: Reference = {
  sizes: pools,
  inputs: ({ N, C, H, W }) => ({ image: reals(-5, -1, N, C, H, W) }),
  results: (s, { image }) => ({ out: windows(s, image, (window) => Math.max(...window)) }),
};

const avgPool: Reference = {
  sizes: pools,
  inputs: ({ N, C, H, W }) => ({ image: unit(N, C, H, W) }),
  results: (s, { image }) => ({
    out: windows(s, image, (window) => sum(window.length, (n) => window[n]) / window.length),
  }),
};

const residualConv2d: Reference = {
  sizes: [
    { N: 1, C: 1, H: 1, W: 1, O: 1, KH: 1, KW: 1, S: 1, P: 0 },
    { N: 2, C: 3, H: 7, W: 11, O: 5, KH: 3, KW: 3, S: 2, P: 1 },
    { N: 1, C: 2, H: 5, W: 13, O: 4, KH: 3, KW: 5, S: 3, P: 2 },
  ],
  inputs: ({ N, C, H, W, O, KH, KW }) => ({
    image: unit(N, C, H, W),
    weight: unit(O, C, KH, KW),
    shortcut: unit(O, C),
    bias: unit(O),
  }),
  results: (sizes, { image: i, weight, shortcut, bias }) => {
    const { N, C, H, W, O, KH, KW, S, P } = sizes;
    const image = view(i, N, C, H, W);
    const shape = [N, O, places(H, KH, S, P), places(W, KW, S, P)];
    const through = view(conv2d.results(sizes, { image: i, weight, bias })["out"], ...shape);
    const past = (n: number, o: number, h: number, x: number): number => {
      if (!isInside(S * h, H) || !isInside(S * x, W)) return 0;
      return sum(C, (c) => image(n, c, S * h, S * x) * shortcut[o * C + c]);
    };
    const out = make(shape, (n, o, h, x) => Math.max(0, through(n, o, h, x) + past(n, o, h, x)));
    return { out };
  },
};

/** Where an element of a scaled row lies in the old one: the one before it, and how far behind it. */
function between(n: number, from: number, to: number): readonly [number, number] {
  const at = Math.min(Math.max(((n + 0.5) * from) / to - 0.5, 0), from - 1);
  return [Math.floor(at), at - Math.floor(at)];
}

const bilinearResize: Reference = {
  sizes: [
    { C: 1, H: 1, W: 1, P: 1, Q: 1 },
    { C: 2, H: 5, W: 7, P: 9, Q: 4 },
    { C: 3, H: 8, W: 3, P: 5, Q: 11 },
  ],
  inputs: ({ C, H, W }) => ({ image: unit(C, H, W) }),
  results: ({ C, H, W, P, Q }, { image: i }) => {
    const image = view(i, C, H, W);
    const last = (n: number, size: number): number => Math.min(n, size - 1);
    const out = make([C, P, Q], (c, p, q) => {
      const [[y, dy], [x, dx]] = [between(p, H, P), between(q, W, Q)];
      const row = (h: number): number =>
        (1 - dx) * image(c, h, x) + dx * image(c, h, last(x + 1, W));
      return (1 - dy) * row(y) + dy * row(last(y + 1, H));
    });
    return { out };
  },
};

export const convolution: References = {
  residual_conv2d: residualConv2d,
  bilinear_resize: bilinearResize,
  conv1d,
  conv2d,
  conv3x3,
  conv3x3_nhwc: conv3x3Nhwc,
  grouped_conv2d: groupedConv2d,
  depthwise_dilated: depthwiseDilated,
  conv_transpose2d: convTranspose2d,
  max_pool: maxPool,
  avg_pool: avgPool,
};
