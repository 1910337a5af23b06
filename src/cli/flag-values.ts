/** Values of flags, read and checked. */
import { didYouMean } from "../support/edit-distance.ts";
import { failed, type Outcome, success } from "./failure.ts";
import type { FlagName } from "./flags.ts";

/** One of the words of a flag. */
export function choice<T extends string>(
  flag: FlagName,
  value: string,
  values: readonly T[],
): Outcome<T> {
  const found = values.find((one) => one === value);
  if (found !== undefined) return success(found);
  const meant = didYouMean(value, values);
  return failed(
    `--${flag} ${value}: expected ${values.join(", ")}`,
    meant === undefined ? "choose one of them" : `did you mean ${meant}?`,
  );
}

/** A port; 0 where none was given. */
export function readPort(text: string | null): Outcome<number> {
  if (text === null) return success(0);
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65535) return success(port);
  return failed(`--port ${text}: no port`, "write a number from 1 to 65535, such as --port 8080");
}

/** `10s`, `500ms`, `2m`, or seconds as a bare number; in milliseconds. */
export function readDuration(flag: FlagName, text: string): Outcome<number> {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|)$/.exec(text);
  if (match === null) return failed(`--${flag} ${text}: no duration`, `write --${flag} 10s`);
  const unit = { ms: 1, s: 1000, m: 60_000, "": 1000 }[match[2] ?? ""] ?? 1000;
  return success(Number(match[1]) * unit);
}

/** A number that is not negative; null where none was given. */
export function readTolerance(flag: FlagName, text: string | null): Outcome<number | null> {
  if (text === null) return success(null);
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= 0 && value < Infinity) return success(value);
  return failed(`--${flag} ${text}: no number from 0 on`, `write --${flag} 1e-5`);
}

/** A number of elements, or `all` of them. */
export function readCount(flag: FlagName, text: string): Outcome<number> {
  if (text === "all") return success(Number.POSITIVE_INFINITY);
  if (/^\d+$/.test(text)) return success(Number(text));
  return failed(`--${flag} ${text}: no count`, `write --${flag} 1000, or --${flag} all`);
}

/** A whole number from 0 on. */
export function readWhole(flag: FlagName, text: string): Outcome<number> {
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return success(Number(text));
  return failed(`--${flag} ${text}: no whole number`, `write --${flag} 1`);
}

/** `5%`, or a part of 1 as a bare number; as a part of 1. */
export function readPart(flag: FlagName, text: string): Outcome<number> {
  const match = /^(\d+(?:\.\d+)?)(%|)$/.exec(text);
  if (match === null) return failed(`--${flag} ${text}: no part`, `write --${flag} 5%`);
  return success(Number(match[1]) / (match[2] === "%" ? 100 : 1));
}
