/** Random bodies: statements, loops, branches, calls. */
import { isFloat } from "../../../src/support/scalar-type.ts";
import { type Around, draftOf } from "./around.ts";
import { call } from "./call.ts";
import {
  extentOf,
  freshName,
  loopLimit,
  replaceTensor,
  type Scene,
  type SceneTensor,
  sizeText,
  type Variable,
} from "./scene.ts";
import { statements } from "./statement.ts";

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** The range of a loop with its text; undefined when the outer loops leave none. */
function loopRange(scene: Scene, around: Around): { text: string; lo: number; hi: number } {
  const { random } = scene;
  const size = random.pick(scene.sizes.filter((s) => s.value <= 6).concat({ name: "3", value: 3 }));
  const outer = around.loops.at(-1);
  const end = sizeText(scene, size.value);
  if (outer !== undefined && outer.lo >= 0 && random.chance(0.35)) {
    if (random.chance(0.5)) return { text: `0:${outer.name} + 1`, lo: 0, hi: outer.hi };
    const hi = Math.max(outer.hi + 1, size.value);
    return { text: `${outer.name}:${hi}`, lo: outer.lo, hi: hi - 1 };
  }
  if (random.chance(0.5)) return { text: end, lo: 0, hi: size.value - 1 };
  const lo = random.integer(0, Math.min(2, size.value));
  return { text: `${lo}:${end}`, lo, hi: size.value - 1 };
}

function loopHead(scene: Scene, v: Variable, text: string): string {
  const ranged = text.includes(":");
  if (scene.random.chance(0.25))
    return `for ${v.name} in reversed(${ranged ? text : `0:${text}`}) {`;
  return `for ${v.name} in ${text} {`;
}

function loop(scene: Scene, around: Around): readonly string[] {
  const range = loopRange(scene, around);
  const name = freshName(scene, "t");
  const v: Variable = { name, lo: range.lo, hi: range.hi, ranged: "loop" };
  const trips = around.trips * Math.max(1, extentOf(v));
  if (trips > 40) return [];
  const before = new Set(scene.tensors.map((t) => t.name));
  const inside = { loops: [...around.loops, v], trips, branch: around.branch };
  const body = block(scene, inside, scene.random.integer(1, 3));
  for (const t of scene.tensors) {
    if (!t.writable || t.magnitude === Infinity) continue;
    const limit = loopLimit(t.type);
    const most = before.has(t.name) ? Math.max(limit, t.magnitude) : limit;
    const magnitude = isFloat(t.type) ? 2 * most : 2 ** 32;
    replaceTensor(scene, { ...t, magnitude });
  }
  return body.length === 0 ? [] : [loopHead(scene, v, range.text), ...indented(body), "}"];
}

/** A condition on loop indices and sizes. */
function condition(scene: Scene, loops: readonly Variable[]): string {
  const { random } = scene;
  const v = random.pick(loops);
  const value = random.integer(v.lo, v.hi + 2);
  const single = random.pick([
    `${v.name} == ${value}`,
    `${v.name} < ${value}`,
    `${v.name} >= ${value}`,
    `${v.name} != ${value}`,
    `${v.name} % 2 == 0`,
    `2 * ${v.name} < ${sizeText(scene, random.integer(1, 9))}`,
    `${random.pick(loops).name} + ${v.name} <= ${value}`,
    `!(${v.name} > ${value})`,
  ]);
  if (random.chance(0.75)) return single;
  return `${single} ${random.pick(["&&", "||"])} ${random.pick(loops).name} > ${v.lo}`;
}

function branches(scene: Scene, around: Around): readonly string[] {
  const { random } = scene;
  const inside = { ...around, branch: true };
  const part = (): readonly string[] => indented(block(scene, inside, 1));
  const lines = [`if ${condition(scene, around.loops)} {`, ...part()];
  if (random.chance(0.25)) lines.push(`} else if ${condition(scene, around.loops)} {`, ...part());
  if (random.chance(0.5)) lines.push("} else {", ...part());
  lines.push("}");
  return lines;
}

