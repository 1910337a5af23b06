/** The origins of what lowering makes of statements and of the loops of a schedule. */
import { coefficientOf } from "../../ir/affine.ts";
import { indicesOf } from "../../ir/domain.ts";
import type { Expression } from "../../ir/expression.ts";
import {
  type Access,
  type Index,
  type Program,
  type Statement,
  spansOf,
  statementOf,
} from "../../ir/program.ts";
import type { LeafContext, Phase } from "../../ir/schedule.ts";
import { computedExpressions, readsIn } from "../../ir/statement-parts.ts";
import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import { type Origin, type OriginPart, uniteOrigins } from "../origin.ts";
import { visitKernelExpression } from "../walk-kernel.ts";
import type { Grid } from "./grid.ts";
import type { KernelContext } from "./scope.ts";

/** What a kernel may have of a statement. */
interface StatementOrigins {
  /** By number of the read. */
  readonly reads: readonly Origin[];
  readonly write: Origin;
  readonly state: Origin;
}

const originsOf: (statement: Statement) => StatementOrigins = remember((s) => {
  const { id: statement } = s;
  const whole = spansOf(s);
  return {
    reads: s.reads.map(({ tensor, spans = whole }): Origin => {
      return [{ kind: "read", statement, tensor, spans }];
    }),
    write: [
      {
        kind: "write",
        statement,
        tensor: s.write.tensor,
        spans: s.write.span === undefined ? whole : [s.write.span],
      },
    ],
    state: [{ kind: "state", statement, spans: whole }],
  };
});

/** The origin of what stores the elements of a statement. */
export function writeOrigin(statement: Statement): Origin {
  return originsOf(statement).write;
}

/** The origin of all that a phase of a statement does. */
export function leafOrigin(statement: Statement, phase: Phase): Origin {
  const { reads, write, state } = originsOf(statement);
  const readIn = (roots: readonly Expression[]): Origin =>
    flatMap([...readsIn(statement, roots)], (n) => reads[n] ?? []);
  switch (phase) {
    case "whole":
      return [...write, ...readIn(computedExpressions(statement))];
    case "init":
      return [...state, ...readIn(statement.reduction?.init ?? [])];
    case "update":
      return [...state, ...readIn(statement.body)];
    case "finish":
      return write;
  }
}

/** The origin of what keeps and changes the running state of a reduction. */
export function stateOrigin(statement: Statement): Origin {
  return originsOf(statement).state;
}

/** The origin of what loads for a read, which is one of the statement's. */
export function readOrigin(statement: Statement, access: Access): Origin {
  return originsOf(statement).reads[statement.reads.indexOf(access)] ?? stateOrigin(statement);
}

/** The origin of what loads or stores whole fragments of the access with that index. */
export function fragmentOrigin(s: Statement, tensor: string, index: readonly Index[]): Origin {
  const { reads, write } = originsOf(s);
  const read = s.reads.findIndex((r) => r.tensor === tensor && r.index === index);
  return reads[read] ?? write;
}

/** The origins of the loops around some leaves, by loop. */
export function loopOrigins(
  program: Program,
  leaves: readonly LeafContext[],
): ReadonlyMap<string, Origin> {
  const found = new Map<string, Map<string, LoopPart>>();
  for (const { leaf, loops } of leaves) {
    const s = statementOf(program, leaf.statement);
    for (const { id } of loops) {
      const parts = found.get(id) ?? new Map<string, LoopPart>();
      found.set(id, parts);
      const along = s.domain.dims.filter((d) => {
        const bound = leaf.binding.get(d.name);
        return bound !== undefined && coefficientOf(bound, id) !== 0;
      });
      const known = parts.get(s.id)?.indices ?? [];
      const indices = [...new Set([...known, ...flatMap(along, indicesOf)])];
      parts.set(s.id, { kind: "loop", statement: s.id, loop: id, indices, spans: spansOf(s) });
    }
  }
  return new Map([...found].map(([id, parts]) => [id, ofMoving([...parts.values()])]));
}

type LoopPart = Extract<OriginPart, { kind: "loop" }>;

/** The statements that a loop moves; all that it repeats where it moves none. */
function ofMoving(parts: readonly LoopPart[]): Origin {
  const moving = parts.filter((p) => p.indices.length > 0);
  return moving.length === 0 ? parts : moving;
}

/**
 * Of the loops that builtins and step slots number, by builtin and by the Repeat variable of the slot; of
 * those that the grid computes, also by the variable that is named after the loop.
 */
export function numberedLoops(
  { loops, steps, variables }: KernelContext,
  grid: Grid,
): Readonly<Record<string, Origin>> {
  const found = new Map<string, Origin>();
  const note = (name: string, origin: Origin): void => {
    found.set(name, uniteOrigins(found.get(name) ?? [], origin));
  };
  for (const [id, origin] of loops) {
    const named = grid.computed.has(id) ? variables.get(id)?.expression : undefined;
    if (named?.kind === "variable") note(named.name, origin);
    const expression = (grid.variables.get(id) ?? variables.get(id))?.expression;
    if (expression === undefined) continue;
    visitKernelExpression(expression, (e) => {
      if (e.kind === "builtin") note(e.builtin, origin);
      const step = e.kind === "step" ? steps[e.slot] : undefined;
      if (step !== undefined) note(step, origin);
    });
  }
  return Object.fromEntries(found);
}
