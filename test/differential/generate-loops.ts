/**
 * Random definitions with loops: recurrences at distances of 1 and more, elementwise and through products, guarded,
 * in place, reversed and nested, over triangles, with statements beside them that wait for nothing. Each comes
 * in two texts that mean the same: with its loops, and with all of their iterations written out.
 */
import { type Random, seededRandom } from "../../src/support/random.ts";
import type { TcCase } from "./generate-tc.ts";

/** A definition with loops, and without. */
export interface LoopCase {
  readonly looped: TcCase;
  readonly written: TcCase;
}

/** Statements as text, `$t` and `$u` standing for the indices of loops. */
type Node =
  | { readonly kind: "text"; readonly text: string }
  /** From 0 to an end, which is `$t` plus a constant or a constant. */
  | {
      readonly kind: "for";
      readonly name: string;
      readonly end: End;
      readonly body: readonly Node[];
    }
  | { readonly kind: "if"; readonly above: number; readonly then: Node; readonly else: Node };

interface End {
  readonly of: string | null;
  readonly plus: number;
}

/** A program while it is drawn. */
interface Draft {
  readonly random: Random;
  readonly steps: number;
  readonly reversed: boolean;
  /** What is run before the loop, inside and behind it. */
  readonly before: string[];
  readonly inside: Node[];
  readonly after: string[];
  /** Values over `b, c` that an iteration has at hand. */
  readonly pool: string[];
  /** Tensors over `b, c`, for products. */
  readonly rows: string[];
  readonly results: string[];
  count: number;
}

const range = "b in 0:B, c in 0:C";

function fresh(d: Draft, letter: string): string {
  return `${letter}${d.count++}`;
}

function text(...lines: readonly string[]): Node {
  return { kind: "text", text: lines.join("\n") };
}

/** A value of an iteration. */
function value(d: Draft): string {
  const { random } = d;
  const [a, b] = [random.pick(d.pool), random.pick(d.pool)];
  const forms = [
    a,
    `0.5 * ${a} + ${b}`,
    `tanh(${a}) + 0.25`,
    `max(${a}, ${b}) - 0.5`,
    `${a} * v($t)`,
  ];
  return random.pick(forms);
}

function offer(d: Draft, tensor: string, element: string): void {
  d.pool.push(element);
  if (element === `${tensor}(b, c)`) d.rows.push(tensor);
}

/** What is at hand at the end goes into a result. */
function show(d: Draft, tensor: string): void {
  const name = fresh(d, "out");
  d.after.push(`${name}(b, c) = ${tensor}(b, c) + 1.0`);
  d.results.push(name);
}

function addMap(d: Draft): void {
  const name = fresh(d, "m");
  d.inside.push(text(`${name}($t, b, c) = ${value(d)} where ${range}`));
  offer(d, name, `${name}($t, b, c)`);
  d.results.push(name);
}

function addTemporary(d: Draft): void {
  const name = fresh(d, "p");
  d.inside.push(text(`${name}(b, c) = ${value(d)} where ${range}`));
  offer(d, name, `${name}(b, c)`);
}

function addProduct(d: Draft): void {
  const name = fresh(d, "z");
  const factor = d.random.chance(0.6) ? "x($t, b, k)" : `${d.random.pick(d.rows)}(b, k)`;
  const source = factor.startsWith("none") ? "x($t, b, k)" : factor;
  d.inside.push(text(`${name}(b, c) +=! 0.25 * w(c, k) * ${source} where ${range}`));
  offer(d, name, `${name}(b, c)`);
  if (d.random.chance(0.5)) d.inside.push(text(`${name}(b, c) += ${value(d)} where ${range}`));
}

/** A recurrence at a distance, in a tensor that keeps all steps. */
function addRecurrence(d: Draft): void {
  const { random } = d;
  const name = fresh(d, "h");
  const far = random.pick([1, 1, 2, 3]);
  const first = d.reversed ? d.steps : 0;
  d.before.push(`${name}(i, b, c) = 0.5 where i in ${first}:${first + far}, ${range}`);
  const [now, then] = d.reversed ? ["$t", `$t + ${far}`] : [`$t + ${far}`, "$t"];
  const forms = [
    `${name}(${now}, b, c) = 0.5 * ${name}(${then}, b, c) + ${value(d)} where ${range}`,
    `${name}(${now}, b, c) +=! 0.25 * w(c, k) * ${name}(${then}, b, k) + 0.5 * x($t, b, k) where ${range}`,
    `${name}(${now}, b, c) +=! 0.25 * w(c, k) * ${name}(${then}, b, k) where ${range}\n${name}(${now}, b, c) += 0.25 * w(k, c) * x($t, b, k) where ${range}`,
    `${name}(${now}, b, c) = max(${name}(${then}, b, c), ${value(d)}) where ${range}`,
  ];
  d.inside.push(text(random.pick(forms)));
  offer(d, name, `${name}(${now}, b, c)`);
  d.results.push(name);
}

