/** Random calls, each with the definition that it calls. */
import type { ScalarType } from "../../../src/support/scalar-type.ts";
import { type Around, draftOf, type WriteBlock } from "./around.ts";
import { declared, resultText, typeName } from "./declare.ts";
import { insideIndex, opaqueIndex } from "./index-expression.ts";
import { indexTables, literalText } from "./read.ts";
import {
  type Draft,
  everything,
  freshName,
  isSmall,
  isWhole,
  replaceTensor,
  type Scene,
  type SceneTensor,
  type Variable,
} from "./scene.ts";
import { writtenNames } from "./written-names.ts";

/** A tensor that is passed, or a slice of it. */
interface Passed {
  readonly text: string;
  /** As the definition has it. */
  readonly tensor: SceneTensor;
  readonly source: SceneTensor;
}

/** A scalar that is passed. */
interface Scalar {
  readonly text: string;
  readonly name: string;
  readonly type: ScalarType;
  /** For one that serves as an index. */
  readonly variable?: Variable;
}

/** The leading indices of a slice. */
function leadingIndices(d: Draft, source: SceneTensor, inPlace: boolean): readonly string[] {
  const { random } = d.scene;
  const rank = source.shape.length;
  const count = rank > 1 && random.chance(0.45) ? random.integer(1, rank) : 0;
  return source.covered.slice(0, count).map((covered, n) => {
    const extent = source.shape[n] ?? 1;
    const tables = indexTables(d);
    if (!inPlace && tables.length > 0 && random.chance(0.35)) return opaqueIndex(d, extent, tables);
    return insideIndex(d, covered, extent).text;
  });
}

const tensorNames = ["B", "A", "X", "Q"];

function drawPassed(d: Draft): readonly Passed[] {
  const { random } = d.scene;
  const usable = d.readable.filter(
    (t) => t.shape.length > 0 && isWhole(t) && t.magnitude < Infinity,
  );
  if (usable.length === 0) return [];
  const passed: Passed[] = [];
  for (let n = random.integer(1, 4); n > 0; n--) {
    const source = random.pick(usable);
    const already = passed.some((p) => p.source.name === source.name && p.tensor.writable);
    const inPlace = source.writable && !already && random.chance(0.6);
    const leading = leadingIndices(d, source, inPlace);
    const shape = source.shape.slice(leading.length);
    const text = leading.length === 0 ? source.name : `${source.name}(${leading.join(", ")})`;
    const tensor: SceneTensor = {
      ...source,
      name: tensorNames[passed.length] ?? "W",
      shape,
      covered: everything(shape),
      writable: inPlace,
      parameter: true,
    };
    passed.push({ text, tensor, source });
  }
  return passed;
}

/** An integer that indices of the definition use: a loop's index, or a constant. */
function indexScalar(d: Draft): Scalar {
  const { random } = d.scene;
  const loops = d.variables.filter((v) => v.lo >= 0 && v.lo <= v.hi && v.hi < 12);
  const loop = loops.length > 0 && random.chance(0.8) ? random.pick(loops) : undefined;
  const value = random.integer(0, 4);
  const shift = loop !== undefined && random.chance(0.3) ? 1 : 0;
  const text = loop === undefined ? String(value) : shift === 0 ? loop.name : `${loop.name} + 1`;
  const range = loop === undefined ? { lo: value, hi: value } : loop;
  const variable = {
    name: "at",
    lo: range.lo + shift,
    hi: range.hi + shift,
    ranged: "loop",
  } as const;
  return { text, name: "at", type: "int32", variable };
}

/** A scalar expression of the caller; int32 is converted where another type is wanted. */
function dataScalar(d: Draft): Scalar {
  const { random, scalars } = d.scene;
  const type = random.pick(["float32", "int32", "uint32", "bool", "float16"] as const);
  const own = scalars.filter((s) => s.type === type);
  const loop = d.variables.length === 0 ? undefined : random.pick(d.variables);
  const value = literalText(type, random.integer(-2, 4));
  const texts = [value, ...own.map((s) => s.name)];
  if (loop !== undefined && type === "int32") texts.push(loop.name, `${loop.name} - 1`);
  if (loop !== undefined && type === "float32") texts.push(`${loop.name} + 1`);
  if (type === "int32" && d.scene.sizes.length > 0) texts.push(random.pick(d.scene.sizes).name);
  const tensor = d.readable.find((t) => t.type === type && t.magnitude <= 9 && t.shape.length > 0);
  if (tensor !== undefined && random.chance(0.4)) {
    const indices = tensor.covered.map((c, n) => insideIndex(d, c, tensor.shape[n] ?? 1).text);
    return { text: `${tensor.name}(${indices.join(", ")})`, name: "s", type };
  }
  return { text: random.pick(texts), name: "s", type };
}

function drawScalars(d: Draft): readonly Scalar[] {
  const { random } = d.scene;
  return [
    ...(random.chance(0.4) ? [indexScalar(d)] : []),
    ...(random.chance(0.4) ? [dataScalar(d)] : []),
  ];
}

/** The sizes of a definition: its own, though other names may mean something else in the caller. */
function sizesOf(scene: Scene, passed: readonly Passed[]): Scene["sizes"] {
  const extents = [...new Set(passed.flatMap((p) => p.tensor.shape))];
  const names = scene.random.chance(0.5) ? ["M", "N", "K"] : ["P", "N", "L"];
  return extents.slice(0, names.length).map((value, n) => ({ name: names[n] ?? "P", value }));
}

