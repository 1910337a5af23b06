import {
  type ElementType,
  elementCount,
  isFloat,
  type TensorData,
} from "../support/scalar-type.ts";

/** Of a dimension whose middle is left out, so many elements are shown at each end. */
const edge = 3;
/** The longest dimension that is shown whole in a small tensor, if its lines are narrow. */
const longest = 20;
const smallCount = 400;
const narrowWidth = 80;
/** The longest dimension that is shown whole otherwise. */
const short = 2 * edge + 1;
/** Digits after the point, or after the first digit in scientific notation. */
const digits = 4;

/**
 * A tensor as NumPy prints it, short: three elements at each end of a long dimension, columns
 * aligned, all numbers in one notation. No line end.
 */
export function preview(type: ElementType, shape: readonly number[], data: TensorData): string {
  if (elementCount(shape) === 0) return `[] (shape ${shapeText(shape)})`;
  const small = elementCount(shape.map((extent) => Math.min(extent, longest))) <= smallCount;
  const text = layOut(small ? longest : short, type, shape, data);
  const narrow = text.split("\n").every((line) => line.length <= narrowWidth);
  return small && !narrow ? layOut(short, type, shape, data) : text;
}

function layOut(
  limit: number,
  type: ElementType,
  shape: readonly number[],
  data: TensorData,
): string {
  const places = shownPlaces(limit, shape);
  const write = notation(
    type,
    places.map((place) => data[place] ?? 0),
  );
  const width = Math.max(...places.map((place) => write(data[place] ?? 0).length));
  return nested(limit, shape, 0, (place) => write(data[place] ?? 0).padStart(width));
}

/** `(3, 4)`, `(3,)` and `()` as in Python. */
export function shapeText(shape: readonly number[]): string {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}

/** Indices of a dimension that are shown; `null` stands for those left out. */
function shownIndices(limit: number, extent: number): readonly (number | null)[] {
  if (extent <= limit) return Array.from({ length: extent }, (_, i) => i);
  const first = Array.from({ length: edge }, (_, i) => i);
  return [...first, null, ...first.map((i) => extent - edge + i)];
}

function shownPlaces(limit: number, shape: readonly number[]): readonly number[] {
  return shape.reduce<readonly number[]>(
    (places, extent) =>
      places.flatMap((place) =>
        shownIndices(limit, extent).flatMap((i) => (i === null ? [] : [place * extent + i])),
      ),
    [0],
  );
}

/** The part of a tensor at `place`, which counts the parts of the dimensions outside. */
function nested(
  limit: number,
  shape: readonly number[],
  place: number,
  write: (place: number) => string,
  depth = 0,
): string {
  const extent = shape[depth];
  if (extent === undefined) return write(place);
  const parts = shownIndices(limit, extent).map((i) =>
    i === null ? "..." : nested(limit, shape, place * extent + i, write, depth + 1),
  );
  const below = shape.length - depth - 1;
  const lineEnd = "\n".repeat(below) + " ".repeat(depth + 1);
  return `[${parts.join(below === 0 ? " " : lineEnd)}]`;
}

/** How all of the numbers are written. */
function notation(type: ElementType, values: readonly number[]): (value: number) => string {
  if (type === "bool") return (value) => (value === 0 ? "False" : "True");
  if (!isFloat(type)) return String;
  const sizes = values.filter((v) => Number.isFinite(v) && v !== 0).map(Math.abs);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  if (sizes.length > 0 && (most >= 1e8 || least < 1e-4 || most / least > 1e6)) {
    return (value) =>
      special(value) ?? value.toExponential(digits).replace(/e([+-])(\d)$/, "e$10$2");
  }
  const decimals = Math.max(0, ...sizes.map((v) => decimalsOf(v)));
  return (value) =>
    special(value) ?? (decimals === 0 ? `${value.toFixed(0)}.` : value.toFixed(decimals));
}

/** Digits after the point that the value needs, at most {@link digits}. */
function decimalsOf(value: number): number {
  const fraction = value.toFixed(digits).split(".")[1] ?? "";
  return fraction.replace(/0+$/, "").length;
}

function special(value: number): string | null {
  if (Number.isNaN(value)) return "nan";
  if (value === Infinity) return "inf";
  return value === -Infinity ? "-inf" : null;
}
