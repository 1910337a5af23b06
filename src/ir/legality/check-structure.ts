/** Purpose: checks that a schedule is well formed and names its program's statements and dims. */

import { flatMap } from "../../support/flat-map.ts";
import { type Program, reducedDims } from "../program.ts";
import type { Loop, Phase } from "../schedule.ts";
import { type Fault, fault } from "./fault.ts";
import { boundDims, type Occurrence, type Occurrences, phasesOf } from "./occurrence.ts";
import { partLoops } from "./part-loops.ts";
import { teamFaults } from "./team-reduction.ts";

function phaseFaults(program: Program, { leaves }: Occurrences): readonly Fault[] {
  const phases = new Map<string, Set<Phase>>();
  for (const { statement, leaf } of leaves) {
    const found = phases.get(statement.id) ?? new Set();
    phases.set(statement.id, found.add(leaf.phase));
  }
  return flatMap(program.statements, (s) => {
    const wanted = phasesOf(s);
    const found = phases.get(s.id) ?? new Set();
    const missing = wanted.filter((p) => !found.has(p));
    const extra = [...found].filter((p) => !wanted.includes(p));
    return [
      ...missing.map((p) => fault("structure", [s.id], `${s.id} has no ${p} leaf`)),
      ...extra.map((p) => fault("structure", [s.id], `${s.id} cannot have a ${p} leaf`)),
    ];
  });
}

function bindingFaults({ leaf, statement, loops }: Occurrence): readonly Fault[] {
  const isAround = (name: string): boolean => loops.some((l) => l.id === name);
  return flatMap(boundDims(statement, leaf.phase), (dim) => {
    const bound = leaf.binding.get(dim);
    if (bound === undefined) {
      return [fault("structure", [statement.id], `${statement.id} does not bind ${dim}`)];
    }
    return flatMap(bound.terms, ({ variable: name }) =>
      isAround(name)
        ? []
        : [fault("structure", [statement.id], `${statement.id} is not inside loop ${name}`)],
    );
  });
}

/** Host loops, then grid loops, then the others. */
function levelFaults({ statement, loops, kernel }: Occurrence): readonly Fault[] {
  const rank = (l: Loop): number => (l.on === "host" ? 0 : l.on === "grid" ? 1 : 2);
  const text = statement.id;
  if (kernel < 0) return [fault("structure", [text], `${text} is outside any kernel`)];
  const disordered = loops.some((l, n) => n > 0 && rank(l) < rank(loops[n - 1] ?? l));
  if (!disordered) return [];
  return [fault("structure", [text], `the loops around ${text} are not host, grid, others`)];
}

function loopFaults(occurrence: Occurrence): readonly Fault[] {
  const { statement, loops, leaf } = occurrence;
  const dealt = new Set(partLoops(occurrence).map((l) => l.id));
  const faults: Fault[] = [];
  const reduced = new Set(reducedDims(statement));
  const inside = new Set(
    leaf.phase === "whole"
      ? []
      : flatMap([...reduced], (d) => (leaf.binding.get(d)?.terms ?? []).map((t) => t.variable)),
  );
  for (const l of loops) {
    if (!Number.isInteger(l.extent) || l.extent < 0) {
      faults.push(fault("structure", [statement.id], `loop ${l.id} has extent ${l.extent}`));
    }
    if (l.on === "vector" && ![0, 1, 2, 4].includes(l.extent)) {
      faults.push(fault("structure", [statement.id], `vector loop ${l.id} has ${l.extent} lanes`));
    }
    const apart = !["serial", "unroll", "fragment"].includes(l.on) && !dealt.has(l.id);
    if (l.extent > 1 && apart && inside.has(l.id)) {
      const text = `${statement.id} reduces over ${l.on} loop ${l.id}`;
      faults.push(fault("structure", [statement.id], text));
    }
  }
  return faults;
}

/** Bands of what is not one of the two innermost loops of a grid, or of both. */
function bandFaults({ leaves }: Occurrences): readonly Fault[] {
  return flatMap(leaves, ({ loops, statement }) => {
    const marked = loops.filter((l) => l.bands !== undefined && l.extent > 1);
    const [one, more] = marked;
    if (one === undefined) return [];
    const wrong = (why: string): Fault[] => [fault("structure", [statement.id], why)];
    const grid = loops.filter((l) => l.on === "grid" && l.extent > 1);
    if (more !== undefined) return wrong(`the grid has bands of ${one.id} and of ${more.id}`);
    const { id, bands = 1 } = one;
    if (!Number.isInteger(bands) || bands < 1) return wrong(`loop ${id} has bands of ${bands}`);
    const isInner = grid.length > 1 && grid.slice(-2).includes(one);
    return isInner ? [] : wrong(`loop ${id} has bands and is not one of two inner grid loops`);
  });
}

/** Full tiles of what is no grid loop, that it does not have, or of a kernel with fragments. */
function fullTilesFaults({ leaves }: Occurrences): readonly Fault[] {
  return flatMap(leaves, ({ loops, statement }) => {
    if (loops.every((l) => l.full === undefined)) return [];
    const hasFragments = loops.some((l) => l.on === "fragment");
    return flatMap(loops, ({ id, on, extent, full }) => {
      if (full === undefined) return [];
      const { lo, hi } = full;
      const whole = Number.isInteger(lo) && Number.isInteger(hi);
      if (whole && on === "grid" && !hasFragments && lo >= 0 && lo < hi && hi <= extent) return [];
      const where = hasFragments ? " among fragments" : "";
      const text = `${on} loop ${id} in 0..${extent} has full tiles in ${lo}..${hi}${where}`;
      return [fault("structure", [statement.id], text)];
    });
  });
}

function duplicateLoops({ leaves }: Occurrences): readonly Fault[] {
  const seen = new Map<string, Loop>();
  const faults: Fault[] = [];
  for (const { loops, statement } of leaves) {
    const here = new Set<string>();
    for (const l of loops) {
      if (here.has(l.id) || (seen.get(l.id) ?? l) !== l) {
        faults.push(fault("structure", [statement.id], `two loops are named ${l.id}`));
      }
      here.add(l.id);
      seen.set(l.id, l);
    }
  }
  return faults;
}

/** The faults of the tree itself; the other checks need a tree without any. */
export function checkStructure(program: Program, occurrences: Occurrences): readonly Fault[] {
  return [
    ...occurrences.unknown.map((id) => fault("structure", [id], `no statement ${id}`)),
    ...phaseFaults(program, occurrences),
    ...flatMap(occurrences.leaves, (o) => [
      ...bindingFaults(o),
      ...levelFaults(o),
      ...loopFaults(o),
    ]),
    ...duplicateLoops(occurrences),
    ...bandFaults(occurrences),
    ...fullTilesFaults(occurrences),
    ...teamFaults(program, occurrences),
  ];
}