function openScene(d: Draft, passed: readonly Passed[], scalars: readonly Scalar[]): Scene {
  const { scene } = d;
  return {
    ...scene,
    sizes: sizesOf(scene, passed),
    scalars: scalars.filter((s) => s.variable === undefined),
    stride: 0,
    tensors: passed.map((p) => p.tensor),
    names: new Map(),
    depth: scene.depth + 1,
  };
}

/** The new results of a definition: what was written last, and some of the rest. */
function newResults(inner: Scene): readonly SceneTensor[] {
  const own = inner.tensors.filter((t) => !t.parameter);
  const last = own.at(-1);
  return own.filter((t) => t === last || t.stored !== undefined || inner.random.chance(0.3));
}

/** A tensor that a new result goes to; undefined when the caller can have none. */
function newTargetOf(scene: Scene, around: Around, t: SceneTensor): string | undefined {
  const { random } = scene;
  const same = scene.tensors.filter(
    (old) => old.writable && old.type === t.type && String(old.shape) === String(t.shape),
  );
  if (same.length > 0 && (around.branch || random.chance(0.4))) {
    const old = random.pick(same);
    replaceTensor(scene, { ...old, magnitude: Math.max(old.magnitude, t.magnitude) });
    return old.name;
  }
  if (around.branch) return undefined;
  const loop = around.loops.find((v) => v.lo >= 0 && v.lo <= v.hi);
  const stacked = loop !== undefined && random.chance(0.6);
  const shape = stacked ? [loop.hi + 1, ...t.shape] : t.shape;
  if (!isSmall(shape)) return undefined;
  const covered = stacked ? [{ lo: loop.lo, hi: loop.hi }, ...t.covered] : t.covered;
  const name = freshName(scene, "T");
  const { stored: _, ...computed } = t;
  scene.tensors.push({ ...computed, name, shape, covered, writable: true });
  return stacked ? `${name}(${loop.name})` : name;
}

/** The targets of all results, in their order; undefined, and nothing made, where one has none. */
function targetsOf(
  scene: Scene,
  around: Around,
  results: readonly SceneTensor[],
  passed: readonly Passed[],
): readonly string[] | undefined {
  const before = [...scene.tensors];
  const targets = results.map((t) => {
    const own = passed.find((p) => p.tensor.name === t.name);
    return own === undefined ? newTargetOf(scene, around, t) : own.text;
  });
  const known = targets.flatMap((target) => target ?? []);
  const names = known.map((target) => target.split("(")[0]);
  if (known.length === results.length && new Set(names).size === names.length) return known;
  scene.tensors.splice(0, scene.tensors.length, ...before);
  return undefined;
}

/** What updates in place leave in the caller's tensors. */
function updatePassed(scene: Scene, inner: Scene, passed: readonly Passed[]): void {
  for (const { tensor, source } of passed) {
    const after = inner.tensors.find((t) => t.name === tensor.name);
    const old = scene.tensors.find((t) => t.name === source.name);
    if (!tensor.writable || after === undefined || old === undefined) continue;
    replaceTensor(scene, { ...old, magnitude: Math.max(old.magnitude, after.magnitude) });
  }
}

/** A new definition and one or two calls of it; nothing when it cannot have results here. */
export function call(scene: Scene, around: Around, write: WriteBlock): readonly string[] {
  const { random, definitions } = scene;
  const outer = draftOf(scene, around);
  const passed = drawPassed(outer);
  if (passed.length === 0 || scene.depth >= 2) return [];
  const scalars = drawScalars(outer);
  const inner = openScene(outer, passed, scalars);
  const at = definitions.length;
  const name = `g${at}`;
  definitions.push("");
  const times = around.trips <= 20 && random.chance(0.3) ? 2 : 1;
  const loops = scalars.flatMap((s) => s.variable ?? []);
  const inside = { loops, trips: times * around.trips, branch: false };
  const heads = [
    ...passed.map((p) => declared(inner, p.tensor)),
    ...scalars.map((s) => `${typeName(s.type)} ${s.name}`),
  ];
  // A size that no parameter mentions is none.
  const sizes = inner.sizes.filter((s) => new RegExp(`\\b${s.name}\\b`).test(heads.join()));
  const known = { ...inner, sizes };
  const lines = write(known, inside, random.integer(1, 3));
  const written = writtenNames(lines);
  const updated = known.tensors.filter((t) => t.parameter && written.has(t.name));
  const results = [...updated, ...newResults(known)];
  const text = (): string => {
    const args = [...passed.map((p) => p.text), ...scalars.map((s) => s.text)].join(", ");
    const targets = results.length === 0 ? undefined : targetsOf(scene, around, results, passed);
    if (targets === undefined) return "";
    const left =
      targets.length === 1 && random.chance(0.7) ? targets[0] : `(${targets.join(", ")})`;
    return `${left} = ${name}(${args})`;
  };
  const calls = Array.from({ length: times }, text).filter((line) => line !== "");
  if (calls.length === 0) {
    definitions.splice(at);
    return [];
  }
  updatePassed(scene, known, passed);
  const head = `def ${name}(${heads.join(", ")}) -> (${results.map((t) => resultText(known, t)).join(", ")}) {`;
  definitions[at] = [head, ...lines.map((line) => `  ${line}`), "}"].join("\n");
  return calls;
}
