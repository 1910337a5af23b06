/** What became of the loops of a program, in words. */
import { flatMap } from "../../support/flat-map.ts";
import { coefficientOf } from "../affine.ts";
import { chainOf, mayOverflow } from "../algebraic/chain.ts";
import { programLoops } from "../algebraic/loop-graph.ts";
import { findStatement, type Program, type Statement, statementOf } from "../program.ts";
import { eachLeaf, isLocal, type LeafContext } from "../schedule.ts";
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

/** What keeps the steps of a recurrence in order though they compose. */
function orderText(program: Program, s: Statement): readonly string[] {
  const found = s.loops.length === 0 ? "" : chainOf(s);
  const why = typeof found === "string" ? undefined : mayOverflow(program, found);
  return why === undefined ? [] : [`${s.id}: one step after the other, since ${why}`];
}

/** The dims of a leaf's statement that loops outside of a loop number. */
function dimsOutside({ leaf, loops }: LeafContext, loop: string): readonly string[] {
  const at = loops.findIndex((l) => l.id === loop);
  const outside = loops.slice(0, at).filter((l) => l.on === "grid");
  return [...leaf.binding].flatMap(([dim, affine]) =>
    outside.some((l) => l.extent > 1 && coefficientOf(affine, l.id) !== 0) ? [dim] : [],
  );
}

/** Whether the invocations of a workgroup share the points of a leaf that are no rows. */
function isShared(context: LeafContext, rows: readonly string[]): boolean {
  const { leaf, loops } = context;
  const local = loops.filter((l) => isLocal(l.on) && l.extent > 1);
  return [...leaf.binding].some(
    ([dim, affine]) => !rows.includes(dim) && local.some((l) => coefficientOf(affine, l.id) !== 0),
  );
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
  const rows = [...new Set(flatMap(own, (c) => dimsOutside(c, loop.id)))];
  const shared = own.some((c) => isShared(c, rows));
  const one = shared ? "one workgroup" : "one invocation";
  const each = rows.length === 0 ? one : `${rows.join(", ")}: distance 0, ${one} for each`;
  const barriers = shared ? ", with barriers between steps" : "";
  return `${name}: sequential inside of one dispatch; ${each}${barriers}`;
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
  return [...rewrites, ...loops, ...orders];
}
