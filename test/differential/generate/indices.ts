/** The indices of a random statement: ranged by accesses, or by clauses. */
import type { Interval } from "../../../src/ir/affine.ts";
import { ceilDiv, floorDiv } from "../../../src/support/integer.ts";
import {
  type Draft,
  extentOf,
  isWhole,
  pointLimit,
  type Scene,
  type SceneTensor,
  sizeText,
  type Variable,
} from "./scene.ts";

/** An access that has to stand in the value, unguarded, because it ranges indices. */
export interface Ranger {
  readonly text: string;
  readonly tensor: SceneTensor;
}

/** The statement's own indices, the clauses of some, the accesses that range the others. */
export interface Indices {
  readonly own: readonly Variable[];
  readonly clauses: ReadonlyMap<string, string>;
  readonly rangers: readonly Ranger[];
  /** Names of indices whose range depends on another index: it may be empty. */
  readonly dependent: ReadonlySet<string>;
  /** Indices that an access with another index ranges, late: no other access may come first. */
  readonly late: ReadonlySet<string>;
}

const indexNames = ["i", "j", "k", "l", "m", "n", "p", "q"];

interface Making {
  readonly scene: Scene;
  readonly loops: readonly Variable[];
  readonly own: Variable[];
  readonly clauses: Map<string, string>;
  readonly rangers: Ranger[];
  readonly dependent: Set<string>;
  readonly late: Set<string>;
}

function nextName(m: Making): string {
  const taken = new Set([...m.loops, ...m.own].map((v) => v.name));
  return indexNames.find((name) => !taken.has(name)) ?? "z";
}

/** A bare index of an access: a new one, or one that has this range already. */
function bareIndex(m: Making, extent: number): string {
  const { random } = m.scene;
  const fitting = m.own.filter((v) => v.ranged === "inferred" && v.lo === 0 && v.hi === extent - 1);
  if (fitting.length > 0 && random.chance(0.45)) return random.pick(fitting).name;
  const name = nextName(m);
  m.own.push({ name, lo: 0, hi: extent - 1, ranged: "inferred" });
  return name;
}

/** An index that an affine function of it ranges, as `i` in `A(2*i + k)`; undefined if none can. */
function shiftedIndex(m: Making, extent: number): string | undefined {
  const { random, stride } = m.scene;
  const others = m.own.filter((v) => v.lo <= v.hi && !m.late.has(v.name));
  if (others.length === 0) return undefined;
  const k = random.pick(others);
  const [c, text] = random.pick([
    [1, ""],
    [1, ""],
    [2, "2 * "],
    ...(stride > 0 ? ([[stride, "S * "]] as const) : []),
  ] as const);
  const shift = random.pick([0, 0, 1]);
  const lo = ceilDiv(shift - k.lo, c);
  const hi = floorDiv(extent - 1 + shift - k.hi, c);
  if (hi < Math.max(0, lo) || lo < 0) return undefined;
  const name = nextName(m);
  if (random.chance(0.5)) {
    m.own.push({ name, lo, hi, ranged: "where" });
    m.clauses.set(name, `${name} in ${lo}:${hi + 1}`);
  } else {
    m.own.push({ name, lo, hi, ranged: "inferred" });
    m.late.add(name);
  }
  return `${text}${name} + ${k.name}${shift === 0 ? "" : ` - ${shift}`}`;
}

function addRanger(m: Making, tensors: readonly SceneTensor[]): void {
  const { random } = m.scene;
  const fitting = tensors.filter((t) => t.shape.length > 0 && isWhole(t) && t.magnitude < Infinity);
  if (fitting.length === 0) return;
  const tensor = random.pick(fitting);
  if (m.own.length + tensor.shape.length > 5) return;
  const indices = tensor.shape.map((extent) => {
    const shifted = random.chance(0.25) ? shiftedIndex(m, extent) : undefined;
    return shifted ?? bareIndex(m, extent);
  });
  m.rangers.push({ tensor, text: `${tensor.name}(${indices.join(", ")})` });
}

/** A range that an earlier index bounds. */
function triangle(m: Making, name: string, outer: Variable, extent: number): void {
  const { random } = m.scene;
  const end = sizeText(m.scene, extent);
  const last = extent - 1;
  const [text, range] = random.pick<readonly [string, Interval]>([
    [`0:${outer.name} + 1`, { lo: 0, hi: outer.hi }],
    [`${outer.name}:${end}`, { lo: outer.lo, hi: last }],
    [`${outer.name} + 1:${end}`, { lo: outer.lo + 1, hi: last }],
    [`0:${outer.name}`, { lo: 0, hi: outer.hi - 1 }],
  ]);
  m.own.push({ name, ...range, ranged: "where" });
  m.clauses.set(name, `${name} in ${text}`);
  m.dependent.add(name);
}

function addClause(m: Making, extents: readonly number[]): void {
  const { random } = m.scene;
  const name = nextName(m);
  const extent = random.pick(extents);
  const outers = [...m.loops, ...m.own].filter((v) => v.lo >= 0 && v.hi < 20 && v.lo <= v.hi);
  if (outers.length > 0 && random.chance(0.25)) {
    triangle(m, name, random.pick(outers), extent);
    return;
  }
  if (random.chance(0.06)) {
    const text = `${name} in 0:${sizeText(m.scene, extent)}, ${name} in -1:${extent + 2}`;
    m.own.push({ name, lo: 0, hi: extent - 1, ranged: "where" });
    m.clauses.set(name, text);
    return;
  }
  const lo = extent > 1 && random.chance(0.2) ? 1 : 0;
  const hi = extent > 2 + lo && random.chance(0.15) ? extent - 2 : extent - 1;
  m.own.push({ name, lo, hi, ranged: "where" });
  m.clauses.set(name, `${name} in ${lo}:${sizeText(m.scene, hi + 1)}`);
}

/** The points of the box around the indices. */
export function pointsOf(variables: readonly Variable[]): number {
  return variables.reduce((product, v) => product * extentOf(v), 1);
}

/** Random indices for a statement inside of `d`'s loops. `readable` may range them. */
export function drawIndices(d: Draft): Indices {
  const { scene, variables: loops, readable, trips } = d;
  const { random, sizes } = scene;
  for (let attempt = 0; attempt < 8; attempt++) {
    const m: Making = {
      scene,
      loops,
      own: [],
      clauses: new Map(),
      rangers: [],
      dependent: new Set(),
      late: new Set(),
    };
    if (random.chance(0.55)) {
      for (let n = random.integer(1, 3); n > 0; n--) addRanger(m, readable);
    }
    const extents = [...sizes.map((s) => s.value), 3, 4];
    const clauses = m.own.length > 0 ? random.pick([0, 0, 0, 1]) : random.integer(0, 4);
    for (let n = clauses; n > 0; n--) addClause(m, extents);
    const tooMany = pointsOf(m.own) * trips > pointLimit;
    const empty = m.own.some((v) => v.lo > v.hi) && random.chance(0.8);
    if (!tooMany && !empty) return m;
  }
  return { own: [], clauses: new Map(), rangers: [], dependent: new Set(), late: new Set() };
}
