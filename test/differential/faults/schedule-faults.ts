/** Mistakes in schedules, places and dependences. */
import { isDeepStrictEqual } from "node:util";
import { moduloIndex } from "../../../src/codegen/build.ts";
import { generate } from "../../../src/codegen/generate.ts";
import type { Kernel, KernelExpression } from "../../../src/codegen/kernel.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import {
  mapKernelExpression,
  mapKernelStatements,
  mapOwnExpressions,
} from "../../../src/codegen/rewrite-kernel.ts";
import { type Affine, addConstant, scale } from "../../../src/ir/affine.ts";
import { type Dependence, dependences } from "../../../src/ir/dependences/dependences.ts";
import { mapGroup, plainShape } from "../../../src/ir/mapping/build/map-group.ts";
import type { Mapped } from "../../../src/ir/mapping/map-program.ts";
import {
  type Band,
  isKernel,
  type Leaf,
  type Loop,
  type Place,
  type Schedule,
  type ScheduleNode,
  type Sequence,
} from "../../../src/ir/schedule.ts";
import { mapIn } from "../variants.ts";
import { type CompilerFault, changeKernels, type FaultSubject } from "./inject.ts";

interface NodeChange {
  readonly leaf?: (leaf: Leaf) => Leaf;
  readonly band?: (band: Band) => Band;
  readonly sequence?: (sequence: Sequence) => Sequence;
}

function mapNodes(node: ScheduleNode, change: NodeChange): ScheduleNode {
  switch (node.kind) {
    case "leaf":
      return change.leaf?.(node) ?? node;
    case "band": {
      const band = { ...node, child: mapNodes(node.child, change) };
      return change.band?.(band) ?? band;
    }
    case "sequence": {
      const sequence = { ...node, children: node.children.map((c) => mapNodes(c, change)) };
      return change.sequence?.(sequence) ?? sequence;
    }
  }
}

/** The plan of another mapping of the program; null when the mapping is the same. */
function planOf({ variant }: FaultSubject, mapped: Mapped): Plan | null {
  if (isDeepStrictEqual(mapped.schedule, variant.mapped.schedule)) return null;
  return generate(mapped.program, mapped.schedule, variant.profile);
}

function scheduleFault(name: string, change: (schedule: Schedule) => Schedule): CompilerFault {
  return {
    name,
    inject: (subject) => {
      const { program, schedule } = subject.variant.mapped;
      return planOf(subject, { program, schedule: change(schedule) });
    },
  };
}

function nodeFault(name: string, change: NodeChange): CompilerFault {
  return scheduleFault(name, (s) => ({ ...s, root: mapNodes(s.root, change) }));
}

function bindingFault(name: string, change: (a: Affine) => Affine): CompilerFault {
  return nodeFault(name, {
    leaf: (leaf) => {
      const binding = [...leaf.binding].map(([dim, a]) => [dim, change(a)] as const);
      return { ...leaf, binding: new Map(binding) };
    },
  });
}

function loopFault(name: string, change: (loop: Loop) => Loop): CompilerFault {
  return nodeFault(name, { band: (band) => ({ ...band, loops: band.loops.map(change) }) });
}

function phaseFault(name: string, phase: Leaf["phase"]): CompilerFault {
  return nodeFault(name, {
    sequence: (s) => {
      const children = s.children.filter((c) => c.kind !== "leaf" || c.phase !== phase);
      return children.length === 0 ? s : { ...s, children };
    },
  });
}

function placeFault(name: string, change: (place: Place) => Place): CompilerFault {
  return scheduleFault(name, (s) => ({ ...s, places: s.places.map(change) }));
}

const nodeFaults: readonly CompilerFault[] = [
  bindingFault("tiles one too far", (a) => (a.terms.length > 1 ? addConstant(a, 1) : a)),
  bindingFault("tiles that overlap", (a) => {
    const terms = a.terms.map((t) => {
      return t.coefficient > 1 ? { ...t, coefficient: t.coefficient - 1 } : t;
    });
    return { ...a, terms };
  }),
  bindingFault("tiles backwards", (a) => (a.terms.length > 1 ? scale(a, -1) : a)),
  loopFault("loops of kernels one too short", (l) => {
    return l.extent > 1 && l.on !== "host" ? { ...l, extent: l.extent - 1 } : l;
  }),
  loopFault("sequential loops on invocations", (l) =>
    l.on === "serial" ? { ...l, on: "workgroup" } : l,
  ),
  nodeFault("statements exchanged", {
    sequence: (s) => {
      const [a, b, ...rest] = s.children;
      const kernels = a !== undefined && b !== undefined && isKernel(a) === isKernel(b);
      return kernels ? { ...s, children: [b, a, ...rest] } : s;
    },
  }),
  phaseFault("accumulators never set", "init"),
  phaseFault("results never stored", "finish"),
  phaseFault("instances never added", "update"),
];

