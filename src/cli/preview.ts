import type { ScalarType, TensorData } from "../support/scalar-type.ts";
import { elementCount } from "../support/scalar-type.ts";

/** Along a dimension longer than twice this and one more, the middle is left out. */
const edge = 3;
/** Digits after the point, or after the first digit in scientific notation. */
const digits = 4;

/**
 * A tensor as NumPy prints it, short: three elements at each end of a dimension, columns aligned,
 * all numbers in one notation. No line end.
 */
export function preview(type: ScalarType, shape: readonly number[], data: TensorData): string {
  if (elementCount(shape) === 0) return `[] (shape ${shapeText(shape)})`;
  const places = shownPlaces(shape);
  const write = notation(
    type,
    places.map((place) => data[place] ?? 0),
  );
  const width = Math.max(...places.map((place) => write(data[place] ?? 0).length));
  return nested(shape, 0, 0, (place) => write(data[place] ?? 0).padStart(width));
}

/** `(3, 4)`, `(3,)` and `()` as in Python. */
export function shapeText(shape: readonly number[]): string {
  return `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
}

/** Indices of a dimension that are shown; `null` stands for those left out. */
function shownIndices(extent: number): readonly (number | null)[] {
  if (extent <= 2 * edge + 1) return Array.from({ length: extent }, (_, i) => i);
  const first = Array.from({ length: edge }, (_, i) => i);
  return [...first, null, ...first.map((i) => extent - edge + i)];
}

function shownPlaces(shape: readonly number[]): readonly number[] {
  return shape.reduce<readonly number[]>(
    (places, extent) =>
      places.flatMap((place) =>
        shownIndices(extent).flatMap((i) => (i === null ? [] : [place * extent + i])),
      ),
    [0],
  );
}

function nested(
  shape: readonly number[],
  dimension: number,
  place: number,
  write: (place: number) => string,
): string {
  const extent = shape[dimension];
  if (extent === undefined) return write(place);
  const parts = shownIndices(extent).map((i) =>
    i === null ? "..." : nested(shape, dimension + 1, place * extent + i, write),
  );
  const below = shape.length - dimension - 1;
  const lineEnd = "\n".repeat(below) + " ".repeat(dimension + 1);
  return `[${parts.join(below === 0 ? " " : lineEnd)}]`;
}

/** How all of the numbers are written. */
function notation(type: ScalarType, values: readonly number[]): (value: number) => string {
  if (type === "bool") return (value) => (value === 0 ? "False" : "True");
  if (type !== "float32") return String;
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
