/**
 * What the page and its workers say to each other. Each request has a number, and gets one answer or
 * one failure; events come unasked.
 */

import type { PlanData } from "../../src/emit.ts";
import type { ElementType, TensorData, Verification } from "../../src/index.ts";
import type { Ceilings, Profile } from "../../src/runtime.ts";
import type { TuneEvent } from "../../src/tune.ts";
import type { CheckedView, CompileAnswer, CompileJob } from "./compile/compile-source.ts";
import type { DetailAnswers } from "./compile/details.ts";
import type { GpuState } from "./run/gpu-state.ts";
import type { InputChoice } from "./run/inputs.ts";
import type { RecordsAnswer, RecordsJob } from "./tune/records.ts";
import type { Tuned, TuneJob } from "./tune/tune-job.ts";

/** A dense tensor. */
export interface TensorValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** A program with its inputs: what is run, and what the reference computes. */
export interface RunJob {
  readonly source: string;
  readonly def: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly plan: PlanData;
  /** By tensor; see `run/inputs.ts`. */
  readonly inputs: Readonly<Record<string, InputChoice>>;
}

/** What is made of a compilation when it is asked for; null where the job does not compile. */
interface DetailCall<Kind extends keyof DetailAnswers> {
  readonly ask: { readonly job: CompileJob };
  readonly answer: DetailAnswers[Kind] | null;
}

/** What may be asked of a worker, by kind: the fields of the request, and its answer. */
export interface WorkerCalls {
  /** Tells in an event what is known before it is compiled; null where it was dropped by then. */
  readonly compile: {
    readonly ask: { readonly job: CompileJob };
    readonly answer: CompileAnswer | null;
  };
  /** Nobody wants the answer of `compile` any more. */
  readonly "drop-compiling": { readonly ask: object; readonly answer: null };
  readonly links: DetailCall<"links">;
  readonly host: DetailCall<"host">;
  readonly knobs: DetailCall<"knobs">;
  readonly facts: DetailCall<"facts">;
  readonly product: DetailCall<"product">;
  /** The program of a formula as `numpy.einsum` takes it. */
  readonly einsum: { readonly ask: { readonly formula: string }; readonly answer: string };
  /** The source in the one style of the language; as it is where it cannot be read. */
  readonly format: { readonly ask: { readonly source: string }; readonly answer: string };
  /** Opens a device, or says why there is none. */
  readonly open: { readonly ask: object; readonly answer: GpuState };
  readonly run: { readonly ask: { readonly job: RunJob }; readonly answer: RunAnswer };
  /** Times what was run last. */
  readonly time: { readonly ask: object; readonly answer: TimeAnswer };
  /** Measures what the device can do at most. */
  readonly ceilings: { readonly ask: object; readonly answer: Ceilings };
  readonly reference: {
    readonly ask: { readonly job: RunJob; readonly maxPoints: number };
    readonly answer: readonly TensorValue[];
  };
  readonly verify: {
    readonly ask: {
      readonly job: RunJob;
      readonly outputs: readonly TensorValue[];
      readonly maxPoints: number;
    };
    readonly answer: VerifyAnswer;
  };
  /** Tells what it finds in events. */
  readonly tune: { readonly ask: { readonly job: TuneJob }; readonly answer: Tuned };
  /** Lets what `tune` began wait, or go on. */
  readonly "pause-tuning": { readonly ask: { readonly isPaused: boolean }; readonly answer: null };
  /** Ends what `tune` began, with the best so far. */
  readonly "stop-tuning": { readonly ask: object; readonly answer: null };
  /** Reads or changes what is remembered of tuning; `url`: see `recordsJob`. */
  readonly records: {
    readonly ask: { readonly job: RecordsJob; readonly url: string | null };
    readonly answer: RecordsAnswer;
  };
}

export interface RunAnswer {
  readonly outputs: readonly TensorValue[];
  /** From the submission until the results are here. */
  readonly ms: number;
  /** What was done to inputs that come from files. */
  readonly notes: readonly string[];
}

/** How long it takes, and each of its kernels. */
export type TimeAnswer = Pick<Profile, "whole" | "kernels"> | SlicedTime;

/** The sums of the times of launches, of one execution: where whole dispatches would take too long to repeat them. */
export interface SlicedTime {
  readonly whole: { readonly us: number };
  readonly kernels: readonly {
    readonly kernel: string;
    readonly us: number;
    readonly launches: number;
  }[];
  readonly launches: number;
}

export interface VerifyAnswer {
  readonly verification: Verification;
  /** The reference of those outputs of which it computed all. */
  readonly expected: readonly TensorValue[];
}

export type WorkerKind = keyof WorkerCalls;

export type WorkerRequest = {
  readonly [Kind in WorkerKind]: { readonly kind: Kind } & WorkerCalls[Kind]["ask"];
}[WorkerKind];

/** What a worker is sent. */
export interface WorkerMessage {
  readonly id: number;
  readonly request: WorkerRequest;
}

/** What a worker sends. */
export type WorkerReply =
  | { readonly id: number; readonly ok: true; readonly value: WorkerCalls[WorkerKind]["answer"] }
  | { readonly id: number; readonly ok: false; readonly message: string; readonly next: string }
  | WorkerEvent;

/** What a worker sends unasked. */
export type WorkerEvent =
  | { readonly event: "gpu"; readonly state: GpuState }
  /** Of the latest source that is being compiled. */
  | { readonly event: "checked"; readonly found: CheckedView }
  | { readonly event: "tune"; readonly update: TuneEvent };
