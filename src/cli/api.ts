/**
 * The compiler and the runtime as the command line uses them: what a user's program has, too.
 * Commands get it as an argument, so that tests can give them another.
 */
import type { DeviceProfile } from "../support/device-profile.ts";
import type { ElementType, TensorData } from "../support/scalar-type.ts";
import type { Effort, ReuseLosses, TuneEvent, TuneResult } from "../tune.ts";

export type { Effort, Figures, TuneEvent, TuneResult } from "../tune.ts";

/** Dense, row-major. */
export interface HostTensor {
  readonly data: TensorData;
  readonly shape: readonly number[];
}

export type HostTensors = Readonly<Record<string, HostTensor>>;

/** A diagnostic; commands only count them, and hand them to `render` and `records`. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly span: { readonly start: number };
}

/** What a source text says without being compiled. */
export interface SourceOutline {
  readonly definitions: readonly DefinitionOutline[];
  /** What `#! input` lines say, as it is written for `--in`. */
  readonly inputs: Readonly<Record<string, string>>;
}

export interface DefinitionOutline {
  readonly name: string;
  /** The definitions that it calls. */
  readonly calls: readonly string[];
  /** Its sizes, and the scalar parameters that have to be known to compile it. */
  readonly sizes: readonly string[];
  readonly parameters: readonly string[];
  /** What it is another way to compute; null for most. */
  readonly alternativeOf: { readonly name: string; readonly approximate: boolean } | null;
}

/** How a tensor lies in memory: its strides, and what its offset is a multiple of. */
export interface LayoutFlag {
  readonly strides: readonly number[];
  /** Null without an offset. */
  readonly offsetMultiple: 1 | 2 | 4 | null;
}

export interface CompileRequest {
  readonly file: string;
  readonly def?: string;
  /** What flags say; it wins over shapes, and those over `#! sizes`. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Tensors that are views, by name. */
  readonly layouts?: Readonly<Record<string, LayoutFlag>>;
  /** Shapes of inputs that are known, by tensor. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
  /** Whole numbers among the inputs: values for parameters that have to be known to compile. */
  readonly scalars?: Readonly<Record<string, number>>;
  /** `default`, `naive`, or what a file of options holds. */
  readonly options?: unknown;
  readonly profile?: DeviceProfile;
  /** Temporaries that are to be outputs, too. */
  readonly temporaries?: readonly string[];
  /** Receives each stage by name; `text` makes the text. */
  readonly onStage?: (name: string, text: () => string) => void;
}

/** A plan, and the name of the profile that it was compiled for. */
export interface PlanFor {
  readonly profile: string;
  readonly plan: Plan;
}

/** What the commands read of a plan. */
export interface Plan {
  readonly name: string;
  readonly buffers: readonly PlanBuffer[];
  readonly kernels: readonly { readonly wgsl: string }[];
}

export interface PlanBuffer {
  readonly name: string;
  readonly role: "input" | "output" | "inout" | "temporary";
  readonly type: ElementType;
  readonly shape: readonly number[];
}

export type Choice = number | string | boolean;

/** What may be chosen about how a program is mapped to a device: the values on offer, and the one taken. */
export interface Decision {
  readonly path: string;
  readonly values: readonly Choice[];
  readonly value: Choice;
}

export interface Repair {
  readonly path: string;
  readonly asked: Choice;
  readonly used: Choice;
  readonly because?: string;
}

