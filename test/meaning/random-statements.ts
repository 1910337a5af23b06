/**
 * Random definitions with no regard to whether they are legal: ranges, guards, paddings, loops and
 * branches as they come. Most are refused; those that are not put inference and bounds to the test.
 */
import { type Random, seededRandom } from "../../src/support/random.ts";

interface Scene {
  readonly random: Random;
  /** Ranks of the tensors that are there. */
  readonly ranks: Map<string, number>;
}

/** The text of a definition `f`, with one size `N`. */
export function randomStatements(seed: number): string {
  const random = seededRandom(seed);
  const ranks = new Map([
    ["X", 1],
    ["A", 2],
  ]);
  const scene = { random, ranks };
  const lines = Array.from({ length: random.integer(1, 4) }, () =>
    random.chance(0.35) ? loop(scene) : assign([], scene),
  );
  const results = [...ranks.keys()].filter((name) => name !== "A");
  const head = `def f(float(N) X, float(N, 4) A) -> (${results.join(", ")})`;
  return `${head} {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;
}

function simple(vars: readonly string[], random: Random): string {
  const v = random.pick(vars);
  const c = random.integer(1, 4);
  return random.pick([v, v, `${v} + ${c}`, `${v} - ${c}`, `${c} - ${v}`]);
}

/** An index that depends on every variable that it names. */
function index(vars: readonly string[], random: Random): string {
  const [v, w] = [random.pick(vars), random.pick(vars)];
  if (random.chance(0.35)) return v;
  const part = simple(vars, random);
  const more =
    v === w ? [] : [`${v} + ${w}`, `${v} + 2 * ${w}`, `${v} + ${w} / 2`, `${v} + ${w} % 2`];
  return random.pick([
    part,
    part,
    `${random.pick([-1, 2, 3])} * ${v} + ${random.integer(0, 4)}`,
    `(${part}) / ${random.integer(2, 4)}`,
    `(${part}) % ${random.integer(2, 5)}`,
    `${random.pick(["min", "max"])}(${part}, ${random.integer(0, 5)})`,
    `N - 1 - ${v}`,
    `X.0 - 1 - ${v}`,
    ...more,
  ]);
}

function condition(vars: readonly string[], random: Random): string {
  const operator = random.pick(["<", "<=", ">", ">=", "==", "!="]);
  const text = `${simple(vars, random)} ${operator} ${random.integer(-1, 6)}`;
  const other = `${simple(vars, random)} > ${random.integer(0, 4)}`;
  return random.pick([text, text, `!(${text})`, `${text} && ${other}`, `${text} || ${other}`]);
}

function access(vars: readonly string[], scene: Scene): string {
  const { random, ranks } = scene;
  const name = random.pick([...ranks.keys()]);
  const indices = Array.from({ length: ranks.get(name) ?? 0 }, () => index(vars, random));
  const plain = `${name}(${indices.join(", ")})`;
  const kind = random.next();
  if (kind < 0.08) return `pad(${plain})`;
  if (kind < 0.15) return `pad(${plain}, ${random.pick(["7.0", `float(${random.pick(vars)})`])})`;
  if (kind > 0.3) return plain;
  const other = random.chance(0.5) ? "1.0" : access(vars, scene);
  return `(${condition(vars, random)} ? ${plain} : ${other})`;
}

function bound(others: readonly string[], random: Random): string {
  const c = random.integer(0, 4);
  if (others.length === 0 || random.chance(0.5)) return random.pick([`${c}`, `${c}`, `N - ${c}`]);
  const v = random.pick(others);
  const shifts = [v, `${v} + ${c}`, `${v} - ${c}`, `2 * ${v}`];
  return random.pick([...shifts, `${v} / 2`, `${v} % 3`, `max(${v}, ${c})`, `min(${v}, ${c})`]);
}

function clauses(own: readonly string[], loops: readonly string[], random: Random): string {
  const ranged = own.filter(() => random.chance(0.5));
  const texts = ranged.map((v) => {
    const others = [...loops, ...own.filter((other) => other !== v)];
    const lower = random.chance(0.5) ? "0" : bound(others, random);
    const upper = random.chance(0.5) ? `${random.integer(1, 6)}` : bound(others, random);
    return `${v} in ${lower}:${upper}`;
  });
  return texts.length === 0 ? "" : ` where ${texts.join(", ")}`;
}

function assign(loops: readonly string[], scene: Scene): string {
  const { random, ranks } = scene;
  const own = ["i", "j", "k"].slice(0, random.pick([1, 1, 2, 2, 2, 3]));
  const vars = [...own, ...loops];
  const isNew = random.chance(0.6);
  const name = isNew ? `T${ranks.size}` : random.pick([...ranks.keys()].filter((n) => n !== "A"));
  const rank = isNew ? random.integer(0, 3) : (ranks.get(name) ?? 0);
  const left = Array.from({ length: rank }, () =>
    random.chance(0.8) ? random.pick(vars) : index(vars, random),
  );
  const first = access(vars, scene);
  const value = random.chance(0.6)
    ? first
    : `${first} ${random.pick(["+", "-", "*"])} ${access(vars, scene)}`;
  const operator = random.pick(["=", "+=!", "+=!", "max=!", "min=!", isNew ? "+=!" : "+="]);
  ranks.set(name, rank);
  return `${name}(${left.join(", ")}) ${operator} ${value}${clauses(own, loops, random)}`;
}

function loop(scene: Scene): string {
  const { random } = scene;
  const range = random.pick(["0:3", "1:4", "0:N", "N - 3:N", "2:X.0"]);
  const head = `for t in ${random.chance(0.4) ? `reversed(${range})` : range}`;
  const first = assign(["t"], scene);
  const kind = random.next();
  if (kind < 0.3) return `${head} { ${first}\n    ${assign(["t"], scene)} }`;
  if (kind < 0.5) {
    const inner = random.pick(["0:t + 1", "t:4", "reversed(0:t + 2)"]);
    return `${head} { for s in ${inner} { ${assign(["t", "s"], scene)} } }`;
  }
  if (kind < 0.75) return `${head} { ${first} }`;
  const branch = `if ${condition(["t"], random)} { ${first} }`;
  return `${head} { ${branch} else { ${assign(["t"], scene)} } }`;
}
