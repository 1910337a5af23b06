/** What options that several calls have in common have to be. */
import type { OptionKind } from "./check-call-shape.ts";

type SharedOption =
  | "def"
  | "shapes"
  | "layouts"
  | "shared"
  | "symbolic"
  | "padded"
  | "temporaries"
  | "profile"
  | "onStage";

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value: unknown): boolean => typeof value === "string";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isShape = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((n) => typeof n === "number"));

/** Of options that mean the same in all calls. */
export const optionKinds: Readonly<Record<SharedOption, OptionKind>> = {
  def: { is: isText, wanted: "the name of a definition" },
  shapes: {
    is: (value) => isObject(value) && Object.values(value as object).every(isShape),
    wanted: "an object of lists of numbers { A: [64, 32] }",
  },
  layouts: {
    is: (value) => isObject(value) && Object.values(value as object).every(isObject),
    wanted: "an object of objects { A: { strides: [1, 64] } }",
  },
  shared: {
    is: (value) => Array.isArray(value) && value.every(isTexts),
    wanted: 'a list of lists of names [["A", "B"]]',
  },
  symbolic: {
    is: (value) => isObject(value) || isTexts(value),
    wanted: 'a list of names ["N"], or an object { N: { min: 1 } }',
  },
  padded: { is: (value) => typeof value === "boolean", wanted: "true or false" },
  temporaries: { is: isTexts, wanted: 'a list of names ["t"]' },
  profile: {
    is: (value) => isText(value) || isObject(value),
    wanted: "the name of a profile, or one that a runtime made",
  },
  onStage: { is: (value) => typeof value === "function", wanted: "a function" },
};