export type CompileResult =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly sizes: Readonly<Record<string, number>>;
      readonly diagnostics: readonly Diagnostic[];
      readonly decisions: readonly Decision[];
      /** Values of a file of options that are not legal here, and what stands for them. */
      readonly repairs: readonly Repair[];
      /** Paths of a file of options that no decision has here. */
      readonly unusedChoices: readonly string[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

export type VerificationDecision = "right" | "wrong" | "undecided";

/** How far outputs are from the float64 reference. */
export interface Verification {
  /** `wrong` if an output is, else `undecided` if one is, else `right`. */
  readonly decision: VerificationDecision;
  /** Elements there are, of all outputs. */
  readonly total: number;
  /** Elements compared: fewer than there are when the budget is spent. */
  readonly compared: number;
  /** Elements that rounding may decide either way, as an arg reduction of near ties; not compared. */
  readonly ambiguous: number;
  /** The largest part of the error allowed that was used; above 1 is wrong. */
  readonly worst: number;
  /** The first wrong elements. */
  readonly wrong: readonly WrongElement[];
  /** The counts of each output. */
  readonly outputs: readonly OutputVerification[];
}

export interface OutputVerification {
  readonly name: string;
  readonly decision: VerificationDecision;
  readonly total: number;
  readonly compared: number;
  readonly ambiguous: number;
  /** Those of the compared ones that samples with random rounding decided. */
  readonly sampled: number;
  /** NaN or infinite in the reference or in the result; and alike in both. */
  readonly notFinite: number;
  readonly notFiniteAlike: number;
  /** The largest error that a compared element may have, and the largest that one has. */
  readonly allowed: number;
  readonly measured: number;
  /** The root mean square of the output. */
  readonly scale: number;
  /** The largest part of an allowed error that was used. */
  readonly worst: number;
}

/** How a verification is limited. */
export interface VerificationLimits {
  readonly budgetMs: number;
  /** A tolerance in the place of what rounding explains; null without. */
  readonly rtol: number | null;
  readonly atol: number | null;
}

export interface WrongElement {
  readonly tensor: string;
  readonly index: readonly number[];
  readonly found: number;
  readonly expected: number;
  readonly allowed: number;
}

export interface RuntimeRequest {
  readonly adapter: string;
  /** Takes each line of what was found out when the adapter was chosen. */
  readonly onNote: (line: string) => void;
}

/** Elements of a tensor that are not finite, and the first of them. */
export interface NonfiniteElements {
  readonly tensor: string;
  readonly count: number;
  readonly index: readonly number[];
  readonly value: number;
}

/** What made a value that is not finite; see `NonfiniteOrigin` of tc-wgsl. */
export interface NonfiniteOrigin {
  readonly tensor: string;
  readonly index: readonly number[];
  readonly at: Readonly<Record<string, number>>;
  readonly operation: string;
  readonly value: number;
  readonly operands: readonly { readonly text: string; readonly value: number }[];
  readonly span: { readonly start: number; readonly end: number };
}

/** Which values are not finite, and what made the first. */
export interface NonfiniteReport {
  readonly inputs: readonly NonfiniteElements[];
  readonly outputs: readonly NonfiniteElements[];
  readonly infinity: NonfiniteOrigin | null;
  readonly nan: NonfiniteOrigin | null;
  readonly searched: "program" | "element" | "nothing";
}

/** How long a kernel takes in one execution of its plan; see `KernelTime` of tc-wgsl/runtime. */
export interface KernelTime {
  readonly kernel: string;
  readonly us: number;
  readonly mad: number;
  readonly n: number;
  readonly dispatches: number;
  readonly measured: "in-order" | "alone";
  readonly work: { readonly bytes: number; readonly operations: number } | null;
}

/** Where the time of a plan goes, and what the adapter can do at most. */
export interface RunTimes {
  /** On the host's clock; the first execution is null if the plan has run before. */
  readonly pipelinesMs: number;
  readonly firstMs: number | null;
  /** Later executions. */
  readonly whole: {
    readonly us: number;
    readonly mad: number;
    readonly n: number;
    readonly clock: string;
    readonly quantumNs: number;
  };
  readonly kernels: readonly KernelTime[];
  /** 10^9 operations, and bytes, per second. */
  readonly ceilings: { readonly gflops: number; readonly gigabytes: number };
  /** All of it in Chrome's trace format, as data for JSON. */
  readonly trace: (compileMs: number) => object;
}

/** What to tune, and how much that may cost. */
export interface TuneRequest {
  readonly def?: string;
  readonly sizes: Readonly<Record<string, number>>;
  /** Null for the least one that has the time of the budget, `quick` without one. */
  readonly effort: Effort | null;
  /** In the place of that of the effort, and of its number of candidates; null without. */
  readonly budgetMs: number | null;
  readonly seed: number;
  /** Alternatives that are marked approximate take part. */
  readonly approximate: boolean;
  /** As for {@link RuntimeRequest}: measurements have a process of their own. */
  readonly adapter: string;
  /** The file of records; null for the user's own. */
  readonly db: string | null;
  /** Ends it with the best so far. */
  readonly signal: AbortSignal;
}

/** What a file of options would hold, and the algorithm that it is for; null for the definition itself. */
export interface KnownOptions {
  readonly options: unknown;
  readonly alternative: string | null;
}

/** What is remembered of a definition, and what people should know of the records, a line each. */
export interface RememberedOptions {
  /** Null where nothing is known. */
  readonly known: KnownOptions | null;
  readonly notes: readonly string[];
}

/** Microseconds of one execution. */
export interface TimedPlan {
  /** The median, and the median deviation from it. */
  readonly us: number;
  readonly mad: number;
  readonly n: number;
  readonly clock: string;
  readonly quantumNs: number;
}

/** A device that runs plans. */
export interface Runtime {
  /** One line for people: which adapter it is. */
  readonly adapterText: string;
  readonly profile: DeviceProfile;
  /** `onStep` hears what is being done. Rejects with an error whose `kind` says what went wrong (see RuntimeFault). */
  run(plan: Plan, inputs: HostTensors, onStep?: (text: string) => void): Promise<HostTensors>;
  /** Executes the plan again and again, and measures it; rejects like `run`. */
  time(plan: Plan, inputs: HostTensors): Promise<RunTimes>;
  /** Measures plans of the same inputs in turns; rejects like `run`. */
  timeInTurns(plans: readonly Plan[], inputs: HostTensors): Promise<readonly TimedPlan[]>;
  /**
   * The best options that are remembered for this device, of the file of records or the user's own; none of `refused`.
   */
  tuned(
    source: string,
    request: CompileRequest,
    db: string | null,
    refused?: readonly KnownOptions[],
  ): Promise<RememberedOptions>;
  /** What options of one size lose at others, by the same records; null where they do not say. */
  reuse(source: string, request: CompileRequest, db: string | null): Promise<ReuseLosses | null>;
  /** Searches for the best options on this device; the last event is `done`. */
  tune(source: string, request: TuneRequest): AsyncIterable<TuneEvent>;
  dispose(): void;
}

/** Checks plans with a WGSL compiler, without a device. */
export interface Validator {
  /** What is wrong with a plan, which is our own bug; null if nothing is. */
  validate(plan: Plan): Promise<string | null>;
  dispose(): void;
}

/** The page of a code. */
export interface Explanation {
  readonly code: string;
  /** A few words, and whether it is a warning. */
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

/** What is remembered of one content at one set of sizes, on one device. */
export interface RecordedAnswer {
  /** Of the content: a definition or a kernel, whatever its names. */
  readonly key: string;
  readonly sizes: readonly number[];
  readonly types: readonly string[];
  /** For people. */
  readonly device: string;
  /** Of the best; null where nothing ran. Those of the default beside it are null where they are not known. */
  readonly us: number | null;
  readonly defaultUs: number | null;
  /** Candidates of which something is known. */
  readonly tried: number;
  readonly choices: object | null;
  readonly generator: string;
  /** Seconds since 1970, of the best. */
  readonly at: number | null;
}

/** The records of a file. */
export interface Records {
  readonly path: string;
  /** What is wrong with the file; null where nothing is. */
  readonly fault: string | null;
  readonly answers: readonly RecordedAnswer[];
  /** All records, as lines. */
  readonly lines: readonly string[];
  /** Takes in lines of another file: how many were new, and what is wrong with the others. */
  merge(
    lines: readonly string[],
  ): Promise<{ readonly added: number; readonly fault: string | null }>;
  /** Drops what is of no use; how many lines that were. */
  prune(): Promise<number>;
}

/** The records of a file, for a page of this machine. */
export interface ServedRecords {
  /** All that can be read, and what people should know of the rest, a line each. */
  read(): Promise<{
    /** Of the file. */
    readonly name: string;
    readonly lines: readonly string[];
    readonly notes: readonly string[];
  }>;
  /** Appends those of some lines that are records; how many those are. Rejects with an error that says what to do. */
  append(lines: readonly string[]): Promise<number>;
}

/** A report of tuning, as data and as a page of HTML. */
export interface TuningReport {
  readonly data: object;
  readonly page: string;
}

export interface Toolchain {
  readonly version: string;
  outline(source: string): SourceOutline;
  check(source: string, request: CheckRequest): readonly Diagnostic[];
  /** Throws RangeError for layouts that a tensor cannot have, and tensors to keep that are none. */
  compile(source: string, request: CompileRequest): CompileResult;
  /** The float64 reference, its outputs rounded to their types. */
  interpret(source: string, inputs: HostTensors, request: CompileRequest): HostTensors;
  /** Compares outputs with the reference, which may take about as long as the budget. */
  verify(
    source: string,
    inputs: HostTensors,
    outputs: HostTensors,
    request: CompileRequest,
    limits: VerificationLimits,
  ): Verification;
  /** Finds what made the first value that is not finite; the search may take about so long. */
  findNonfinite(
    source: string,
    inputs: HostTensors,
    outputs: HostTensors,
    request: CompileRequest,
    budgetMs: number,
  ): NonfiniteReport;
  /** A plan, or one for each of some profiles, as a module of JavaScript, or as the types of that. */
  emit(plans: Plan | readonly PlanFor[], form: "js" | "dts"): string;
  /** A plan as data. */
  emitData(plan: Plan): string;
  /** What the kernels of a plan ask of a GPU: a table, and the fields of a record of each. */
  facts(
    plan: Plan,
    profile: DeviceProfile | undefined,
  ): { readonly text: string; readonly records: readonly object[] };
  /** The pages of all codes, in their order. */
  explanations(): Promise<readonly Explanation[]>;
  /** The source in the one style; as it is where it has syntax errors. */
  format(source: string): string;
  /** Makes the fixes of diagnostics: the new text, and the diagnostics whose fix was made. */
  fix(
    source: string,
    diagnostics: readonly Diagnostic[],
  ): { readonly source: string; readonly applied: readonly Diagnostic[] };
  render(
    diagnostics: readonly Diagnostic[],
    options: { readonly source: string; readonly file: string; readonly format: RenderFormat },
  ): string;
  /** The fields of a record of each. */
  records(
    diagnostics: readonly Diagnostic[],
    options: { readonly source: string; readonly file: string },
  ): readonly object[];
  openRuntime(options: RuntimeRequest): Promise<Runtime>;
  /** `environment`: facts about where it ran, in words; `reuse`: see {@link Runtime.reuse}. */
  tuningReport(
    events: readonly TuneEvent[],
    environment: Readonly<Record<string, string>>,
    reuse: ReuseLosses | null,
  ): Promise<TuningReport>;
  /** The options that a file of locked options has for a request; or why it has none. */
  lockedOptions(
    lock: string,
    source: string,
    request: CompileRequest,
  ): Promise<KnownOptions | { readonly missing: string }>;
  /** The text of such a file with what was found for a device; or what is wrong with the one before. */
  lockText(
    before: string | null,
    result: TuneResult,
    source: string,
    profile: DeviceProfile,
  ): Promise<string | { readonly fault: string }>;
  /** What tuning remembers: of a file, or of the user's own for null. Rejects with an error that says what to do. */
  openRecords(path: string | null): Promise<Records>;
  /** Rejects like {@link Toolchain.openRuntime}. */
  openValidator(): Promise<Validator>;
  /**
   * Serves the playground until the process is asked to end. Rejects with an error whose `code` is that
   * of Node where the port is taken, and where the page was not built.
   */
  serve(options: ServeOptions): Promise<void>;
}

/** What to serve the playground with. */
export interface ServeOptions {
  /** 0: any that is free. */
  readonly port: number;
  /** The program of a file, which is read each time that the file changes; null without one. */
  readonly program: {
    readonly path: string;
    readonly read: () => Promise<{ readonly file: string; readonly source: string }>;
  } | null;
  /** The file of records that the page shares; the user's own for null. */
  readonly db: string | null;
  /** Called once it is there. */
  readonly onStart: (url: string) => void;
}

/** What a check may know. */
export type CheckRequest = Pick<CompileRequest, "file" | "def" | "sizes">;

export type RenderFormat = "text" | "ansi" | "short" | "github";
