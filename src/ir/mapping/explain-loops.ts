/** What became of the loops of a program, in words. */
import { flatMap } from "../../support/flat-map.ts";
import { coefficientOf } from "../affine.ts";
import { chainOf, mayOverflow } from "../algebraic/chain.ts";
import { programLoops } from "../algebraic/loop-graph.ts";
import { findStatement, type Program, type Statement, statementOf } from "../program.ts";
import { eachLeaf, isLocal, type LeafContext, type Loop } from "../schedule.ts";
import { outerLoop } from "./group/own-loops.ts";
import type { Decision, Mapped } from "./map-program.ts";

/** The statement that a part was made of, or itself. */
function sourceOf(program: Program, id: string): Statement | undefined {
  for (let name = id; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const found = findStatement(program, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a rewrite made of a loop, as its decision says; nothing for others. */
function rewriteText(program: Program, { path, value }: Decision): readonly string[] {
  const [, part, id = "", family, dim = ""] = path.split("/");
  if (part !== "statements" || value === false || value === "no") return [];
  const loop = sourceOf(program, id)?.loops[Number(dim.slice(1))] ?? dim;
  if (family === "terms") return [`${id}: terms that ${loop} does not change are added up apart`];
  if (family === "leave")
    return [`${id}: waits for no step of ${loop}, runs for all of them at once`];
  if (family === "skew") {
    return [
      `${id}: ${loop} and the loop inside of it run in wavefronts, each of which waits for the one before`,
    ];
  }
  if (family !== "scan") return [];
  if (dim.startsWith("t")) {
    return [`${id}: ${value} steps of ${loop} at a time, which are composed to one side by side`];
  }
  const how = value === "whole" ? "in one piece" : `in chunks of ${value}`;
  return [`${id}: scanned ${how}, each result from the one before`];
}

/** The tensors of which each iteration of a loop writes another buffer than the one that it reads. */
function turnsText({ schedule }: Mapped): readonly string[] {
  return flatMap(schedule.places, ({ target, space, fold }) =>
    target.kind === "tensor" && space === "storage" && fold !== null && fold.slots > 1
      ? [
          `${target.tensor}: ${fold.slots} buffers take turns over ${fold.loop}, since others still read what it held before`,
        ]
      : [],
  );
}

/** What keeps the steps of a recurrence in order though they compose. */
function orderText(program: Program, s: Statement): readonly string[] {
  const found = s.loops.length === 0 ? "" : chainOf(s);
  const why = typeof found === "string" ? undefined : mayOverflow(program, found);
  return why === undefined ? [] : [`${s.id}: one step after the other, since ${why}`];
}

/** The dims of a leaf's statement that some loops number. */
function dimsOf({ leaf }: LeafContext, loops: readonly Loop[]): readonly string[] {
  return [...leaf.binding].flatMap(([dim, affine]) =>
    loops.some((l) => l.extent > 1 && coefficientOf(affine, l.id) !== 0) ? [dim] : [],
  );
}

/** Whether a loop deals what a point of the axes has to a team, which waits for each other from step to step. */
function isTeam({ id }: Loop): boolean {
  return id.includes(".team");
}

/** The invocations that go through a loop together, with what each of such has to itself. */
function sharersText(own: readonly LeafContext[], { id }: Loop): string {
  const dims = (is: (l: Loop) => boolean): readonly string[] => {
    const found = flatMap(own, (c) => {
      const at = c.loops.findIndex((l) => l.id === id);
      return dimsOf(
        c,
        c.loops.filter((l, n) => (n < at || isTeam(l)) && is(l)),
      );
    });
    return [...new Set(found)];
  };
  const ofAxes = dims((l) => isLocal(l.on) && !isTeam(l));
  const rows = [...new Set([...dims(({ on }) => on === "grid"), ...ofAxes])];
  const shared = dims(isTeam).some((dim) => !rows.includes(dim));
  const some = ofAxes.length > 0 ? "some of a workgroup" : "one workgroup";
  const one = shared ? some : "one invocation";
  const each = rows.length === 0 ? one : `${rows.join(", ")}: distance 0, ${one} for each`;
  return shared ? `${each}, with barriers between steps` : each;
}

/** How a loop of the mapped program runs. */
function loopText(
  { program, schedule }: Mapped,
  name: string,
  decisions: readonly Decision[],
): string {
  const isOwn = ({ id }: { readonly id: string }): boolean => id === name || id === outerLoop(name);
  const inside = eachLeaf(schedule.root).filter(({ loops }) => loops.some(isOwn));
  const loop = inside[0]?.loops.find(isOwn);
  if (loop === undefined) return `${name}: never runs`;
  if (loop.on === "host") {
    const offered = decisions.find((d) => d.path === `structure/loops/${name}/on`)?.values ?? [];
    const why = offered.includes("serial")
      ? "which takes no longer than one for all of them"
      : "since workgroups wait for each other from step to step";
    return `${name}: ${loop.extent} steps, dispatches for each, ${why}`;
  }
  const own = inside.filter(({ leaf }) =>
    statementOf(program, leaf.statement).loops.includes(name),
  );
  return `${name}: sequential inside of one dispatch; ${sharersText(own, loop)}`;
}

/**
 * A line for each rewrite of a loop and for each loop that is left: how it runs, and why. No lines where there are
 * neither.
 */
export function explainLoops(
  program: Program,
  mapped: Mapped,
  decisions: readonly Decision[],
): readonly string[] {
  const rewrites = flatMap(decisions, (d) => rewriteText(program, d));
  const loops = programLoops(mapped.program).map((p) => loopText(mapped, p.loop.name, decisions));
  const orders = flatMap(mapped.program.statements, (s) => orderText(mapped.program, s));
  return [...rewrites, ...loops, ...turnsText(mapped), ...orders];
}
