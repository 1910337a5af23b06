/**
 * Scalars of an invocation that are alive at the same time: what it needs of registers, before a driver
 * spills or recomputes any. Values that are the same for the whole workgroup are left out: GPUs have
 * registers of their own for them, or instructions that read them from elsewhere.
 */
import type { Kernel, KernelExpression, KernelStatement, KernelType } from "../kernel.ts";
import { kernelOperands, statementExpressions } from "../walk-kernel.ts";
import { operationsOf } from "./operations.ts";

/** Places in the text, counted by statements. */
interface Range {
  readonly first: number;
  last: number;
}

/** Where a variable is set first and used last, and what it takes. */
interface Life extends Range {
  readonly registers: number;
  /** How many loops are around its declaration. */
  readonly depth: number;
  /** The outermost loop inside of its scope that uses it: it lives as long. */
  through: Range | null;
}

interface Reading {
  readonly lives: Life[];
  /** The latest of each name: scopes apart may use one again. */
  readonly byName: Map<string, Life>;
  /** Variables that are the same for all invocations of a workgroup. */
  readonly shared: Set<string>;
  /** Scalars that a statement needs for itself, by its place. */
  readonly own: number[];
}

/** float16 takes half a register. */
function registersOf({ width, scalar }: KernelType): number {
  return scalar === "float16" ? Math.ceil(width / 2) : width;
}

function isNamed(e: KernelExpression): boolean {
  return e.kind === "literal" || e.kind === "variable" || e.kind === "builtin" || e.kind === "step";
}

/** Scalars that are there at once while an expression is computed, beside variables. */
function temporaries(e: KernelExpression): number {
  if (isNamed(e)) return 0;
  const parts = kernelOperands(e)
    .map((part) => ({
      most: temporaries(part),
      result: isNamed(part) ? 0 : registersOf(part.type),
    }))
    .sort((a, b) => b.most - b.result - (a.most - a.result));
  let held = 0;
  let most = 0;
  for (const part of parts) {
    most = Math.max(most, held + part.most);
    held += part.result;
  }
  return Math.max(most, held);
}

function use(e: KernelExpression, loops: readonly Range[], reading: Reading): void {
  if (e.kind === "variable") touch(e.name, loops, reading);
  for (const part of kernelOperands(e)) use(part, loops, reading);
}

function touch(name: string, loops: readonly Range[], { byName, own }: Reading): void {
  const life = byName.get(name);
  if (life === undefined) return;
  life.last = own.length;
  life.through ??= loops[life.depth] ?? null;
}

/** Begins the life of what a statement declares. */
function declare(s: KernelStatement, depth: number, reading: Reading): void {
  const { lives, byName, shared, own } = reading;
  const isShared = operationsOf(s, (name) => shared.has(name)).isShared;
  if (s.kind === "loop") shared.add(s.variable);
  if (s.kind !== "declare" && s.kind !== "exchange") return;
  if (s.kind === "declare" && !s.mutable && isShared) {
    shared.add(s.name);
    return;
  }
  const registers = registersOf(s.type);
  const life = { first: own.length, last: own.length, registers, depth, through: null };
  lives.push(life);
  byName.set(s.name, life);
}

function read(body: readonly KernelStatement[], loops: readonly Range[], reading: Reading): void {
  for (const s of body) {
    const values = statementExpressions(s);
    for (const e of values) use(e, loops, reading);
    if (s.kind === "assign") touch(s.name, loops, reading);
    declare(s, loops.length, reading);
    reading.own.push(Math.max(0, ...values.map(temporaries)));
    if (s.kind === "if") {
      read(s.then, loops, reading);
      read(s.else, loops, reading);
    }
    if (s.kind === "loop") {
      const range = { first: reading.own.length, last: reading.own.length };
      read(s.body, [...loops, range], reading);
      range.last = reading.own.length;
    }
  }
}

/** Scalars that fragments take of each lane of a subgroup. */
function fragmentRegisters({ body, subgroupSize = 32 }: Kernel): number {
  const count = (list: readonly KernelStatement[]): number =>
    list.reduce((sum, s) => {
      if (s.kind === "loop") return sum + count(s.body);
      if (s.kind !== "fragment") return sum;
      return sum + Math.ceil((s.type.rows * s.type.columns) / subgroupSize);
    }, 0);
  return count(body);
}

/** The most scalars of an invocation that live at once, with its private arrays and its own index. */
export function liveScalars(kernel: Kernel): number {
  const reading: Reading = { lives: [], byName: new Map(), shared: new Set(), own: [] };
  read(kernel.body, [], reading);
  const live = [...reading.own, 0];
  for (const { first, last, registers, through } of reading.lives) {
    const end = Math.max(last, through?.last ?? 0);
    for (let place = first; place <= end; place++) live[place] = (live[place] ?? 0) + registers;
  }
  const arrays = kernel.arrays.filter((a) => a.space === "private");
  const kept = arrays.reduce((sum, a) => sum + a.length, 0);
  return Math.max(...live) + kept + fragmentRegisters(kernel) + 1;
}
