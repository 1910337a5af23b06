/**
 * WGSL functions for what WGSL lacks, or promises less of than the language does.
 *
 * A text works on scalars and vectors where it says `T` for the type of the value, `I`, `U` and `B`
 * for int32, uint32 and bool of its width; one that says `f32` works on scalars, and is applied to the
 * components of vectors. `@name` stands for a function of this folder, at the width of the text.
 *
 * All are finite where the true value is, and right at infinity, also on devices that assume that
 * there are no infinities: none comes of arithmetic, and arguments are tested by bits or order. The
 * accuracies in docs/language.md are those of devices that round sums and products correctly.
 */
import type { ScalarType } from "../../support/scalar-type.ts";
import type { Width } from "../kernel.ts";
import { bitTexts } from "./polyfills/bits.ts";
import { errorFunctionTexts } from "./polyfills/error-function.ts";
import { exponentialTexts } from "./polyfills/exponential.ts";
import { gammaTexts } from "./polyfills/gamma.ts";
import { halfTexts } from "./polyfills/half.ts";
import { hyperbolicTexts } from "./polyfills/hyperbolic.ts";
import { integerTexts } from "./polyfills/integer.ts";
import { logarithmTexts } from "./polyfills/logarithm.ts";
import { logisticTexts } from "./polyfills/logistic.ts";
import { powerTexts } from "./polyfills/power.ts";
import { remainderTexts } from "./polyfills/remainder.ts";
import { trigonometricTexts } from "./polyfills/trigonometric.ts";
import { wgslType } from "./wgsl-literals.ts";

/** The names of the functions. */
export type Polyfill =
  | keyof typeof integerTexts
  | keyof typeof bitTexts
  | keyof typeof halfTexts
  | keyof typeof exponentialTexts
  | keyof typeof logarithmTexts
  | keyof typeof powerTexts
  | keyof typeof trigonometricTexts
  | keyof typeof hyperbolicTexts
  | keyof typeof logisticTexts
  | keyof typeof errorFunctionTexts
  | keyof typeof gammaTexts
  | keyof typeof remainderTexts;

const texts: Readonly<Record<Polyfill, string>> = {
  ...integerTexts,
  ...bitTexts,
  ...halfTexts,
  ...exponentialTexts,
  ...logarithmTexts,
  ...powerTexts,
  ...trigonometricTexts,
  ...hyperbolicTexts,
  ...logisticTexts,
  ...errorFunctionTexts,
  ...gammaTexts,
  ...remainderTexts,
};

/** The name of a function at a width, in the text. */
export function polyfillName(polyfill: string, width: Width): string {
  return width === 1 ? `tc_${polyfill}` : `tc_${polyfill}_${width}`;
}

/** True for texts on scalars alone. */
function isScalar(polyfill: Polyfill): boolean {
  return /\bf32\b/.test(texts[polyfill]) && !/\b[TIUB]\b/.test(texts[polyfill]);
}

/** True for functions with a loop in them, whose text is too long for one copy per component. */
function hasLoop(polyfill: Polyfill): boolean {
  const callees = [...texts[polyfill].matchAll(/@(\w+)/g)].map(([, name]) => name as Polyfill);
  return (
    texts[polyfill].includes("for (") ||
    callees.some((callee) => callee !== polyfill && hasLoop(callee))
  );
}

/** The function on vectors that applies a scalar one to each component. */
function componentwise(polyfill: Polyfill, width: Width): string {
  const parameters = [...texts[polyfill].matchAll(/(?<=^fn[^)]*)\b(\w+): f32/g)].map(([, x]) => x);
  const vector = wgslType("float32", width);
  const list = parameters.map((name) => `${name}: ${vector}`).join(", ");
  const apply = (component: string): string =>
    `${polyfillName(polyfill, 1)}(${parameters.map((name) => name + component).join(", ")})`;
  const parts = [".x", ".y", ".z", ".w"].slice(0, width).map(apply);
  const body = hasLoop(polyfill)
    ? `  var v: ${vector};
  for (var n = 0; n < ${width}; n++) {
    v[n] = ${apply("[n]")};
  }
  return v;`
    : `  return ${vector}(${parts.join(", ")});`;
  return `fn ${polyfillName(polyfill, width)}(${list}) -> ${vector} {\n${body}\n}`;
}

function instantiate(polyfill: Polyfill, width: Width): string {
  if (width !== 1 && isScalar(polyfill)) return componentwise(polyfill, width);
  const types: Readonly<Record<string, ScalarType>> = {
    T: "float32",
    I: "int32",
    U: "uint32",
    B: "bool",
  };
  return texts[polyfill]
    .replace(/\b[TIUB]\b/g, (letter) => wgslType(types[letter] ?? "float32", width))
    .replace(/@(\w+)/g, (_, name: string) => polyfillName(name, width));
}

interface Use {
  readonly polyfill: Polyfill;
  readonly width: Width;
}

/** What the text of a function at a width calls. */
function dependencies({ polyfill, width }: Use): readonly Use[] {
  if (width !== 1 && isScalar(polyfill)) return [{ polyfill, width: 1 }];
  const names = [...texts[polyfill].matchAll(/@(\w+)/g)].map(([, name]) => name as Polyfill);
  return [...new Set(names)]
    .filter((name) => name !== polyfill)
    .map((name) => ({ polyfill: name, width }));
}

/** The text of the used functions and those that they call, each once. */
export function polyfillTexts(used: readonly Use[]): readonly string[] {
  const done = new Set<string>();
  const out: string[] = [];
  const visit = (use: Use): void => {
    const name = polyfillName(use.polyfill, use.width);
    if (done.has(name)) return;
    done.add(name);
    for (const other of dependencies(use)) visit(other);
    out.push(instantiate(use.polyfill, use.width));
  };
  for (const use of used) visit(use);
  return out;
}
