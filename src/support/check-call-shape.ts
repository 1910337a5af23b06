/** Calls of the API from programs without types: what no type-checker has looked at. */
import { didYouMean } from "./edit-distance.ts";
import { own } from "./own.ts";
import { shorten } from "./shorten.ts";

/** What the value of an option has to be, in words too. */
export interface OptionKind {
  readonly is: (value: unknown) => boolean;
  readonly wanted: string;
}

/**
 * Every option of a call, so that the compiler notices when one is missing here: with what it has to be, unless
 * something else looks at its value.
 */
export type OptionNames<Options> = Readonly<
  Record<keyof Required<Options> & string, true | OptionKind>
>;

/**
 * Refuses a source that is no text.
 * @throws TypeError that shows how the call is written.
 */
export function checkSourceText(call: string, source: unknown): asserts source is string {
  if (typeof source === "string") return;
  const found = source instanceof Promise ? "a promise; await it" : kindOf(source);
  const example = `${call}("def copy(float(N) a) -> (b) { b(i) = a(i) }")`;
  throw new TypeError(`${call}: the source must be a string, got ${found}. For example ${example}`);
}

/**
 * Refuses options that are no object, names that no option has, and values that are no such option.
 * @throws TypeError that names the option and the one that was probably meant.
 */
export function checkOptions<Options>(
  call: string,
  options: unknown,
  names: OptionNames<Options>,
): void {
  const known = Object.keys(names);
  const example = `{ ${known.slice(0, 3).join(", ")}${known.length > 3 ? ", ..." : ""} }`;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`${call}: options are an object ${example}, got ${kindOf(options)}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(names, name)) {
      const meant = didYouMean(name, known);
      const hint =
        meant === undefined ? `there are ${known.join(", ")}` : `did you mean "${meant}"?`;
      throw new TypeError(`${call}: there is no option "${shorten(name)}"; ${hint}`);
    }
    const kind = own<true | OptionKind>(names, name);
    if (typeof kind === "object" && !kind.is(value)) {
      throw new TypeError(`${call}: \`${name}\` is ${kind.wanted}, got ${kindOf(value)}`);
    }
  }
}

/**
 * Refuses sizes that are no object of numbers.
 * @throws TypeError that names the size.
 */
export function checkSizes(call: string, sizes: unknown): void {
  if (sizes === undefined) return;
  if (typeof sizes !== "object" || sizes === null || Array.isArray(sizes)) {
    throw new TypeError(`${call}: sizes are an object { N: 8 }, got ${kindOf(sizes)}`);
  }
  for (const [name, value] of Object.entries(sizes)) {
    if (value === undefined || typeof value === "number") continue;
    throw new TypeError(`${call}: size ${shorten(name)} is a number, got ${kindOf(value)}`);
  }
}

/** What a value is, in words; texts and numbers are shown. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return value.length > 40 ? "a string" : `"${value}"`;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "an array";
  if (ArrayBuffer.isView(value)) return value.constructor.name;
  return typeof value === "function" ? "a function" : `a value of type ${typeof value}`;
}