/** A state that is updated in place. */
function addState(d: Draft): void {
  const { random } = d;
  const name = fresh(d, "s");
  d.before.push(`${name}(b, c) = 1.0 where ${range}`);
  const forms = [
    `${name}(b, c) = 0.5 * ${name}(b, c) + ${value(d)} where ${range}`,
    `${name}(b, c) += ${value(d)} where ${range}`,
    `${name}(b, c) max= ${value(d)} where ${range}`,
    `${name}(b, c) = v($t) * ${name}(b, c) where ${range}`,
  ];
  const update = text(random.pick(forms));
  const above = random.integer(0, d.steps);
  const guarded: Node = { kind: "if", above, then: update, else: text() };
  d.inside.push(random.chance(0.3) ? guarded : update);
  offer(d, name, `${name}(b, c)`);
  show(d, name);
}

/** A state through a product, which all of its rows have to be there for. */
function addMixed(d: Draft): void {
  const [name, next] = [fresh(d, "r"), fresh(d, "n")];
  d.before.push(`${name}(b, c) = 0.25 where ${range}`);
  d.inside.push(
    text(
      `${next}(b, c) +=! 0.25 * w(c, k) * ${name}(b, k) where ${range}`,
      `${name}(b, c) = ${next}(b, c) + ${value(d)} where ${range}`,
    ),
  );
  offer(d, name, `${name}(b, c)`);
  show(d, name);
}

/** A state, or a tensor of all steps, whose steps compose: with factors that are never above 1, or an extreme. */
function addComposed(d: Draft): void {
  const { random } = d;
  const name = fresh(d, "a");
  const factor = random.pick(["0.75", "sigmoid(v($t))", "clamp(x($t, b, c), -1.0, 1.0)"]);
  const forms = (then: string): readonly string[] => [
    `${factor} * ${then} + ${value(d)}`,
    `${then} + sigmoid(v($t)) * (${value(d)} - ${then})`,
    `max(${value(d)}, max(${then}, v($t)))`,
    `v($t) > 0.0 ? ${then} : ${value(d)}`,
  ];
  if (random.chance(0.5)) {
    d.before.push(`${name}(b, c) = 0.5 where ${range}`);
    d.inside.push(text(`${name}(b, c) = ${random.pick(forms(`${name}(b, c)`))} where ${range}`));
    offer(d, name, `${name}(b, c)`);
    show(d, name);
    return;
  }
  const [first, now, then] = d.reversed ? [d.steps, "$t", "$t + 1"] : [0, "$t + 1", "$t"];
  d.before.push(`${name}(i, b, c) = 0.5 where i in ${first}:${first + 1}, ${range}`);
  const body = random.pick(forms(`${name}(${then}, b, c)`));
  d.inside.push(text(`${name}(${now}, b, c) = ${body} where ${range}`));
  offer(d, name, `${name}(${now}, b, c)`);
  d.results.push(name);
}

/** First an own start, then from the step before. */
function addGuarded(d: Draft): void {
  const name = fresh(d, "g");
  const far = d.random.pick([1, 2]);
  if (far >= d.steps) return;
  const late = text(
    `${name}($t, b, c) = 0.5 * ${name}($t - ${far}, b, c) + ${value(d)} where ${range}`,
  );
  const early = text(`${name}($t, b, c) = ${value(d)} where ${range}`);
  const back = text(
    `${name}($t, b, c) = 0.5 * ${name}($t + ${far}, b, c) + ${value(d)} where ${range}`,
  );
  const node: Node = d.reversed
    ? { kind: "if", above: d.steps - far, then: early, else: back }
    : { kind: "if", above: far, then: late, else: early };
  d.inside.push(node);
  offer(d, name, `${name}($t, b, c)`);
  d.results.push(name);
}

function addTriangle(d: Draft): void {
  const name = fresh(d, "q");
  const op = d.random.pick(["+=!", "max=!"]);
  d.inside.push(text(`${name}(b, c) ${op} x(j, b, c) where j in 0:$t + 1, ${range}`));
  offer(d, name, `${name}(b, c)`);
}

/** A table whose elements follow from those above and to the left, all of it or its lower half. */
function addNested(d: Draft): void {
  const name = fresh(d, "e");
  const half = d.random.chance(0.4);
  const columns = d.random.integer(2, 5);
  const width = half ? d.steps + 2 : columns + 1;
  d.before.push(
    `${name}(i, 0, b) = 1.0 where i in 0:${d.steps + 1}, b in 0:B`,
    `${name}(0, j, b) = 0.5 where j in 1:${width}, b in 0:B`,
  );
  if (half)
    d.before.push(`${name}(i, j, b) = 0.0 where i in 1:${d.steps + 1}, j in 1:${width}, b in 0:B`);
  const end = half ? { of: "$t", plus: 1 } : { of: null, plus: columns };
  const body = `${name}($t + 1, $u + 1, b) = 0.5 * ${name}($t, $u + 1, b) + 0.25 * ${name}($t + 1, $u, b) + x($t, b, 0) where b in 0:B`;
  d.inside.push({ kind: "for", name: "u", end, body: [text(body)] });
  d.results.push(name);
}

