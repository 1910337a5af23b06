/**
 * What examples/image-filter computes, in plain loops over pixels. Imports nothing: neither the
 * language nor the compiler has a part in what is expected.
 */

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Rows of pixels: red, green, blue, each 0..255. */
  readonly rgb: ArrayLike<number>;
}

export interface Settings {
  readonly sigma: number;
  readonly amount: number;
  readonly strength: number;
}

/** A grey value for every pixel, or three. */
type Plane = readonly number[];

function limited(n: number, length: number): number {
  return Math.min(Math.max(n, 0), length - 1);
}

function byte(x: number): number {
  return Math.round(Math.min(Math.max(x, 0), 255));
}

/** One channel of the picture. */
function channel({ rgb }: Picture, c: number): Plane {
  return Array.from({ length: rgb.length / 3 }, (_, p) => rgb[3 * p + c]);
}

/** With a Gaussian in both directions at once, where the example takes one after the other. */
function blurred(plane: Plane, width: number, height: number, sigma: number): Plane {
  const R = Math.ceil(3 * sigma);
  const weight = (n: number): number => Math.exp(-(n ** 2) / (2 * sigma ** 2));
  return plane.map((_, p) => {
    const [y, x] = [Math.floor(p / width), p % width];
    let [total, all] = [0, 0];
    for (let dy = -R; dy <= R; dy++)
      for (let dx = -R; dx <= R; dx++) {
        const w = weight(dy) * weight(dx);
        total += w * plane[limited(y + dy, height) * width + limited(x + dx, width)];
        all += w;
      }
    return total / all;
  });
}

function interleaved(channels: readonly Plane[]): readonly number[] {
  return channels[0].flatMap((_, p) => channels.map((plane) => plane[p]));
}

/** Rows of pixels of 3 values. */
export function sharpened(picture: Picture, { sigma, amount }: Settings): readonly number[] {
  const channels = [0, 1, 2].map((c) => {
    const plane = channel(picture, c);
    const soft = blurred(plane, picture.width, picture.height, sigma);
    return plane.map((v, p) => byte(v + amount * (v - soft[p])));
  });
  return interleaved(channels);
}

/** Rows of grey values. */
export function edges(picture: Picture, { sigma }: Settings): readonly number[] {
  const { width, height } = picture;
  const [r, g, b] = [0, 1, 2].map((c) => blurred(channel(picture, c), width, height, sigma));
  const grey = (y: number, x: number): number => {
    const p = limited(y, height) * width + limited(x, width);
    return 0.299 * r[p] + 0.587 * g[p] + 0.114 * b[p];
  };
  return r.map((_, p) => {
    const [y, x] = [Math.floor(p / width), p % width];
    const column = (dx: number): number =>
      grey(y - 1, x + dx) + 2 * grey(y, x + dx) + grey(y + 1, x + dx);
    const row = (dy: number): number =>
      grey(y + dy, x - 1) + 2 * grey(y + dy, x) + grey(y + dy, x + 1);
    return byte(255 - Math.hypot(column(1) - column(-1), row(1) - row(-1)));
  });
}

/** Rows of pixels of 3 values. */
export function equalised(picture: Picture, { strength }: Settings): readonly number[] {
  const [r, g, b] = [0, 1, 2].map((c) => channel(picture, c));
  const grey = r.map((_, p) => Math.floor((299 * r[p] + 587 * g[p] + 114 * b[p]) / 1000));
  const darker = Array.from({ length: 256 }, (_, v) => grey.filter((u) => u <= v).length);
  const moved = (plane: Plane): Plane =>
    plane.map((v, p) => {
      const wanted = (255 * darker[grey[p]]) / grey.length;
      return byte(v + strength * (wanted - grey[p]));
    });
  return interleaved([r, g, b].map(moved));
}
