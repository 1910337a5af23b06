/** Lines of stores as records: what a line may hold, and what is wrong with one that holds no record. */
import { kindOf } from "../support/check-call-shape.ts";
import { choicesFault, isRecord } from "../support/mapping-file.ts";
import type { GateName } from "./bench.ts";
import { efforts } from "./events.ts";
import type { StoredDevice, StoredFigures, TuningRecord } from "./store.ts";

/** A line that is no record of this version. */
export interface LineFault {
  /** From 1. */
  readonly line: number;
  /** `torn`: the end is missing. `newer`: of a later version, and kept. `foreign`: nothing of ours. */
  readonly kind: "torn" | "newer" | "foreign" | "corrupt";
  readonly why: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Says what is wrong with a value, or null. */
type Check = (value: unknown) => string | null;

const isText: Check = (v) => (typeof v === "string" ? null : `is ${kindOf(v)}, no text`);

const isAmount: Check = (v) =>
  typeof v === "number" && Number.isFinite(v) && v >= 0 ? null : `is ${kindOf(v)}, no amount`;

const isTextOrNothing: Check = (v) => (v === undefined ? null : isText(v));

const listOf =
  (check: Check): Check =>
  (v) =>
    Array.isArray(v) && v.every((one) => check(one) === null) ? null : `is ${kindOf(v)}`;

const oneOf =
  (names: readonly string[]): Check =>
  (v) =>
    names.some((name) => name === v) ? null : `is ${kindOf(v)}, none of ${names.join(", ")}`;

/** What is wrong with the fields of an object; null for nothing. */
function fieldsFault(value: unknown, name: string, checks: Readonly<Record<string, Check>>) {
  if (!isRecord(value)) return `\`${name}\` is ${kindOf(value)}, no object`;
  for (const [field, check] of Object.entries(checks)) {
    const wrong = check(value[field]);
    if (wrong !== null) return `\`${name}.${field}\` ${wrong}`;
  }
  return null;
}

const deviceFields: Readonly<Record<keyof StoredDevice, Check>> = {
  profile: isText,
  vendor: isText,
  architecture: isText,
  backend: isText,
  driver: isText,
};

const figureFields: Readonly<Record<keyof StoredFigures, Check>> = {
  us: isAmount,
  mad: isAmount,
  mean: isAmount,
  variance: isAmount,
  min: isAmount,
  max: isAmount,
  n: isAmount,
};

const keyFields: Readonly<Record<string, Check>> = {
  kernel: isText,
  sizes: listOf(isAmount),
  types: listOf(isText),
  alignment: isAmount,
  generator: isText,
};

const gates: Readonly<Record<GateName, true>> = {
  integers: true,
  reals: true,
  guards: true,
  poison: true,
  sizes: true,
  races: true,
};

/** The fields of each kind of outcome. */
const outcomes: Readonly<Record<TuningRecord["outcome"]["kind"], Readonly<Record<string, Check>>>> =
  {
    trying: {},
    unfinished: {},
    ok: { defaultUs: (v) => (v === null ? null : isAmount(v)) },
    invalid: { why: isText },
    wrong: { gate: oneOf(Object.keys(gates)), why: isText },
    timeout: { ms: isAmount },
    "out-of-memory": { why: isText },
    lost: { why: isText },
  };

function outcomeFault(outcome: unknown): string | null {
  const kind = isRecord(outcome) ? outcome["kind"] : undefined;
  const found = Object.entries(outcomes).find(([name]) => name === kind);
  if (found === undefined) return `\`outcome.kind\` is ${kindOf(kind)}`;
  const wrong = fieldsFault(outcome, "outcome", found[1]);
  if (wrong !== null || kind !== "ok" || !isRecord(outcome)) return wrong;
  return fieldsFault(outcome["figures"], "outcome.figures", figureFields);
}

function recordFault(record: Fields): string | null {
  const { key, choices, outcome } = record;
  return (
    fieldsFault(key, "key", keyFields) ??
    fieldsFault(isRecord(key) ? key["device"] : null, "key.device", deviceFields) ??
    choicesFault(choices, "choices") ??
    outcomeFault(outcome) ??
    fieldsFault(record, "record", {
      text: isText,
      alternative: isTextOrNothing,
      seal: isTextOrNothing,
      effort: oneOf(Object.keys(efforts)),
      at: isAmount,
    })
  );
}

function isTuningRecord(record: Fields): record is Fields & TuningRecord {
  return recordFault(record) === null;
}

/** What records begin with: a line that does, and is no JSON, lost its end. */
const beginning = '{"schema":';

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A line as a record, or what is wrong with it; `line` counts from 1. */
export function readRecord(text: string, line: number): TuningRecord | LineFault {
  const value = parsed(text);
  if (value === undefined && beginning.startsWith(text.slice(0, beginning.length))) {
    return { line, kind: "torn", why: "its end is missing" };
  }
  if (!isRecord(value) || typeof value["schema"] !== "number") {
    return { line, kind: "foreign", why: "it is no record of tuning" };
  }
  const { schema } = value;
  if (schema > 1) {
    return { line, kind: "newer", why: `it is of version ${schema}; this version reads 1` };
  }
  if (schema === 1 && isTuningRecord(value)) return value;
  return { line, kind: "corrupt", why: recordFault(value) ?? `\`schema\` is ${schema}` };
}

/** Whether a line was no record. */
export function isFault(read: TuningRecord | LineFault): read is LineFault {
  return "line" in read;
}

/** A record as a line; its fields are always in this order. */
export function printRecord({
  schema,
  key,
  choices,
  alternative,
  seal,
  text,
  outcome,
  effort,
  at,
}: TuningRecord): string {
  return JSON.stringify({ schema, key, choices, alternative, seal, text, outcome, effort, at });
}
