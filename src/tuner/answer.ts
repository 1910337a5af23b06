/**
 * Purpose: what a database answers for a task, without launching anything.
 *
 * ```
 * exact       the definition was tuned at these sizes, on this device, for this generator
 * neighbour   the best of the winners of the nearest tuned sizes: of the definition, else of each of its kernels
 * default     nothing is near: the caller's default
 * ```
 * Ensures: what was found by another generator or driver, or without the gates at other sizes, is no answer. Whoever plans
 * an answer repairs it: it may not be legal at these sizes. One with the seal of its program needs no plan.
 */
import { mappingOf } from "../ir/mapping/mapping.ts";
import { type Choice, type Mapping, mappingVersion } from "../support/mapping-file.ts";
import type { CandidateKernel, Content } from "./candidate.ts";
import {
  contentId,
  type Database,
  type Known,
  type KnownContent,
  type KnownSize,
  kernelId,
  sizesId,
  usOf,
} from "./database.ts";
import { type AnswerSource, type Effort, efforts } from "./events.ts";
import { boundChoices } from "./kernel-choices.ts";
import { type Predicted, predict } from "./predict.ts";
import type { Start } from "./session.ts";
import type { StoredDevice, StoreKey, TuningRecord } from "./store.ts";

/** A definition at some sizes, on a device. */
export interface Question {
  readonly content: Content;
  /** Those of its default candidate, where it was planned: answers may be put together of theirs. */
  readonly kernels?: readonly Pick<
    CandidateKernel,
    "name" | "names" | "key" | "extents" | "types" | "alignment"
  >[];
  readonly device: StoredDevice;
  readonly generator: string;
  /** What was found with less is no exact answer; any effort will do if it is left out. */
  readonly effort?: Effort;
}

/** What is best for a task, as far as is known. */
export interface Answer {
  readonly source: Extract<AnswerSource, { kind: "exact" | "neighbour" | "default" }>;
  /** Null: the default. */
  readonly mapping: Mapping | null;
  /** The algorithm that the mapping is for; see `Candidate`. */
  readonly alternative: string | null;
  /** Of the record that it is, see `TuningRecord`; null where that has none, or it is put together of several. */
  readonly seal: string | null;
  /** Microseconds, measured or predicted; null where nothing says. */
  readonly us: number | null;
  /** How many times slower than the best it is expected to be; 1 for an exact answer, null where nothing says. */
  readonly expectedLoss: number | null;
}

const byDefault: Answer = {
  source: { kind: "default" },
  mapping: null,
  alternative: null,
  seal: null,
  us: null,
  expectedLoss: null,
};

type Asked = Pick<Question, "device" | "generator">;

function keyOf(
  { key, extents, types, alignment }: Content,
  { device, generator }: Asked,
): StoreKey {
  return { kernel: key, sizes: extents, types, alignment, device, generator };
}

function exactSize(database: Database, key: StoreKey): KnownSize | undefined {
  return database.contents.get(contentId(key))?.get(sizesId(key.sizes));
}

function allAlignments({ contents }: Database, key: StoreKey): readonly KnownContent[] {
  return [1, 2, 4, 8, 16].flatMap(
    (alignment) => contents.get(contentId({ ...key, alignment })) ?? [],
  );
}

function isEnough({ won, record }: Known, effort: Effort | undefined): boolean {
  if (effort === undefined) return true;
  return won !== null && efforts[(won ?? record).effort].candidates >= efforts[effort].candidates;
}

/** The mapping of a definition's record: complete, in canonical names, which any compilation takes. */
function mappingOfRecord({ choices }: TuningRecord): Mapping {
  return { version: mappingVersion, policy: "plain", ...choices };
}

function medianOf({ outcome }: TuningRecord): number | null {
  return outcome.kind === "ok" ? outcome.figures.us : null;
}

function neighbourAnswer({ record, distance, us, loss }: Predicted): Answer {
  return {
    source: { kind: "neighbour", distance },
    mapping: mappingOfRecord(record),
    alternative: record.alternative ?? null,
    seal: record.seal ?? null,
    us,
    expectedLoss: loss,
  };
}

/** An answer put together of kernels: each exact, of a neighbour, or left to the default. */
function answerOfKernels(database: Database, question: Question): Answer {
  const paths: (readonly [string, Choice])[] = [];
  let [distance, loss] = [0, 1];
  for (const kernel of question.kernels ?? []) {
    const key = keyOf(kernel, question);
    const exact = exactSize(database, key)?.best;
    const found = exact ?? predict(allAlignments(database, key), key)[0];
    if (found === undefined) continue;
    paths.push(...boundChoices(found.record.choices, kernel));
    if ("distance" in found) {
      distance = Math.max(distance, found.distance);
      loss = Math.max(loss, found.loss);
    }
  }
  if (paths.length === 0) return byDefault;
  return {
    source: { kind: "neighbour", distance },
    mapping: mappingOf(paths, "default"),
    alternative: null,
    seal: null,
    us: null,
    expectedLoss: loss,
  };
}

