/**
 * The compiler and the runtime as the command line uses them: what a user's program has, too.
 * Commands get it as an argument, so that tests can give them another.
 */
import type { DeviceProfile } from "../support/device-profile.ts";
import type { ScalarType, TensorData } from "../support/scalar-type.ts";

/** Dense, row-major. */
export interface HostTensor {
  readonly data: TensorData;
  readonly shape: readonly number[];
}

export type HostTensors = Readonly<Record<string, HostTensor>>;

/** A diagnostic; commands only count them, and hand them to `render` and `record`. */
export interface Diagnostic {
  readonly severity: "error" | "warning";
}

/** A diagnostic as data: lines and columns from 1, offsets in UTF-16 units. */
export interface DiagnosticRecord {
  readonly severity: string;
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
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
}

export interface CompileRequest {
  readonly file: string;
  readonly def?: string;
  /** What flags say; it wins over shapes, and those over `#! sizes`. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Shapes of inputs that are known, by tensor. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
  /** Whole numbers among the inputs: values for parameters that have to be known to compile. */
  readonly scalars?: Readonly<Record<string, number>>;
  /** `default`, `naive`, or what a file of options holds. */
  readonly options?: unknown;
  readonly profile?: DeviceProfile;
  /** Receives each stage by name; `text` makes the text. */
  readonly onStage?: (name: string, text: () => string) => void;
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
  readonly type: ScalarType;
  readonly shape: readonly number[];
}

export type CompileResult =
  | {
      readonly ok: true;
      readonly plan: Plan;
      readonly sizes: Readonly<Record<string, number>>;
      readonly diagnostics: readonly Diagnostic[];
      /** What became of a file of options: answers that are not legal here, or not asked for. */
      readonly notes?: readonly string[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** How far outputs are from the float64 reference. */
export interface Verification {
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
}

export interface WrongElement {
  readonly tensor: string;
  readonly index: readonly number[];
  readonly found: number;
  readonly expected: number;
  readonly allowed: number;
}

/** A device that runs plans. */
export interface Runtime {
  /** One line for people: which adapter it is. */
  readonly adapterText: string;
  readonly profile: DeviceProfile;
  /** Rejects with an error whose `kind` says what went wrong (see RuntimeFault). */
  run(plan: Plan, inputs: HostTensors): Promise<HostTensors>;
  dispose(): void;
}

export interface Toolchain {
  readonly version: string;
  outline(source: string): SourceOutline;
  check(source: string, request: CompileRequest): readonly Diagnostic[];
  compile(source: string, request: CompileRequest): CompileResult;
  /** The float64 reference, its outputs rounded to their types. */
  interpret(source: string, inputs: HostTensors, request: CompileRequest): HostTensors;
  /** Compares outputs with the reference, which may take about as long as the budget. */
  verify(
    source: string,
    inputs: HostTensors,
    outputs: HostTensors,
    request: CompileRequest,
    budgetMs: number,
  ): Verification;
  render(
    diagnostics: readonly Diagnostic[],
    options: { readonly source: string; readonly file: string; readonly format: RenderFormat },
  ): string;
  record(
    diagnostic: Diagnostic,
    options: { readonly source: string; readonly file: string },
  ): DiagnosticRecord;
  openRuntime(options: { readonly adapter: string }): Promise<Runtime>;
}

export type RenderFormat = "text" | "ansi" | "short";
