/** Which features of the language a source uses, read off its syntax tree. */

import { markCalls } from "../../src/frontend/calls/mark-calls.ts";
import type {
  Assign,
  Definition,
  Expression,
  For,
  If,
  ScalarName,
  Statement,
} from "../../src/frontend/syntax/ast.ts";
import { parse } from "../../src/frontend/syntax/parse.ts";
import { printExpression } from "../../src/frontend/syntax/print-ast.ts";
import {
  eachAssign,
  eachAstStatement,
  eachExpressionNode,
} from "../../src/frontend/syntax/walk-ast.ts";
import { scalarFunctions } from "../../src/support/scalar-functions.ts";
import { callFeatures, countCalls } from "./call-features.ts";
import { countText, textFeatures } from "./text-features.ts";

const types = ["float", "half", "int", "uint32", "bool"];
const narrowIntegers = ["int8", "int16", "uint8", "uint16"];
const assignOperators = [
  ...["=", "-=", "/=", "argmin=!", "argmax=!"],
  ...["+", "*", "min", "max", "&&", "||"].flatMap((o) => [`${o}=`, `${o}=!`]),
];
const binaryOperators = "|| && < <= > >= == != + - * / %".split(" ");

/** All features; each must occur among the programs of a run. */
export const featureNames: readonly string[] = [
  ...types.flatMap((t) => [`${t} tensor`, `${t} scalar`]),
  ...narrowIntegers.flatMap((t) => [`${t} tensor`, `${t} result`, `cast to ${t}`]),
  "half result",
  ...assignOperators.map((o) => `operator ${o}`),
  ...binaryOperators.map((o) => `expression ${o}`),
  ...["-", "!"].map((o) => `prefix ${o}`),
  ...types.map((t) => `cast to ${t}`),
  ...Object.keys(scalarFunctions).map((f) => `function ${f}`),
  ...["fabs", "fmin", "fmax"].map((f) => `function ${f}`),
  "conditional",
  "infinity",
  "size as data",
  "extent",
  "coordinate as data",
  "pad",
  "pad with a value",
  "several definitions",
  "several statements",
  "several results",
  "temporary",
  "declared result",
  "compile-time parameter",
  "in place",
  "in place, other elements",
  "accumulated result without a parameter",
  "inferred ranges",
  "range clause",
  "let clause",
  "exists clause",
  "exists clause alone",
  "several clauses on one index",
  "extent in a range",
  "size arithmetic in a range",
  "size arithmetic in a shape",
  "compile-time parameter in a shape",
  "compile-time parameter in a range",
  "triangular range",
  "no index on the left",
  "constant index",
  "repeated index",
  "shifted index",
  "strided index",
  "reversed index",
  "quotient as index",
  "remainder as index",
  "quotient on the left",
  "constant on the left",
  "shift on the left",
  "stride on the left",
  "clamped index",
  "product as index",
  "gather",
  "scatter",
  "guarded access",
  "access guarded by &&",
  "access guarded by ||",
  "loop",
  "loop over a range",
  "reversed loop",
  "nested loops",
  "triangular loop",
  "recurrence",
  "if",
  "else",
  "else if",
  ...callFeatures,
  ...textFeatures,
];

type Count = (feature: string) => void;

interface Place {
  readonly definition: Definition;
  readonly tensors: ReadonlySet<string>;
  readonly sizes: ReadonlySet<string>;
  readonly loops: readonly For[];
  readonly count: Count;
}

function names(e: Expression): ReadonlySet<string> {
  return new Set([...eachExpressionNode(e)].flatMap((n) => (n.kind === "name" ? [n.name] : [])));
}

function countIndex(index: Expression, left: boolean, place: Place): void {
  const { count, tensors } = place;
  for (const node of eachExpressionNode(index)) {
    if (node.kind === "apply" && tensors.has(node.name.name)) count(left ? "scatter" : "gather");
    else if (node.kind === "apply") count("clamped index");
    else if (node.kind === "binary") countIndexOperator(node, left, count);
  }
  if (index.kind === "integer") count(left ? "constant on the left" : "constant index");
}

function countIndexOperator(
  e: Extract<Expression, { kind: "binary" }>,
  left: boolean,
  count: Count,
): void {
  const plain = (part: Expression): boolean => part.kind === "integer" || part.kind === "name";
  switch (e.operator) {
    case "/":
      count(left ? "quotient on the left" : "quotient as index");
      return;
    case "%":
      count("remainder as index");
      return;
    case "*":
      if (!plain(e.left) && !plain(e.right)) count("product as index");
      else count(left ? "stride on the left" : "strided index");
      return;
    case "+":
    case "-":
      if (e.right.kind === "integer") count(left ? "shift on the left" : "shifted index");
      if (e.operator === "-" && e.right.kind === "name") count("reversed index");
  }
}

