/** Which features of the text a source uses: spellings, names. */
import type { Definition, Module, Statement } from "../../src/frontend/syntax/ast.ts";
import { eachAssign, eachAstStatement } from "../../src/frontend/syntax/walk-ast.ts";
import { scalarFunctions } from "../../src/support/scalar-functions.ts";

const spellings: Readonly<Record<string, RegExp>> = {
  comment: /#/,
  "TC's clause of equivalence": /<=>/,
  "hexadecimal literal": /\b0x[0-9a-f]/i,
  "exponent, lower case": /\d[.\d]*e[-+]?\d/,
  "exponent, upper case": /\d[.\d]*E[-+]?\d/,
  "literal without digits before the point": /(?<![\d\w])\.\d/,
  "float32 by its other name": /\bfloat32\b/,
  "float16 by its other name": /\bfloat16\b/,
  "int32 as a declared type": /\bint32(?:\([^)]*\))? [A-Za-z_]/,
};

/** Words that WGSL keeps for itself, of several kinds. */
const wgslWords: ReadonlySet<string> = new Set(
  "var fn let loop switch struct array ptr f32 i32 u32 vec2 texture_2d storage workgroup main".split(
    " ",
  ),
);

/** All features of texts. */
export const textFeatures: readonly string[] = [
  ...Object.keys(spellings),
  "word of WGSL as a name",
  "name with an underscore in front",
  "function as the name of a tensor",
  "function as the name of an index",
];

/** The names of indices and loops that a statement shows without resolving anything. */
function indexNames(s: Statement): readonly string[] {
  if (s.kind === "for") return [s.index.name];
  if (s.kind !== "assign") return [];
  return s.target.indices.flatMap((index) => (index.kind === "name" ? [index.name] : []));
}

function tensorNames(d: Definition): readonly string[] {
  const written = [...eachAssign(d.body)].map((s) => s.target);
  const declared = [...d.parameters, ...d.results].map((p) => p.name);
  return [...declared, ...written.map((target) => target.name)].map(({ name }) => name);
}

/** Counts the spellings and names of a source. */
export function countText(source: string, module: Module, count: (feature: string) => void): void {
  for (const [name, pattern] of Object.entries(spellings)) if (pattern.test(source)) count(name);
  const { definitions } = module;
  const tensors = new Set(definitions.flatMap(tensorNames));
  const indices = definitions.flatMap((d) => [...eachAstStatement(d.body)].flatMap(indexNames));
  const others = new Set([...definitions.map((d) => d.name.name), ...indices]);
  const isFunction = (name: string): boolean => Object.hasOwn(scalarFunctions, name);
  for (const name of new Set([...tensors, ...others])) {
    if (wgslWords.has(name)) count("word of WGSL as a name");
    if (name.startsWith("_")) count("name with an underscore in front");
  }
  for (const name of tensors) if (isFunction(name)) count("function as the name of a tensor");
  for (const name of others) if (isFunction(name)) count("function as the name of an index");
}
