/**
 * Nodes of the program that may become one kernel, what the mapping knows around them, and what is
 * legal for them.
 */
import { type DeviceProfile, mostInvocations } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Decider } from "../decisions.ts";
import { type Dependence, dependences } from "../dependences/dependences.ts";
import { type Fault, isLegalSchedule, verifySchedule } from "../legality/verify-schedule.ts";
import {
  eachStatementId,
  type Program,
  type ProgramNode,
  type Statement,
  statementOf,
} from "../program.ts";
import { band, type Loop, type Place, type Schedule, teamSize } from "../schedule.ts";

/** What is known, and what grows, while a program is mapped. */
export interface MappingContext {
  /** Grows by what is spread over lanes, and by copies of operands. */
  program: Program;
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly dependences: readonly Dependence[];
  readonly findDependences: (program: Program) => readonly Dependence[];
  /** Temporaries with several slots. */
  readonly folds: readonly Place[];
  readonly places: Place[];
  /** Statements that are no legal kernel even alone in one invocation. */
  readonly stuck: string[];
  /** The first statements of runs that were one kernel and bound more buffers than the device can. */
  readonly crowded: Set<string>;
  /** Kernels so far, for names. */
  kernels: number;
  /** Loops so far that were asked where they run, for names. */
  loops: number;
}

/** Nodes of one list under the same host loops. */
export interface Run {
  readonly nodes: readonly ProgramNode[];
  readonly host: readonly Loop[];
}

/** The statements of some nodes, in order. */
export function statementsIn(
  program: Program,
  nodes: readonly ProgramNode[],
): readonly Statement[] {
  return eachStatementId(nodes).map((id) => statementOf(program, id));
}

/** The program reduced to some nodes inside their host loops. */
export function partOf(program: Program, run: Run): Program {
  const inside = new Set(eachStatementId(run.nodes));
  const keep = (nodes: readonly ProgramNode[]): readonly ProgramNode[] =>
    flatMap(nodes, (n): readonly ProgramNode[] => {
      if (n.kind === "statement") return inside.has(n.statement) ? [n] : [];
      const body = keep(n.body);
      return body.length === 0 ? [] : [{ ...n, body }];
    });
  return {
    ...program,
    statements: program.statements.filter((s) => inside.has(s.id)),
    tree: keep(program.tree),
  };
}

/**
 * A test of schedules of one kernel, with what does not change between calls done once: that they
 * are legal, and need no more invocations in a workgroup than the device has. `added` are
 * statements that were not there when dependences were computed.
 */
export function legality(
  context: MappingContext,
  run: Run,
  added: readonly string[] = [],
): (schedule: Schedule) => boolean {
  const more = added.map((statement): ProgramNode => ({ kind: "statement", statement }));
  const part = partOf(context.program, { ...run, nodes: [...run.nodes, ...more] });
  const known = added.length > 0 ? dependences(part) : knownOf(context, part);
  return legalityOf(context, run, part, known);
}

/** {@link legality} for a part of a program and its dependences. */
export function legalityOf(
  { profile }: MappingContext,
  run: Run,
  part: Program,
  known: readonly Dependence[],
): (schedule: Schedule) => boolean {
  const most = mostInvocations(profile);
  return (schedule) =>
    teamSize(schedule.root) <= most && isLegalSchedule(part, underHost(run, schedule), known);
}

/** What is wrong with schedules of one kernel. */
export function faultsIn(
  context: MappingContext,
  run: Run,
): (schedule: Schedule) => readonly Fault[] {
  const part = partOf(context.program, run);
  const known = knownOf(context, part);
  return (schedule) => verifySchedule(part, underHost(run, schedule), known);
}

/** The dependences between the statements of a part of the program. */
function knownOf(context: MappingContext, part: Program): readonly Dependence[] {
  const ids = new Set(part.statements.map((s) => s.id));
  return context.dependences.filter((d) => ids.has(d.from.statement) && ids.has(d.to.statement));
}

function underHost({ host }: Run, schedule: Schedule): Schedule {
  return { ...schedule, root: band(host, schedule.root) };
}