/** The nodes of an expression, those inside of indices left out. */
function* dataNodes(e: Expression, tensors: ReadonlySet<string>): Generator<Expression> {
  yield e;
  if (e.kind === "apply" && tensors.has(e.name.name)) return;
  for (const part of directParts(e)) yield* dataNodes(part, tensors);
}

function directParts(e: Expression): readonly Expression[] {
  switch (e.kind) {
    case "apply":
      return e.arguments;
    case "cast":
    case "unary":
      return [e.operand];
    case "pad":
      return e.value === undefined ? [e.access] : [e.access, e.value];
    case "binary":
      return [e.left, e.right];
    case "conditional":
      return [e.condition, e.then, e.otherwise];
    default:
      return [];
  }
}

/** What a node of a value counts as; undefined for literals and what is counted elsewhere. */
function featureOf(node: Expression, { tensors, sizes }: Place): string | undefined {
  switch (node.kind) {
    case "binary":
      return `expression ${node.operator}`;
    case "unary":
      return `prefix ${node.operator}`;
    case "cast":
      return `cast to ${plainName(node.type)}`;
    case "apply":
      return tensors.has(node.name.name) ? undefined : `function ${node.name.name}`;
    case "conditional":
    case "infinity":
    case "extent":
      return node.kind;
    case "pad":
      return node.value === undefined ? "pad" : "pad with a value";
    case "name":
      if (tensors.has(node.name)) return undefined;
      return sizes.has(node.name) ? "size as data" : "coordinate as data";
    default:
      return undefined;
  }
}

function countData(e: Expression, place: Place): void {
  const { count, tensors } = place;
  for (const node of dataNodes(e, tensors)) {
    const feature = featureOf(node, place);
    if (feature !== undefined) count(feature);
    if (node.kind === "conditional") countGuard(node, place);
    if (node.kind === "binary") countShortCircuit(node, place);
  }
  for (const node of eachExpressionNode(e)) {
    if (node.kind !== "apply" || !tensors.has(node.name.name)) continue;
    for (const index of node.arguments) countIndex(index, false, place);
    const bare = node.arguments.flatMap((a) => (a.kind === "name" ? [a.name] : []));
    if (new Set(bare).size < bare.length) count("repeated index");
  }
}

function countGuard(e: Extract<Expression, { kind: "conditional" }>, place: Place): void {
  const reads = [...eachExpressionNode(e.condition)].some(
    (n) => n.kind === "apply" && place.tensors.has(n.name.name),
  );
  const guarded = [e.then, e.otherwise].some((b) => b.kind === "apply");
  if (guarded && !reads) place.count("guarded access");
}

function countShortCircuit(
  { operator, left, right }: Extract<Expression, { kind: "binary" }>,
  { tensors, count }: Place,
): void {
  if (operator !== "&&" && operator !== "||") return;
  if (right.kind !== "apply" || !tensors.has(right.name.name)) return;
  if ([...eachExpressionNode(left)].some((n) => n.kind === "apply")) return;
  count(`access guarded by ${operator}`);
}

function countClauses(s: Assign, place: Place): void {
  const { count } = place;
  const ranges = s.clauses.filter((c) => c.kind === "range");
  const indices = s.target.indices.length > 0 || names(s.value).size > 0;
  if (ranges.length === 0 && indices) count("inferred ranges");
  for (const clause of s.clauses) {
    if (clause.kind === "let") {
      count("let clause");
      countData(clause.value, place);
    } else if (clause.kind === "exists") {
      count("exists clause");
      if (ranges.length === 0 && s.clauses.length === 1) count("exists clause alone");
    } else countRange(clause, place);
  }
  const ranged = ranges.map((c) => c.name.name);
  if (new Set(ranged).size < ranged.length) count("several clauses on one index");
}

function countRange(
  { lower, upper }: { readonly lower: Expression; readonly upper: Expression },
  { count, sizes, tensors, definition }: Place,
): void {
  count("range clause");
  const used = [...names(lower), ...names(upper)];
  if (used.some((n) => !sizes.has(n) && !tensors.has(n))) count("triangular range");
  const scalars = definition.parameters.filter((p) => p.type.dimensions === undefined);
  if (used.some((n) => scalars.some((p) => p.name.name === n))) {
    count("compile-time parameter in a range");
  }
  for (const node of [lower, upper].flatMap((e) => [...eachExpressionNode(e)])) {
    if (node.kind === "extent") count("extent in a range");
    if (node.kind === "binary" && [...names(node)].every((n) => sizes.has(n))) {
      count("size arithmetic in a range");
    }
  }
}

/** Reads of the target at other indices than the left side's. */
function countOwnReads(s: Assign, { count, loops }: Place): void {
  const left = s.target.indices.map(printExpression).join(", ");
  const values = [s.value, ...s.clauses.flatMap((c) => (c.kind === "let" ? [c.value] : []))];
  const others = values
    .flatMap((e) => [...eachExpressionNode(e)])
    .filter((n) => n.kind === "apply")
    .filter((n) => n.name.name === s.target.name.name)
    .filter((n) => n.arguments.map(printExpression).join(", ") !== left);
  if (others.length === 0) return;
  count("in place, other elements");
  if (loops.length > 0) count("recurrence");
}

