/** What became of the loops of a program, in words. */
import { flatMap } from "../../support/flat-map.ts";
import { coefficientOf } from "../affine.ts";
import { chainOf, mayOverflow } from "../algebraic/chain.ts";
import { refusedParts } from "../algebraic/equal-parts.ts";
import { describe, leaveLoop } from "../algebraic/leave-loop.ts";
import { type LoopPlace, programLoops } from "../algebraic/loop-graph.ts";
import { whyNoFronts } from "../algebraic/skew-loops.ts";
import { dependences } from "../dependences/dependences.ts";
import { findStatement, type Program, type Statement, statementOf } from "../program.ts";
import { eachKernel, eachLeaf, isLocal, type LeafContext, type Loop } from "../schedule.ts";
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
  if (family === "gather") {
    return [`${id}: each element is reduced from the terms that hit it, instead of a scatter`];
  }
  if (family === "terms") return [`${id}: terms that ${loop} does not change are added up apart`];
  if (family === "leave")
    return [`${id}: waits for no step of ${loop}, runs for all of them at once`];
  if (family === "skew") {
    return [
      `${id}: ${loop} and the loop inside of it run in wavefronts, each of which waits for the one before`,
    ];
  }
  if (family === "parts") {
    return [
      `${id}: its parts, which others read beside each other, are computed beside each other`,
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

/** What keeps the steps of a map that reads what it wrote in order: they do not compose, or may not. */
function orderText(program: Program, s: Statement): readonly string[] {
  const readsOwn = s.reads.some((r) => r.tensor === s.write.tensor);
  if (s.loops.length === 0 || s.reduction !== null || !readsOwn) return [];
  const found = chainOf(s);
  const why = typeof found === "string" ? found : mayOverflow(program, found);
  return why === undefined ? [] : [`${s.id}: one step after the other, since ${why}`];
}

/** Why the statements of a loop are in it, said once for all with the same reason. */
function stayText(program: Program, { loop }: LoopPlace): readonly string[] {
  const reasons = new Map<string, string[]>();
  for (const node of loop.body) {
    if (node.kind === "loop") continue;
    const { statement } = node;
    const result = leaveLoop(program, { statement, loop: loop.name });
    if (result.kind === "rewritten") continue;
    reasons.set(result.reason, [...(reasons.get(result.reason) ?? []), statement]);
  }
  return [...reasons].map(
    ([why, ids]) =>
      `${ids.join(", ")}: ${ids.length > 1 ? "stay" : "stays"} in ${loop.name}, since ${why}`,
  );
}

/** Why what begins a kernel in a step of a loop is not in that before it: what it waits for. */
function apartText({ program, schedule }: Mapped): readonly string[] {
  const steps = [...eachKernel(schedule.root)].map(({ kernel, host }) => ({
    ids: new Set(eachLeaf(kernel).map((c) => c.leaf.statement)),
    host: host.map((l) => l.id).join(),
  }));
  return flatMap(steps, ({ ids, host }, n) => {
    const before = steps[n - 1];
    if (host === "" || before?.host !== host) return [];
    const dependence = dependences(program).find(
      ({ kind, level, from, to }) =>
        kind === "flow" &&
        level === "independent" &&
        before.ids.has(from.statement) &&
        ids.has(to.statement),
    );
    if (dependence === undefined) return [];
    const why = describe({ dependence, carried: false });
    return [`${[...ids][0]}: a dispatch of its own in each step, since ${why}`];
  });
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
  const left = programLoops(mapped.program);
  const loops = left.map((p) => loopText(mapped, p.loop.name, decisions));
  const fronts = flatMap(left, (p) => {
    const why = whyNoFronts(mapped.program, p);
    return why === null ? [] : [`${p.loop.name}: no wavefronts, since ${why}`];
  });
  return [
    ...rewrites,
    ...loops,
    ...turnsText(mapped),
    ...flatMap(left, (p) => stayText(mapped.program, p)),
    ...fronts,
    ...[...refusedParts(program)].map(([id, why]) => `${id}: in one piece, since ${why}`),
    ...apartText(mapped),
    ...flatMap(mapped.program.statements, (s) => orderText(mapped.program, s)),
  ];
}