function exactAnswer({ record }: Known): Answer {
  return {
    source: { kind: "exact" },
    mapping: mappingOfRecord(record),
    alternative: record.alternative ?? null,
    seal: record.seal ?? null,
    us: medianOf(record),
    expectedLoss: 1,
  };
}

/** How many answers are given for the same sizes. */
const mostExact = 4;

/** What is known of these sizes: the answer, then what ran and was faster than the default, the fastest first. */
function exactAnswers({ best, candidates }: KnownSize): readonly Known[] {
  const isFaster = ({ record: { outcome } }: Known): boolean =>
    outcome.kind === "ok" && outcome.figures.us < (outcome.defaultUs ?? Number.POSITIVE_INFINITY);
  const others = [...candidates.values()]
    .filter((known) => known !== best && known.state === "ok" && isFaster(known))
    .sort((a, b) => usOf(a) - usOf(b));
  return [...(best === null ? [] : [best]), ...others].slice(0, mostExact);
}

/**
 * What the database answers, the best first: where one does not run, the next one may. What was found at these sizes, then
 * at the nearest ones, then for single kernels; none for the default.
 */
export function* answersOf(database: Database, question: Question): Generator<Answer> {
  const key = keyOf(question.content, question);
  const size = exactSize(database, key);
  const best = size?.best ?? null;
  if (size !== undefined && best !== null && isEnough(best, question.effort)) {
    yield exactAnswer(best);
    yield* exactAnswers(size).slice(1).map(exactAnswer);
  }
  yield* predict(allAlignments(database, key), key).map(neighbourAnswer);
  const ofKernels = answerOfKernels(database, question);
  if (ofKernels !== byDefault) yield ofKernels;
}

/** The best answer. Takes well under a millisecond. */
export function answerOf(database: Database, question: Question): Answer {
  const [first] = answersOf(database, question);
  return first ?? byDefault;
}

/** How many mappings a small tune starts from, beside the default. */
const mostStarts = 4;

/** The best of these sizes that were found by other generators, drivers or devices of the same architecture. */
function seedsOf(database: Database, key: StoreKey): readonly TuningRecord[] {
  const ids = database.kernels.get(kernelId(key)) ?? [];
  return ids.flatMap((id) => {
    const best = database.contents.get(id)?.get(sizesId(key.sizes))?.best ?? null;
    const isOwn = id === contentId(key);
    const isNear = best?.record.key.device.architecture === key.device.architecture;
    return best !== null && !isOwn && isNear ? [best.record] : [];
  });
}

/**
 * Mappings for a search to begin with, the most promising first, at most four: the best known of these sizes, the winners of
 * the nearest ones, the best of other generators and drivers, what its kernels' answers make.
 */
export function startsOf(database: Database, question: Question): readonly Start[] {
  const key = keyOf(question.content, question);
  const exact = exactSize(database, key)?.best ?? null;
  const near = predict(allAlignments(database, key), key, "starts");
  const started = (kind: string, record: TuningRecord): Start => ({
    kind,
    mapping: mappingOfRecord(record),
    alternative: record.alternative ?? null,
  });
  const ofKernels = answerOfKernels(database, question).mapping;
  return [
    ...(exact === null ? [] : [started("exact", exact.record)]),
    ...near.map(({ record }) => started("neighbour", record)),
    ...(ofKernels === null ? [] : [{ kind: "neighbour", mapping: ofKernels, alternative: null }]),
    ...seedsOf(database, key).map((record) => started("portfolio", record)),
  ].slice(0, mostStarts);
}

/** What is known of candidates and of single kernels, whatever their definition: see `TuningOptions`. */
export interface Knowledge {
  readonly skip: ReadonlySet<string>;
  readonly known: ReadonlyMap<string, number>;
}

function isSameDevice(a: StoredDevice, b: StoredDevice): boolean {
  const fields = ["profile", "vendor", "architecture", "backend", "driver"] as const;
  return fields.every((field) => a[field] === b[field]);
}

/** What earlier runs on this device found of candidates and kernels that this generator makes, by text. */
export function knowledgeOf(
  { contents }: Database,
  device: StoredDevice,
  generator: string,
): Knowledge {
  const skip = new Set<string>();
  const known = new Map<string, number>();
  const sizes = [...contents.values()].flatMap((content) => [...content.values()]);
  for (const { key, candidates } of sizes) {
    if (key.generator !== generator || !isSameDevice(key.device, device)) continue;
    const best = Math.min(...[...candidates.values()].map(usOf));
    for (const [text, candidate] of candidates) {
      const us = usOf(candidate);
      // A text may stand under several contents, of other alignments.
      if (Number.isFinite(us)) known.set(text, Math.min(us / best, known.get(text) ?? Infinity));
      else if (candidate.state !== "unfinished") skip.add(text);
    }
  }
  return { skip, known };
}
