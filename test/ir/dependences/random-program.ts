import { noSpan } from "../../../src/diagnostics/span.ts";
import {
  type Affine,
  add,
  type Constraint,
  constant,
  nonnegative,
  scale,
  variable,
  zero,
} from "../../../src/ir/affine.ts";
import type { Dim, Domain, Quotient } from "../../../src/ir/domain.ts";
import { binary, type Expression, literal, read } from "../../../src/ir/expression.ts";
import { simpleMonoid } from "../../../src/ir/monoid.ts";
import {
  type Access,
  affineIndex,
  type Index,
  type Program,
  type ProgramNode,
  type Reduction,
  type Statement,
  type Tensor,
} from "../../../src/ir/program.ts";
import { type Random, seededRandom } from "../../../src/support/random.ts";

interface Context {
  readonly random: Random;
  readonly tensors: readonly Tensor[];
  readonly statements: Statement[];
  loops: number;
}

interface LoopDim extends Dim {
  readonly extentAtMost: number;
}

function randomAffine(random: Random, names: readonly string[], least: number): Affine {
  const parts: Affine[] = [constant(random.integer(least, 3))];
  for (let n = 0; n < 2 && names.length > 0; n++) {
    if (n === 0 || random.chance(0.3)) {
      parts.push(scale(variable(random.pick(names)), random.pick([1, 1, 1, -1, 2])));
    }
  }
  return add(...parts);
}

function randomDim(random: Random, name: string, outer: readonly string[]): Dim {
  const kind = outer.length > 0 ? random.next() : 1;
  if (kind < 0.12) {
    const upper = add(variable(random.pick(outer)), constant(random.integer(0, 2)));
    return { name, lower: constant(0), upper };
  }
  if (kind < 0.2) return { name, lower: variable(random.pick(outer)), upper: constant(4) };
  const lower = random.chance(0.25) ? 1 : 0;
  const upper = lower + random.integer(random.chance(0.1) ? 0 : 1, 5);
  return { name, lower: constant(lower), upper: constant(upper) };
}

function randomGuards(random: Random, names: readonly string[], p: number): readonly Constraint[] {
  if (names.length === 0 || !random.chance(p)) return [];
  const affine = randomAffine(random, names, -2);
  return [random.chance(0.25) ? zero(affine) : nonnegative(affine)];
}

function randomIndex(c: Context, names: readonly string[], reads: number): Index {
  const { random } = c;
  if (reads > 0 && random.chance(0.06)) {
    return { kind: "opaque", expression: read(random.integer(0, reads), "int32") };
  }
  return affineIndex(randomAffine(random, names, -1));
}

/** A write that covers the tensor: a dim for each coordinate, maybe swapped or reversed. */
function wholeWrite(random: Random, tensor: Tensor): { dims: Dim[]; index: Affine[] } {
  const names = ["i", "j"].slice(0, tensor.shape.length);
  if (random.chance(0.4)) names.reverse();
  const index = names.map((name, d) => {
    const last = (tensor.shape[d] ?? 0) - 1;
    return random.chance(0.3) ? add(constant(last), variable(name, -1)) : variable(name);
  });
  const dims = names.map((name, d) => {
    return { name, lower: constant(0), upper: constant(tensor.shape[d] ?? 0) };
  });
  return { dims: dims.sort((a, b) => (a.name < b.name ? -1 : 1)), index };
}

function sum(parts: readonly Expression[]): Expression {
  return parts.reduce((a, b) => binary("+", a, b, "float32"), literal(1, "float32"));
}

function randomReduction(
  c: Context,
  reduced: string | null,
  reads: readonly Access[],
): { reduction: Reduction | null; body: Expression } {
  const numbers = reads.map((_, n) => n);
  const some = numbers.filter(() => c.random.chance(0.6));
  const expression = (list: readonly number[]): Expression =>
    sum(list.map((n) => read(n, "float32")));
  if (reduced === null) return { reduction: null, body: expression(numbers) };
  const rest = numbers.filter((n) => !some.includes(n) || c.random.chance(0.3));
  return {
    reduction: {
      monoid: simpleMonoid("+", "float32"),
      dims: [reduced],
      init: c.random.chance(0.6) ? [expression(some)] : null,
      projected: true,
    },
    body: expression(rest),
  };
}

