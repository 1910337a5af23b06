/**
 * Random definitions in the source language: typed, with every access inside of what is written, every
 * feature of the front end among them, and sizes small enough for executions to be cheap. The same
 * seed gives the same text.
 */
import { type Random, seededRandom } from "../../src/support/random.ts";
import type { ScalarType } from "../../src/support/scalar-type.ts";
import { body } from "./generate/body.ts";
import { declared, narrow, resultText, typeName } from "./generate/declare.ts";
import { rename } from "./generate/rename.ts";
import { respell } from "./generate/respell.ts";
import { isSmall, isWhole, type Scene, type SceneTensor } from "./generate/scene.ts";
import { parameterTensor } from "./generate/statement.ts";
import { writtenNames } from "./generate/written-names.ts";

/** How a definition's inputs are drawn: see inputs.ts. */
export type Population = "integers" | "reals";

/** A definition with all that fixes what it computes. */
export interface TcCase {
  readonly name: string;
  readonly source: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly population: Population;
  /** Of the inputs. */
  readonly inputSeed: number;
}

const extents = [1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 11, 13, 16, 17];

function drawSizes(random: Random): Scene["sizes"] {
  const names = ["N", "M", "K"].slice(0, random.integer(1, 4));
  return names.map((name) => ({ name, value: random.pick(extents) }));
}

function addTensor(scene: Scene, name: string, type: ScalarType, rank: number): void {
  const { random, sizes, tensors } = scene;
  const writable = random.chance(name === "X" ? 1 : 0.12);
  const shape = Array.from({ length: rank }, () => {
    return random.chance(0.85) ? random.pick(sizes).value : random.integer(1, 7);
  });
  if (!isSmall(shape)) return;
  tensors.push(narrow(scene, parameterTensor(name, type, shape, writable), 0.45));
}

function drawParameters(scene: Scene): void {
  const { random } = scene;
  addTensor(scene, "A", "float32", random.integer(1, 3));
  addTensor(scene, "B", "float32", random.integer(1, 4));
  if (random.chance(0.5)) addTensor(scene, "I", "int32", random.pick([1, 1, 2]));
  if (random.chance(0.25)) addTensor(scene, "U", "uint32", random.integer(1, 3));
  if (random.chance(0.25)) addTensor(scene, "P", "bool", random.integer(1, 3));
  if (random.chance(0.25)) addTensor(scene, "H", "float16", random.integer(1, 4));
  if (random.chance(0.45))
    addTensor(
      scene,
      "X",
      random.pick(["float32", "float32", "int32", "float16", "uint32"]),
      random.integer(1, 3),
    );
}

function drawScalars(random: Random): Scene["scalars"] {
  const all = [
    { name: "alpha", type: "float32" },
    { name: "shift", type: "int32" },
    { name: "mask", type: "uint32" },
    { name: "flag", type: "bool" },
    { name: "weight", type: "float16" },
  ] as const;
  return all.filter(() => random.chance(0.2));
}

/** A result that the caller supplies although it is no parameter: its first write accumulates. */
function accumulator(scene: Scene): readonly string[] {
  const { random } = scene;
  const source = scene.tensors.find(
    (t) => t.type === "float32" && t.shape.length === 1 && isWhole(t),
  );
  if (source === undefined || !random.chance(0.08)) return [];
  scene.tensors.push({ ...source, name: "R", writable: false, parameter: false });
  return [`R(i) += ${source.name}(i)`];
}

/** The results: what is in place, what was written last, and some of the rest. */
function drawResults(scene: Scene, written: ReadonlySet<string>): readonly SceneTensor[] {
  const { random, tensors } = scene;
  const own = tensors.filter((t) => !t.parameter);
  const last = own.at(-1);
  return tensors.filter((t) => {
    if (t.parameter) return written.has(t.name);
    return t === last || t.name === "R" || t.stored !== undefined || random.chance(0.3);
  });
}

/** A random definition; the population decides which functions it may call. */
export function generateTc(seed: number): TcCase {
  const random = seededRandom(seed ^ 0x2545f491);
  const population = random.chance(0.6) ? "integers" : "reals";
  const stride = random.chance(0.2) ? random.integer(1, 4) : 0;
  const draft: Scene = {
    random,
    exact: population === "integers",
    sizes: drawSizes(random),
    scalars: drawScalars(random),
    stride,
    tensors: [],
    definitions: [],
    depth: 0,
    names: new Map(),
  };
  drawParameters(draft);
  const heads = draft.tensors.map((t) => declared(draft, t));
  for (const s of draft.scalars) heads.push(`${typeName(s.type)} ${s.name}`);
  // A size that no parameter mentions is none.
  const mentioned = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(heads.join());
  const scene = { ...draft, sizes: draft.sizes.filter((s) => mentioned(s.name)) };
  const lines = [...body(scene), ...accumulator(scene)];
  const written = writtenNames(lines);
  if (scene.tensors.every((t) => t.parameter) && written.size === 0) {
    lines.push("T0(i) = 1.0 where i in 0:3");
    scene.tensors.push({ ...parameterTensor("T0", "float32", [3], true), parameter: false });
  }
  const results = drawResults(scene, written).map((t) => resultText(scene, t));
  const usesStride = /\bS\b/.test([...heads, ...results, ...lines].join("\n"));
  if (usesStride) heads.push("int S");
  const head = `def random(${heads.join(", ")}) -> (${results.join(", ")}) {`;
  const main = [head, ...lines.map((line) => `  ${line}`), "}"].join("\n");
  const called = scene.definitions;
  // A definition may be called above its text.
  const texts = random.chance(0.75) ? [...called, main] : [main, ...called];
  const plain = `${texts.join("\n\n")}\n`;
  const spelled = random.chance(0.3) ? respell(random, plain) : plain;
  const sizes = Object.fromEntries(scene.sizes.map((s) => [s.name, s.value]));
  const given = usesStride ? { ...sizes, S: stride } : sizes;
  const named = random.chance(0.3)
    ? rename(random, spelled, given)
    : { source: spelled, sizes: given };
  return { name: `random-${seed}`, ...named, population, inputSeed: seed };
}
