/** Tuning: what is found out on a device, and remembered. */
export type { CalledDefinition, CalledRuntime, KernelTuner } from "./api/kernel-tuner.ts";
export { createTuner, type Tuner, type TunerOptions } from "./api/tuning/create-tuner.ts";
export {
  createDeviceBench,
  type DeviceBenchOptions,
  type MeasurementHooks,
} from "./api/tuning/device-bench.ts";
export { type LockRequest, lockEntryOf, lockedEntry } from "./api/tuning/locked.ts";
export { isUnplanned } from "./api/tuning/planned-task.ts";
export { createPlanner } from "./api/tuning/planner.ts";
export {
  generatorVersion,
  type RememberedAnswer,
  rememberedAnswer,
  rememberedLosses,
  type StoredTuneOptions,
  tuneWithStore,
} from "./api/tuning/remember.ts";
export { storedDevice } from "./api/tuning/stored-device.ts";
export { type TunedRuntime, type TuneOptions, tune } from "./api/tuning/tune.ts";
export { createWorkerBench, type WorkerBenchOptions } from "./api/tuning/worker-bench.ts";
export {
  type Answer,
  answerOf,
  type Knowledge,
  knowledgeOf,
  type Question,
  startsOf,
} from "./tuner/answer.ts";
export {
  type AdmitOptions,
  type Admitted,
  type Bench,
  type BenchClock,
  type GateName,
  isRefusal,
  type Refusal,
  type Sample,
} from "./tuner/bench.ts";
export type {
  Candidate,
  CandidateKernel,
  CandidateKnob,
  Content,
  KernelNames,
  Planner,
  TuningTask,
  Unplanned,
} from "./tuner/candidate.ts";
export {
  contentId,
  type Database,
  databaseOf,
  faultsText,
  type Known,
  type KnownContent,
  type KnownSize,
  linesOf,
  pruned,
  sizesId,
  withRecords,
} from "./tuner/database.ts";
export {
  type AnswerSource,
  type Effort,
  efforts,
  type Figures,
  type TuneEvent,
  type TuneResult,
} from "./tuner/events.ts";
export {
  type Landscape,
  type LandscapePoint,
  recordedCandidates,
  replayPlanner,
} from "./tuner/landscape.ts";
export {
  emptyLockFile,
  type LockEntry,
  type LockedPlace,
  type LockFile,
  lockFileName,
  printLockFile,
  readLockFile,
  withEntries,
} from "./tuner/lock-file.ts";
export { mergeLines, type Opened, openDatabase } from "./tuner/open-database.ts";
export { type LineFault, printRecord } from "./tuner/record.ts";
export { createRecorder, type Recorder, type RecorderOptions } from "./tuner/recorder.ts";
export {
  replayBench,
  type Simulated,
  type SimulatedBench,
  type SimulationOptions,
  simulatedBench,
} from "./tuner/replay-bench.ts";
export type { KnobEffect } from "./tuner/report/knob-effects.ts";
export { reportPage } from "./tuner/report/page.ts";
export {
  type Environment,
  type ReportBest,
  type ReportCandidate,
  type ReuseLosses,
  type RunReport,
  reportOf,
  type TuningReport,
} from "./tuner/report/report.ts";
export { reuseLosses } from "./tuner/report/reuse-losses.ts";
export { runTuning } from "./tuner/run-tuning.ts";
export type { Measured, Start, TuningHooks, TuningOptions } from "./tuner/session.ts";
export type {
  Store,
  StoredDevice,
  StoredFigures,
  StoreKey,
  TuningRecord,
} from "./tuner/store.ts";
export { sweepSizes } from "./tuner/sweep-sizes.ts";
