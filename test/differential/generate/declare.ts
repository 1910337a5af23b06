/** The texts of declarations. */
import type { ElementType, ScalarType } from "../../../src/support/scalar-type.ts";
import { dimensionText, type Scene, type SceneTensor } from "./scene.ts";

/** A type as it is written in declarations. */
export function typeName(type: ElementType): string {
  switch (type) {
    case "float32":
      return "float";
    case "float16":
      return "half";
    case "int32":
      return "int";
    default:
      return type;
  }
}

/** `float(N, M) A`. */
export function declared(scene: Scene, t: SceneTensor): string {
  const dims = t.shape.map((n) => dimensionText(scene, n)).join(", ");
  const shape = t.shape.length === 0 ? "" : `(${dims})`;
  return `${typeName(t.stored ?? t.type)}${shape} ${t.name}`;
}

/** A parameter, or a result that is one. */
export function resultText(scene: Scene, t: SceneTensor): string {
  if (t.parameter) return t.name;
  const must = t.stored !== undefined || t.name === "R";
  return must || scene.random.chance(0.25) ? declared(scene, t) : t.name;
}

/** The greatest absolute value of a narrow integer. */
const largest: Readonly<Record<string, number>> = {
  int8: 128,
  uint8: 255,
  int16: 32768,
  uint16: 65535,
};

/** The narrow types of which values are computed as the type. */
const narrowTypes: Partial<Record<ScalarType, readonly ElementType[]>> = {
  int32: ["int8", "int16"],
  uint32: ["uint8", "uint16"],
};

/** A tensor that is stored in less than a word, where its type has such a form. */
export function narrow(scene: Scene, t: SceneTensor, share: number): SceneTensor {
  const types = narrowTypes[t.type];
  if (types === undefined || !scene.random.chance(share)) return t;
  const stored = scene.random.pick(types);
  const magnitude = t.parameter ? (largest[stored] ?? t.magnitude) : t.magnitude;
  return { ...t, stored, magnitude };
}
