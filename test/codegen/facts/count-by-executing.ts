/**
 * Counts what kernels do by executing them: sectors and answers of banks from sets of the addresses that
 * the kernel interpreter tells. Nothing here is shared with the analysis but the names of places.
 */
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Machine } from "../../../src/codegen/interpret-kernel/machine.ts";
import type {
  KernelObserver,
  ObservedAccess,
} from "../../../src/codegen/interpret-kernel/observer.ts";
import type { KernelStatement } from "../../../src/codegen/kernel.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import type { TensorData } from "../../../src/support/scalar-type.ts";

/** What all accesses of one place, array and kind add up to. */
export interface CountedAccess {
  requests: number;
  sectors: number;
  wanted: number;
  wavefronts: Record<string, number>;
}

export interface CountedByExecuting {
  statements: number;
  /** Of the workgroups. */
  barriers: number;
  iterations: number;
  /** Workgroups that store something. */
  readonly storing: Set<string>;
  readonly accesses: Map<string, CountedAccess>;
}

/** The loops around each place, and which places are loops or barriers. */
interface Places {
  readonly loops: Map<string, readonly string[]>;
  readonly kinds: Map<string, KernelStatement["kind"]>;
}

function visit(
  body: readonly KernelStatement[],
  at: string,
  around: readonly string[],
  to: Places,
): void {
  for (const [n, s] of body.entries()) {
    const path = `${at}[${n}]`;
    to.loops.set(path, around);
    to.kinds.set(path, s.kind);
    if (s.kind === "loop") visit(s.body, `${path}.${s.variable}`, [...around, s.variable], to);
    if (s.kind === "if") {
      visit(s.then, `${path}.then`, around, to);
      visit(s.else, `${path}.else`, around, to);
    }
  }
}

interface Request {
  readonly place: string;
  readonly bytes: number;
  readonly workgroup: boolean;
  /** The first byte of each lane. */
  readonly starts: number[];
  /** Which half of the subgroup each lane is in. */
  readonly halves: number[];
}

function eachByte({ starts, bytes }: Request): readonly number[] {
  return starts.flatMap((start) => Array.from({ length: bytes }, (_, n) => start + n));
}

function answers(request: Request, banks: number, size: number): number {
  const units = new Set(eachByte(request).map((byte) => Math.floor(byte / size)));
  const perBank = new Map<number, number>();
  for (const unit of units) perBank.set(unit % banks, (perBank.get(unit % banks) ?? 0) + 1);
  return Math.max(0, ...perBank.values());
}

/** 16 banks of words answer one half of a subgroup after the other. */
function inHalves(request: Request): number {
  const { starts, halves } = request;
  return [0, 1].reduce((sum, half) => {
    const own = starts.filter((_, n) => halves[n] === half);
    return sum + answers({ ...request, starts: own }, 16, 4);
  }, 0);
}

function add(request: Request, to: CountedByExecuting): void {
  const known = to.accesses.get(request.place);
  const none = {
    requests: 0,
    sectors: 0,
    wanted: 0,
    wavefronts: { "32x4": 0, "16x4": 0, "16x16": 0 },
  };
  const total: CountedAccess = known ?? none;
  to.accesses.set(request.place, total);
  total.requests += 1;
  const bytes = new Set(eachByte(request));
  total.wanted += bytes.size;
  total.sectors += new Set([...bytes].map((byte) => Math.floor(byte / 32))).size;
  if (!request.workgroup) return;
  const { wavefronts } = total;
  wavefronts["32x4"] = (wavefronts["32x4"] ?? 0) + answers(request, 32, 4);
  wavefronts["16x4"] = (wavefronts["16x4"] ?? 0) + inHalves(request);
  wavefronts["16x16"] = (wavefronts["16x16"] ?? 0) + answers(request, 16, 16);
}

/** The counts of each kernel of a plan, over all its dispatches. */
export function countByExecuting(
  plan: Plan,
  inputs: Readonly<Record<string, TensorData>>,
): readonly CountedByExecuting[] {
  const counted = plan.kernels.map(
    (): CountedByExecuting => ({
      statements: 0,
      barriers: 0,
      iterations: 0,
      storing: new Set(),
      accesses: new Map(),
    }),
  );
  const places = plan.kernels.map(({ kernel }) => {
    const found: Places = { loops: new Map(), kinds: new Map() };
    visit(kernel.body, "body", [], found);
    return found;
  });
  const requests = plan.kernels.map(() => new Map<string, Request>());
  const numbers = new Map(plan.kernels.map(({ kernel }, n) => [kernel, n]));
  const at = (m: Machine): number => numbers.get(m.kernel) ?? 0;
  const value = (m: Machine, variable: string): number =>
    m.registers[m.invocation * m.stride + (m.variables.get(variable) ?? 0)] ?? 0;
  const group = (m: Machine): string => `${m.clock.dispatch}/${m.groupNumber}`;
  const observer: KernelObserver = {
    execute: (m, path) => {
      const own = counted[at(m)] as CountedByExecuting;
      const kind = (places[at(m)] as Places).kinds.get(path);
      own.statements += 1;
      if (kind === "loop") own.iterations += 1;
      if (kind === "barrier" && m.invocation === 0) own.barriers += 1;
    },
    access: (m, path, { kind, array, index, width, key }: ObservedAccess) => {
      const k = at(m);
      const loops = (places[k] as Places).loops.get(path) ?? [];
      const time = loops.map((variable) => value(m, variable)).join(",");
      const id = `${group(m)}/${Math.floor(m.invocation / 32)} ${path} ${time} ${key}`;
      const { scalar, space } = (m.kernel.arrays.find((a) => a.id === array) ?? {}) as {
        scalar: string;
        space: string;
      };
      const size = scalar === "float16" ? 2 : 4;
      const own = requests[k] as Map<string, Request>;
      const found = own.get(id) ?? {
        place: `${path} ${kind} ${array}`,
        bytes: width * size,
        workgroup: space === "workgroup",
        starts: [],
        halves: [],
      };
      found.starts.push(index * size);
      found.halves.push(Math.floor(m.invocation / 16) % 2);
      own.set(id, found);
      if (kind !== "load" && space === "storage") counted[k]?.storing.add(group(m));
    },
  };
  const { faults } = interpretPlan(plan, inputs, { races: false, observer });
  if (faults.length > 0) throw new Error(`the interpreter found ${faults[0]?.message}`);
  for (const [k, all] of requests.entries()) {
    for (const request of all.values()) add(request, counted[k] as CountedByExecuting);
  }
  return counted;
}