/** With the slice of the first workgroup for all, in some buffers. */
function withSharedSlices(kernel: Kernel, isScratch: (buffer: string) => boolean): Kernel {
  const groups = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
  const slices = new Map(
    kernel.arrays.flatMap((a) =>
      isScratch(a.buffer ?? "") ? [[a.id, a.length / groups] as const] : [],
    ),
  );
  if (slices.size === 0 || groups === 1) return kernel;
  const inFirst = (array: string, index: KernelExpression): KernelExpression =>
    moduloIndex(index, slices.get(array) ?? 1);
  const body = mapKernelStatements(kernel.body, (s) => {
    const loads = mapOwnExpressions(s, (own) =>
      mapKernelExpression(own, (e) => {
        if (e.kind !== "load" || !slices.has(e.array)) return undefined;
        return { ...e, index: inFirst(e.array, e.index) };
      }),
    );
    if (loads.kind !== "store" || !slices.has(loads.array)) return [loads];
    return [{ ...loads, index: inFirst(loads.array, loads.index) }];
  });
  return { ...kernel, body };
}

const placeFaults: readonly CompilerFault[] = [
  placeFault("workgroup places in private memory", (p) => {
    return p.space === "workgroup" ? { ...p, space: "private" } : p;
  }),
  placeFault("private places in workgroup memory", (p) => {
    return p.space === "private" ? { ...p, space: "workgroup" } : p;
  }),
  placeFault("scratch places in private memory", (p) => {
    return p.space === "scratch" ? { ...p, space: "private" } : p;
  }),
  {
    name: "scratch slices shared by all workgroups",
    inject: ({ variant: { mapped, plan } }) => {
      const scratch = mapped.schedule.places.flatMap(({ space, target }) => {
        return space === "scratch" && target.kind === "tensor" ? [target.tensor] : [];
      });
      const isScratch = (array: string): boolean =>
        plan.buffers.some((b) => b.id === array && scratch.includes(b.name));
      return changeKernels(plan, (kernel) => withSharedSlices(kernel, isScratch));
    },
  },
  placeFault("folds of one slot", (p) => {
    return p.fold === null ? p : { ...p, fold: { ...p.fold, slots: 1 } };
  }),
  {
    name: "what statements read of their own tensor not kept",
    inject: (subject) => {
      const { program } = subject;
      const root = mapGroup(program, program.tree, [], plainShape([], 1), "unstaged");
      return planOf(subject, { program, schedule: { root, places: [] } });
    },
  },
];

/** The mapping again, without some dependences. */
function dependenceFault(name: string, misses: (d: Dependence) => boolean): CompilerFault {
  return {
    name,
    inject: (subject) => {
      const { mapping, profile } = subject.variant;
      if (mapping.kind === "one-thread") return null;
      const result = mapIn(subject.program, profile, mapping, (program) =>
        dependences(program).filter((d) => !misses(d)),
      );
      return planOf(subject, result.mapped);
    },
  };
}

const dependenceFaults: readonly CompilerFault[] = [
  dependenceFault("no dependences", () => true),
  dependenceFault("flow dependences missed", (d) => d.kind === "flow"),
  dependenceFault("anti dependences missed", (d) => d.kind === "anti"),
  dependenceFault("output dependences missed", (d) => d.kind === "output"),
  dependenceFault("carried dependences missed", (d) => d.level !== "independent"),
  dependenceFault("dependences inside of iterations missed", (d) => d.level === "independent"),
  dependenceFault(
    "dependences within statements missed",
    (d) => d.from.statement === d.to.statement,
  ),
];

/** Mistakes in schedules, places and dependences. */
export const scheduleFaults: readonly CompilerFault[] = [
  ...nodeFaults,
  ...placeFaults,
  ...dependenceFaults,
];
