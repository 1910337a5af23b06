/** The compiler: pure, synchronous, on any machine. */
export {
  type Checked,
  type CheckRequest,
  check,
} from "./api/check.ts";
export {
  type FindNonfiniteRequest,
  findNonfinite,
  type NonfiniteElements,
  type NonfiniteReport,
} from "./api/find-nonfinite.ts";
export { type EinsumNames, fromEinsum } from "./api/from-einsum.ts";
export type { HostInput, HostInputs, HostTensor, HostTensors } from "./api/host-tensors.ts";
export { type InterpretRequest, interpret } from "./api/interpret.ts";
export { type KernelOrigins, type Origins, originsOf } from "./api/origins.ts";
export { type DefinitionOutline, type Outline, outline } from "./api/outline.ts";
export { type PassRun, passesOf, printPasses } from "./api/passes.ts";
export { printStage } from "./api/print-stage.ts";
export {
  type IndexRange,
  type RangesRequest,
  ranges,
  type StatementRanges,
} from "./api/ranges.ts";
export { type ReadSource, readSource } from "./api/read-source.ts";
export { TcError } from "./api/tc-error.ts";
export {
  type OutputVerification,
  type Verification,
  type VerifyRequest,
  verify,
  type WrongElement,
} from "./api/verify.ts";
export { type Bound, type Estimate, estimate } from "./codegen/facts/estimate.ts";
export { facts } from "./codegen/facts/facts.ts";
export type { AccessFacts, KernelFacts } from "./codegen/facts/kernel-facts.ts";
export { printFacts } from "./codegen/facts/print-facts.ts";
export { type Veto, vetoes } from "./codegen/facts/vetoes.ts";
export type { Origin, OriginPart } from "./codegen/origin.ts";
export type { Plan, PlanBuffer, PlanKernel, Step } from "./codegen/plan.ts";
export {
  type Compiled,
  type CompileRequest,
  type CompileResult,
  compile,
  type LayoutInput,
  type StageResult,
} from "./compile.ts";
export { applyFixes, type Fixed } from "./diagnostics/apply-fixes.ts";
export type { Diagnostic, Fix, Label, Severity } from "./diagnostics/diagnostic.ts";
export {
  type DiagnosticRecord,
  diagnosticRecord as record,
  diagnosticRecords as records,
} from "./diagnostics/render/record.ts";
export {
  type RenderFormat,
  type RenderOptions,
  renderDiagnostics as render,
} from "./diagnostics/render.ts";
export type { Span } from "./diagnostics/span.ts";
export { format } from "./frontend/format/format.ts";
export type { NamedValue, NonfiniteOrigin } from "./ir/interpret/find-nonfinite.ts";
export { boundPath, canonicalChoice, canonicalPath } from "./ir/mapping/canonical-names.ts";
export type { Decision, Repair } from "./ir/mapping/map-program.ts";
export { mappingOf, pathsOf } from "./ir/mapping/mapping.ts";
export { type FaultKind, RuntimeFault } from "./runtime/runtime-fault.ts";
export {
  type DeviceFamily,
  type DeviceFigures,
  deviceFamilies,
  type FamilyName,
} from "./support/device-families.ts";
export {
  baselineProfile,
  type DeviceCosts,
  type DeviceFeatures,
  type DeviceLimits,
  type DeviceProfile,
  namedProfiles,
} from "./support/device-profile.ts";
export {
  type Choice,
  type Choices,
  type Mapping,
  mappingFault,
  mappingVersion,
  type PolicyName,
  policyNames,
} from "./support/mapping-file.ts";
export type {
  ElementType,
  HalfArray,
  ScalarType,
  TensorData,
  TypedArrays,
} from "./support/scalar-type.ts";