function countAssign(s: Assign, place: Place): void {
  place.count(`operator ${s.operator}`);
  countData(s.value, place);
  for (const index of s.target.indices) countIndex(index, true, place);
  if (s.target.indices.length === 0) place.count("no index on the left");
  countClauses(s, place);
  countOwnReads(s, place);
}

function countStatement(s: Statement, place: Place): void {
  if (s.kind === "assign") countAssign(s, place);
  if (s.kind === "for") countLoop(s, place);
  if (s.kind === "if") countIf(s, place);
}

function countLoop(s: For, place: Place): void {
  const { count, loops } = place;
  count("loop");
  if (s.lower !== undefined) count("loop over a range");
  if (s.reversed) count("reversed loop");
  if (loops.length > 0) count("nested loops");
  const used = [...(s.lower === undefined ? [] : names(s.lower)), ...names(s.upper)];
  if (used.some((n) => loops.some((l) => l.index.name === n))) count("triangular loop");
  for (const inner of s.body) countStatement(inner, { ...place, loops: [...loops, s] });
}

function countIf(s: If, place: Place): void {
  place.count("if");
  if (s.branches.length > 1) place.count("else if");
  if (s.otherwise.length > 0) place.count("else");
  for (const { body } of s.branches) for (const inner of body) countStatement(inner, place);
  for (const inner of s.otherwise) countStatement(inner, place);
}

function countSignature(d: Definition, sizes: ReadonlySet<string>, count: Count): void {
  const results = new Set(d.results.map((r) => r.name.name));
  for (const { type, name } of d.parameters) {
    count(`${plainName(type.scalar)} ${type.dimensions === undefined ? "scalar" : "tensor"}`);
    if (type.dimensions === undefined && sizes.has(name.name)) count("compile-time parameter");
    if (results.has(name.name)) count("in place");
  }
  countResults(d, count);
  countShapes(d, count);
}

function countResults({ results }: Definition, count: Count): void {
  if (results.length > 1) count("several results");
  for (const { type } of results) {
    if (type === undefined) continue;
    count("declared result");
    count(`${plainName(type.scalar)} result`);
  }
}

function countShapes(d: Definition, count: Count): void {
  const scalars = d.parameters.filter((p) => p.type.dimensions === undefined);
  for (const node of dimensionsOf(d).flatMap((e) => [...eachExpressionNode(e)])) {
    if (node.kind === "binary") count("size arithmetic in a shape");
    if (node.kind === "name" && scalars.some((p) => p.name.name === node.name)) {
      count("compile-time parameter in a shape");
    }
  }
}

/** The dimensions in a definition's head. */
function dimensionsOf(d: Definition): readonly Expression[] {
  return [...d.parameters, ...d.results].flatMap((p) => p.type?.dimensions ?? []);
}

/** Of the names of one type the one in the table. */
function plainName(type: ScalarName): string {
  const plain: Readonly<Record<string, string>> = {
    float32: "float",
    float16: "half",
    int32: "int",
  };
  return plain[type] ?? type;
}

function countWrites(d: Definition, count: Count): void {
  const parameters = new Set(d.parameters.map((p) => p.name.name));
  const results = new Set(d.results.map((r) => r.name.name));
  const writes = [...eachAssign(d.body)];
  if (writes.length > 1) count("several statements");
  const first = new Map<string, Assign>();
  for (const s of writes.toReversed()) first.set(s.target.name.name, s);
  for (const [name, { operator }] of first) {
    if (!results.has(name)) count("temporary");
    const accumulates = operator.length > 1 && !operator.endsWith("!") && operator !== "/=";
    if (accumulates && results.has(name) && !parameters.has(name)) {
      count("accumulated result without a parameter");
    }
  }
}

function countDefinition(definition: Definition, sizes: readonly string[], count: Count): void {
  const known = new Set([...sizes, ...dimensionsOf(definition).flatMap((e) => [...names(e)])]);
  countSignature(definition, known, count);
  countWrites(definition, count);
  const tensors = new Set([
    ...definition.parameters.map((p) => p.name.name),
    ...[...eachAstStatement(definition.body)]
      .flatMap((s) => (s.kind === "assign" ? [s.target] : s.kind === "call" ? s.targets : []))
      .map(({ name }) => name.name),
  ]);
  const place: Place = { definition, tensors, sizes: known, loops: [], count };
  for (const s of definition.body) countStatement(s, place);
}

/** How often a source uses each feature. `sizes` are the names that have values. */
export function featuresOf(source: string, sizes: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const count: Count = (feature) => found.set(feature, (found.get(feature) ?? 0) + 1);
  const module = markCalls(parse(source).module);
  if (module.definitions.length > 1) count("several definitions");
  for (const definition of module.definitions) countDefinition(definition, sizes, count);
  countCalls(module, count);
  countText(source, module, count);
  return found;
}
