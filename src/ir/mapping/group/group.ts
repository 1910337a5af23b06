/**
 * Statements that share a kernel, what is known around them, and what is legal for them.
 *
 * A group is all that offering, choosing, repairing and building a kernel's mapping look at. What follows
 * from it alone is computed once for each group (support/remember.ts).
 */
import { defined } from "../../../support/assert.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { remember } from "../../../support/remember.ts";
import type { Dependence } from "../../dependences/dependences.ts";
import { type Fault, isLegalSchedule, verifySchedule } from "../../legality/verify-schedule.ts";
import {
  eachStatementId,
  type Program,
  type ProgramNode,
  type Statement,
  statementOf,
} from "../../program.ts";
import { band, type Loop, type Place, type Schedule } from "../../schedule.ts";
import type { Axis } from "./axes.ts";

/** Finds the dependences of a program; another one than usual in tests of what a missed one does. */
export type FindDependences = (program: Program) => readonly Dependence[];

/** Nodes of one list of the program's tree, under the same host loops. */
export interface Run {
  readonly nodes: readonly ProgramNode[];
  readonly host: readonly Loop[];
}

/** Nodes in a program, and which of its accesses must keep their order. */
export interface Part extends Run {
  readonly program: Program;
  /** Those of the whole program, or of the part. */
  readonly dependences: readonly Dependence[];
  /** Temporaries with several slots. */
  readonly folds: readonly Place[];
}

/** A part that is one kernel. */
export interface Group extends Part {
  readonly statements: readonly Statement[];
  /** The axes under which the group is legal as a plain kernel. */
  readonly axes: readonly Axis[];
  readonly findDependences: FindDependences;
  /** What the names of the kernel's loops begin with. */
  readonly prefix: string;
}

/** The temporaries that have several slots: these are in storage. */
export function foldedTensors({ folds }: Pick<Part, "folds">): ReadonlySet<string> {
  return new Set(flatMap(folds, ({ target }) => (target.kind === "tensor" ? [target.tensor] : [])));
}

/** The statements of some nodes, in order. */
export function statementsIn(
  program: Program,
  nodes: readonly ProgramNode[],
): readonly Statement[] {
  return eachStatementId(nodes).map((id) => statementOf(program, id));
}

type LoopNode = Extract<ProgramNode, { readonly kind: "loop" }>;

/** The loops of a program's tree by name. */
const loopNodes: (program: Program) => ReadonlyMap<string, LoopNode> = remember(
  ({ tree }: Program) => {
    const found = new Map<string, LoopNode>();
    const visit = (nodes: readonly ProgramNode[]): void => {
      for (const node of nodes) {
        if (node.kind === "statement") continue;
        found.set(node.name, node);
        visit(node.body);
      }
    };
    visit(tree);
    return found;
  },
);

/** The program reduced to some nodes inside their host loops. */
export function partOf(program: Program, { nodes, host }: Run): Program {
  const loops = loopNodes(program);
  const tree = host.reduceRight<readonly ProgramNode[]>(
    (body, { id }) => [{ ...defined(loops.get(id), "loop", id), body }],
    nodes,
  );
  return { ...program, statements: statementsIn(program, nodes), tree };
}

/** The program reduced to some statements, in their places. */
export function partWith(program: Program, ids: ReadonlySet<string>): Program {
  const keep = (nodes: readonly ProgramNode[]): readonly ProgramNode[] =>
    flatMap(nodes, (n): readonly ProgramNode[] => {
      if (n.kind === "statement") return ids.has(n.statement) ? [n] : [];
      const body = keep(n.body);
      return body.length === 0 ? [] : [{ ...n, body }];
    });
  const statements = program.statements.filter((s) => ids.has(s.id));
  return { ...program, statements, tree: keep(program.tree) };
}

/** The dependences between some statements. */
function dependencesAmong(
  ids: ReadonlySet<string>,
  all: readonly Dependence[],
): readonly Dependence[] {
  return all.filter((d) => ids.has(d.from.statement) && ids.has(d.to.statement));
}

/** The dependences between the statements of a part of the program. */
function dependencesOf({ statements }: Program, all: readonly Dependence[]): readonly Dependence[] {
  return dependencesAmong(new Set(statements.map((s) => s.id)), all);
}

function underHost({ host }: Run, schedule: Schedule): Schedule {
  return { ...schedule, root: band(host, schedule.root) };
}

/**
 * Whether schedules of a kernel keep the dependences of the program's part that it executes: all, or those among some
 * statements, where all others are in an order that is known to be legal.
 */
export const legalityOf: (
  part: Part,
) => (schedule: Schedule, among?: ReadonlySet<string>) => boolean = remember((part: Part) => {
  const inside = partOf(part.program, part);
  const known = dependencesOf(inside, part.dependences);
  return (schedule, among) =>
    isLegalSchedule(
      inside,
      underHost(part, schedule),
      among === undefined ? known : dependencesAmong(among, known),
    );
});

/** {@link legalityOf} a group with statements that were not there when its dependences were found. */
export function legalityWith(
  group: Group,
  program: Program,
  added: readonly string[],
): (schedule: Schedule) => boolean {
  const inside = partWith(program, new Set([...eachStatementId(group.nodes), ...added]));
  const known = group.findDependences(inside);
  return (schedule) => isLegalSchedule(inside, underHost(group, schedule), known);
}

/** What is wrong with schedules of a kernel. */
export function faultsIn(part: Part): (schedule: Schedule) => readonly Fault[] {
  const inside = partOf(part.program, part);
  const known = dependencesOf(inside, part.dependences);
  return (schedule) => verifySchedule(inside, underHost(part, schedule), known);
}

/** Names of the program loops around a kernel. */
export function hostOf({ host }: Run): ReadonlySet<string> {
  return new Set(host.map((l) => l.id));
}
