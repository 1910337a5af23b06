/**
 * Barriers and exchanges must stand under uniform control flow, by the rules that Tint applies (to
 * subgroups as to workgroups): conditions may depend on literals, workgroup ids, step indices and read-only storage at uniform indices, never on
 * the local index or on memory that the kernel can write. A mutable variable is uniform if everything
 * that is assigned to it is, under uniform control flow (Tint follows the flow and allows more). The ends
 * of loops must be uniform everywhere.
 *
 * Statements about fragments too; and where these lie in memory, and from which lane an exchange takes,
 * may depend on the number of the subgroup besides.
 */
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { kernelOperands, statementExpressions } from "../walk-kernel.ts";

interface Analysis {
  /** Whose invocations are to agree. */
  readonly among: "workgroup" | "subgroup";
  readonly readOnly: ReadonlySet<string>;
  /** Variables whose value may differ between invocations; grows. */
  readonly varying: Set<string>;
  /** Filled once `varying` is complete. */
  readonly flow: string[];
  readonly indices: string[];
}

function isUniform(e: KernelExpression, analysis: Analysis): boolean {
  if (e.kind === "builtin" && e.builtin === "subgroup") return analysis.among === "subgroup";
  if (e.kind === "builtin") return e.builtin !== "local-index" && e.builtin !== "lane";
  if (e.kind === "variable") return !analysis.varying.has(e.name);
  if (e.kind === "load" && !analysis.readOnly.has(e.array)) return false;
  return kernelOperands(e).every((part) => isUniform(part, analysis));
}

function demandUniform(
  { kind }: KernelStatement,
  path: string,
  uniform: boolean,
  { flow }: Analysis,
): void {
  if (!uniform) flow.push(`${path}: ${kind} under control flow that is not uniform`);
}

function visit(s: KernelStatement, path: string, uniform: boolean, analysis: Analysis): void {
  switch (s.kind) {
    case "declare":
      if (!isUniform(s.value, analysis)) analysis.varying.add(s.name);
      break;
    case "assign":
      if (!uniform || !isUniform(s.value, analysis)) analysis.varying.add(s.name);
      break;
    case "exchange":
      // Also what is the same in all lanes: subgroups differ, and Tint takes it for different.
      analysis.varying.add(s.name);
      demandUniform(s, path, uniform, analysis);
      if (s.how.kind === "broadcast" && !isUniform(s.how.lane, analysis)) {
        analysis.indices.push(`${path}: a lane that gives is not the same for all that take`);
      }
      break;
    case "barrier":
      demandUniform(s, path, uniform, analysis);
      break;
    case "fragment":
    case "multiply":
    case "store-fragment":
      demandUniform(s, path, uniform, analysis);
      if (statementExpressions(s).some((e) => !isUniform(e, analysis))) {
        analysis.indices.push(`${path}: an index of a fragment is not the same in all lanes`);
      }
      break;
    case "loop":
      if (s.end !== undefined && !isUniform(s.end, analysis)) {
        analysis.flow.push(`${path}: the end of loop ${s.variable} is not uniform`);
      }
      visitList(s.body, `${path}.${s.variable}`, uniform, analysis);
      break;
    case "if": {
      const both = uniform && isUniform(s.condition, analysis);
      visitList(s.then, `${path}.then`, both, analysis);
      visitList(s.else, `${path}.else`, both, analysis);
      break;
    }
    case "store":
    case "atomic":
      break;
  }
}

function visitList(
  body: readonly KernelStatement[],
  path: string,
  uniform: boolean,
  analysis: Analysis,
): void {
  body.forEach((s, n) => {
    visit(s, `${path}[${n}]`, uniform, analysis);
  });
}

/** The faults of one analysis: what is demanded of control flow, or of indices. */
function faultsAmong(
  kernel: Kernel,
  among: Analysis["among"],
): { readonly flow: readonly string[]; readonly indices: readonly string[] } {
  const readOnly = new Set(
    kernel.arrays.filter((a) => a.space === "storage" && a.access === "read").map((a) => a.id),
  );
  const varying = new Set<string>();
  for (;;) {
    const before = varying.size;
    const analysis = { among, readOnly, varying, flow: [], indices: [] };
    visitList(kernel.body, "body", true, analysis);
    if (varying.size === before) return analysis;
  }
}

/**
 * The barriers, exchanges and fragments that not all invocations of a workgroup are sure to reach
 * together, and indices of fragments that not all lanes of a subgroup agree about.
 */
export function uniformityFaults(kernel: Kernel): readonly string[] {
  const { flow } = faultsAmong(kernel, "workgroup");
  return [...flow, ...faultsAmong(kernel, "subgroup").indices];
}