/** A reduction over a triangle, beside the loop. */
function addPrefix(d: Draft): void {
  const name = fresh(d, "y");
  const op = d.random.pick(["+=!", "max=!", "+=!"]);
  const spans = ["j in 0:i + 1", "j in 0:i", "j in i:T", "j in i + 1:T"];
  const span = op === "max=!" ? d.random.pick(["j in 0:i + 1", "j in i:T"]) : d.random.pick(spans);
  d.after.push(`${name}(b, i) ${op} x(j, b, 0) where i in 0:T, ${span}, b in 0:B`);
  d.results.push(name);
}

const parts = [
  ...[addMap, addTemporary, addProduct, addRecurrence, addState, addMixed],
  ...[addGuarded, addTriangle, addNested, addPrefix, addRecurrence, addProduct],
  ...[addComposed, addComposed],
];

function drafted(seed: number): Draft {
  const random = seededRandom(seed);
  const d: Draft = {
    random,
    steps: random.integer(2, 9),
    reversed: false,
    ...{ before: [], inside: [], after: [], results: [], count: 0 },
    pool: ["x($t, b, c)"],
    rows: ["none"],
  };
  return d;
}

function draw(seed: number): Draft {
  const d = { ...drafted(seed), reversed: seed % 4 === 0 };
  // Tables and triangles grow with the steps: not where these run backwards.
  const usable = d.reversed ? parts.filter((p) => p !== addNested) : parts;
  for (let n = d.random.integer(2, 5); n > 0; n--) d.random.pick(usable)(d);
  if (d.results.length === 0) addMap(d);
  if (d.inside.length === 0) addTemporary(d);
  if (d.random.chance(0.2)) addPrefix(d);
  return d;
}

function put(line: string, values: ReadonlyMap<string, number | string>): string {
  return line.replace(/\$[tu]/g, (name) => String(values.get(name) ?? name));
}

/** The text with loops. */
function withLoops(nodes: readonly Node[], names: ReadonlyMap<string, string>): string {
  return nodes.map((node) => looped(node, names)).join("\n");
}

function looped(node: Node, names: ReadonlyMap<string, string>): string {
  if (node.kind === "text") return put(node.text, names);
  if (node.kind === "if") {
    const [yes, no] = [node.then, node.else].map((n) => looped(n, names));
    return `if ${names.get("$t")} >= ${node.above} {\n${yes}\n} else {\n${no}\n}`;
  }
  const of = node.end.of === null ? "" : `${put(node.end.of, names)} + `;
  const inner = new Map(names).set(`$${node.name}`, node.name);
  return `for ${node.name} in 0:${of}${node.end.plus} {\n${withLoops(node.body, inner)}\n}`;
}

/** The text of one iteration, written out. */
function writtenOut(nodes: readonly Node[], values: ReadonlyMap<string, number>): string {
  return nodes.map((node) => written(node, values)).join("\n");
}

function written(node: Node, values: ReadonlyMap<string, number>): string {
  if (node.kind === "text") return put(node.text, values);
  if (node.kind === "if") {
    return written((values.get("$t") ?? 0) >= node.above ? node.then : node.else, values);
  }
  const end = (node.end.of === null ? 0 : (values.get(node.end.of) ?? 0)) + node.end.plus;
  const turns = Array.from({ length: end }, (_, at) => new Map(values).set(`$${node.name}`, at));
  return turns.map((inner) => writtenOut(node.body, inner)).join("\n");
}

function defOf(d: Draft, body: string): string {
  return [
    `def f(float(T, B, C) x, float(C, C) w, float(T) v) -> (${d.results.join(", ")}) {`,
    ...d.before,
    body,
    ...d.after,
    "}",
  ].join("\n");
}

/** A definition with loops; the same seed gives the same. */
export function generateLoops(seed: number): LoopCase {
  const d = draw(seed);
  const order = d.reversed ? `reversed(0:${d.steps})` : `0:${d.steps}`;
  const loop = withLoops(d.inside, new Map([["$t", "t"]]));
  const steps = Array.from({ length: d.steps }, (_, n) => (d.reversed ? d.steps - 1 - n : n));
  const all = steps.map((t) => writtenOut(d.inside, new Map([["$t", t]]))).join("\n");
  const sizes = { T: d.steps, B: d.random.integer(1, 4), C: d.random.integer(1, 5) };
  const common = { sizes, population: "reals", inputSeed: seed } as const;
  const source = defOf(d, `for t in ${order} {\n${loop}\n}`);
  return {
    looped: { ...common, name: `loops ${seed}`, source },
    written: { ...common, name: `loops ${seed} written out`, source: defOf(d, all) },
  };
}