/** A tensor that keeps every step: written at `t`, read at `t - 1` (backwards: at `t + 1`). */
function history(scene: Scene): readonly string[] {
  const { random, sizes } = scene;
  const steps = random.pick(sizes.filter((s) => s.value >= 2 && s.value <= 7));
  const width = random.pick(sizes.filter((s) => s.value <= 9));
  if (steps === undefined || width === undefined) return [];
  const name = freshName(scene, "T");
  const t = freshName(scene, "t");
  const shape = [steps.value, width.value];
  const covered = shape.map((n) => ({ lo: 0, hi: n - 1 }));
  const backwards = random.chance(0.3);
  const before = `${name}(${t} ${backwards ? "+" : "-"} 1, `;
  const range = `j in 0:${width.name}`;
  const mixes = random.chance(0.4);
  const step = mixes
    ? `${name}(${t}, i) +=! clamp(${before}j), -2.0, 2.0) where i in 0:${width.name}, ${range}`
    : `${name}(${t}, j) = clamp(${before}j), -9.0, 9.0) + float(j - ${t}) where ${range}`;
  const first = `${name}(${backwards ? `${steps.name} - 1` : 0}, j) = float(j) where ${range}`;
  const whole: SceneTensor = {
    name,
    type: "float32",
    shape,
    covered,
    magnitude: 64,
    writable: true,
    parameter: false,
  };
  scene.tensors.push(whole);
  const start = backwards ? `${t} == ${steps.name} - 1` : `${t} == 0`;
  if (random.chance(0.5)) {
    const head = backwards
      ? `for ${t} in reversed(0:${steps.name}) {`
      : `for ${t} in ${steps.name} {`;
    const at = first.replace(/\(.*?,/, `(${t},`);
    return [head, `  if ${start} { ${at} }`, `  else { ${step} }`, "}"];
  }
  const head = backwards
    ? `for ${t} in reversed(0:${steps.name} - 1) {`
    : `for ${t} in 1:${steps.name} {`;
  return [first, head, `  ${step}`, "}"];
}

/** A tensor that every step of a loop computes anew from all of what it was. */
function state(scene: Scene): readonly string[] {
  const { random, sizes } = scene;
  const width = random.pick(sizes.filter((s) => s.value >= 2).concat({ name: "4", value: 4 }));
  const [name, copy] = [freshName(scene, "T"), freshName(scene, "T")];
  const t = freshName(scene, "t");
  const range = `where i in 0:${width.name}`;
  const read = random.pick([
    `${name}(${width.name} - 1 - i)`,
    `(i == 0 ? 0.0 : ${name}(i - 1))`,
    `pad(${name}(i + 1), 1.0)`,
  ]);
  const made = { type: "float32", shape: [width.value], magnitude: 64 } as const;
  const covered = [{ lo: 0, hi: width.value - 1 }];
  scene.tensors.push({ ...made, name, covered, writable: false, parameter: false });
  scene.tensors.push({ ...made, name: copy, covered, writable: true, parameter: false });
  return [
    `${name}(i) = float(i) ${range}`,
    `for ${t} in ${random.pick(["3", "1:5", "reversed(0:4)"])} {`,
    `  ${name}(i) = clamp(${read} + float(${t}), -8.0, 8.0) ${range}`,
    "}",
    `${copy}(i) = ${name}(i) + float(i)`,
  ];
}

/** A statement, or some that belong together. */
function element(scene: Scene, around: Around): readonly string[] {
  const kind = scene.random.next();
  const depth = around.loops.length;
  const plain = !around.branch;
  if (kind < 0.22 && depth < 2 && plain) return loop(scene, around);
  if (kind < 0.28 && depth === 0) return history(scene);
  if (kind < 0.33 && depth === 0) return state(scene);
  if (kind < 0.45 && depth > 0 && plain) return branches(scene, around);
  if (kind < 0.53) return call(scene, around, block);
  return statements(draftOf(scene, around), { mayCreate: plain });
}

/** Some statements, one after the other. */
function block(scene: Scene, around: Around, count: number): readonly string[] {
  return Array.from({ length: count }).flatMap(() => element(scene, around));
}

/** The body of a definition. */
export function body(scene: Scene): readonly string[] {
  const around = { loops: [], trips: 1, branch: false };
  return block(scene, around, scene.random.integer(1, 4));
}
