/** Which features of the language a definition uses, read off its syntax tree. */
import type { Assign, Definition, Expression, For, If, Statement } from "../../src/frontend/ast.ts";
import { printExpression } from "../../src/frontend/print-ast.ts";
import { eachAssign, eachExpressionNode } from "../../src/frontend/walk-ast.ts";
import { scalarFunctions } from "../../src/support/scalar-functions.ts";

const types = ["float", "int", "uint32", "bool"];
const assignOperators = [
  ...["=", "-=", "/=", "argmin=!", "argmax=!"],
  ...["+", "*", "min", "max", "&&", "||"].flatMap((o) => [`${o}=`, `${o}=!`]),
];
const binaryOperators = "|| && < <= > >= == != + - * / %".split(" ");

/** All features; each must occur among the programs of a run. */
export const featureNames: readonly string[] = [
  ...types.flatMap((t) => [`${t} tensor`, `${t} scalar`]),
  ...["int8", "int16", "uint8", "uint16"].map((t) => `${t} tensor`),
  ...assignOperators.map((o) => `operator ${o}`),
  ...binaryOperators.map((o) => `expression ${o}`),
  ...["-", "!"].map((o) => `prefix ${o}`),
  ...["float", "int32", "uint32", "bool"].map((t) => `cast to ${t}`),
  ...Object.keys(scalarFunctions).map((f) => `function ${f}`),
  ...["fabs", "fmin", "fmax"].map((f) => `function ${f}`),
  "conditional",
  "infinity",
  "size as data",
  "extent",
  "coordinate as data",
  "pad",
  "pad with a value",
  "several statements",
  "temporary",
  "declared result",
  "compile-time parameter",
  "in place",
  "in place, other elements",
  "accumulated result without a parameter",
  "inferred ranges",
  "range clause",
  "let clause",
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
  "loop",
  "loop over a range",
  "reversed loop",
  "nested loops",
  "triangular loop",
  "recurrence",
  "if",
  "else",
  "else if",
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
      return `cast to ${node.type}`;
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

function countClauses(s: Assign, place: Place): void {
  const { count, tensors, sizes } = place;
  const ranges = s.clauses.filter((c) => c.kind === "range");
  const indices = s.target.indices.length > 0 || names(s.value).size > 0;
  if (ranges.length === 0 && indices) count("inferred ranges");
  for (const clause of s.clauses) {
    if (clause.kind === "let") {
      count("let clause");
      countData(clause.value, place);
    } else if (clause.kind === "range") {
      count("range clause");
      const used = [...names(clause.lower), ...names(clause.upper)];
      if (used.some((n) => !sizes.has(n) && !tensors.has(n))) count("triangular range");
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
    count(`${type.scalar} ${type.dimensions === undefined ? "scalar" : "tensor"}`);
    if (type.dimensions === undefined && sizes.has(name.name)) count("compile-time parameter");
    if (results.has(name.name)) count("in place");
  }
  if (d.results.some((r) => r.type !== undefined)) count("declared result");
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

/** How often a definition uses each feature. `sizes` are the names that have values. */
export function featuresOf(
  definition: Definition,
  sizes: readonly string[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const count: Count = (feature) => found.set(feature, (found.get(feature) ?? 0) + 1);
  const known = new Set(sizes);
  countSignature(definition, known, count);
  countWrites(definition, count);
  const tensors = new Set([
    ...definition.parameters.map((p) => p.name.name),
    ...[...eachAssign(definition.body)].map((s) => s.target.name.name),
  ]);
  const place: Place = { definition, tensors, sizes: known, loops: [], count };
  for (const s of definition.body) countStatement(s, place);
  return found;
}