function randomDims(c: Context, loops: readonly LoopDim[]): Dim[] {
  const dims: Dim[] = [...loops];
  for (const name of ["i", "j"].slice(0, c.random.integer(0, 3))) {
    dims.push(
      randomDim(
        c.random,
        name,
        dims.map((d) => d.name),
      ),
    );
  }
  return dims;
}

function randomStatement(c: Context, loops: readonly LoopDim[]): Statement {
  const { random } = c;
  const tensor = random.pick(c.tensors);
  const whole = random.chance(0.5) ? wholeWrite(random, tensor) : null;
  const dims: Dim[] = whole === null ? randomDims(c, loops) : [...loops, ...whole.dims];
  const reduced = random.chance(0.3) ? "k" : null;
  const written = dims.map((d) => d.name);
  if (reduced !== null) dims.push(randomDim(random, reduced, written));
  const names = dims.map((d) => d.name);
  const quotients: Quotient[] = [];
  if (names.length > 0 && random.chance(0.25)) {
    const numerator = randomAffine(random, names, -2);
    quotients.push({ name: "q", numerator, divisor: random.integer(2, 4) });
  }
  const all = [...names, ...quotients.map((q) => q.name)];
  const domain: Domain = { dims, quotients, guards: randomGuards(random, all, 0.2) };
  const reads: Access[] = [];
  for (let n = random.integer(0, 3); n > 0; n--) {
    const from = random.pick(c.tensors);
    reads.push({
      tensor: from.name,
      index: from.shape.map(() => randomIndex(c, all, reads.length)),
      guard: randomGuards(random, all, 0.2),
      fill: 0,
    });
  }
  const scatter = reduced !== null && random.chance(0.3);
  const index =
    whole !== null && !scatter
      ? whole.index.map(affineIndex)
      : tensor.shape.map(() => randomIndex(c, scatter ? names : written, scatter ? 1 : 0));
  const { reduction, body } = randomReduction(c, reduced, reads);
  return {
    id: `S${c.statements.length}`,
    domain,
    loops: loops.map((l) => l.name),
    write: { tensor: tensor.name, index: reads.length === 0 ? index.map(opened) : index },
    reads,
    reduction: scatter && reduction !== null ? { ...reduction, init: null } : reduction,
    body: [body],
    span: noSpan,
  };
}

/** Without a read there is nothing to compute a coordinate from. */
function opened(index: Index): Index {
  return index.kind === "opaque" ? affineIndex(constant(0)) : index;
}

function randomNodes(c: Context, loops: readonly LoopDim[]): ProgramNode[] {
  const nodes: ProgramNode[] = [];
  for (let n = c.random.integer(1, loops.length === 0 ? 4 : 3); n > 0; n--) {
    if (loops.length < 2 && c.random.chance(0.4)) {
      const name = `t${c.loops++}`;
      const dim = randomDim(
        c.random,
        name,
        loops.map((l) => l.name),
      );
      const body = randomNodes(c, [...loops, { ...dim, extentAtMost: 5 }]);
      nodes.push({ kind: "loop", name, lower: dim.lower, upper: dim.upper, body });
    } else {
      const statement = randomStatement(c, loops);
      c.statements.push(statement);
      nodes.push({ kind: "statement", statement: statement.id });
    }
  }
  return nodes;
}

/**
 * A small program with loops, triangles, guards, quotients, reductions, scatters and accesses that
 * are shifted, strided, reversed or computed. Accesses may leave the tensors.
 */
export function randomProgram(seed: number): Program {
  const random = seededRandom(seed);
  const rank = random.integer(1, 3);
  const shape = Array.from({ length: rank }, () => random.integer(1, rank === 1 ? 7 : 4));
  const tensor = (name: string, extents: readonly number[]): Tensor => {
    return { name, components: ["float32"], shape: extents, role: "output", span: noSpan };
  };
  const tensors = [tensor("x", shape), tensor("y", [random.integer(1, 6)])];
  const c: Context = { random, tensors, statements: [], loops: 0 };
  const tree = randomNodes(c, []);
  return { name: "random", sizes: [], tensors, statements: c.statements, tree };
}
