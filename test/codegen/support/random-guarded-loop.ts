/**
 * Random kernels whose loops have conditions that are linear in the loop's variable, in values that all
 * invocations of a workgroup have in common, and in some that they have not; so that many trips do
 * nothing, or all of what the body says.
 */
import type {
  KernelExpression as E,
  Kernel,
  KernelStatement as S,
} from "../../../src/codegen/kernel.ts";
import type { Random } from "../../../src/support/random.ts";
import {
  assign,
  barrier,
  builtin,
  declare,
  exchange,
  groupX,
  kernelOf,
  load,
  local,
  loop,
  op,
  select,
  storage,
  store,
  u,
  variable,
  when,
} from "./kernels.ts";

/** Invocations, workgroups, elements that are read. */
const [lanes, columns, rows, readable] = [4, 5, 3, 96] as const;

const sums = ["s", "t"] as const;

interface State {
  readonly random: Random;
  readonly names: { next: number };
  /** Variables of the loops around, the innermost last. */
  readonly loops: readonly string[];
}

function scaled(random: Random, e: E): E {
  const factor = random.integer(1, 4);
  return factor === 1 ? e : op(e, "*", u(factor));
}

/** One side of a comparison: a sum of some of what there is. */
function side({ random }: State, terms: readonly E[]): E {
  const chosen = terms.filter(() => random.chance(0.6)).map((e) => scaled(random, e));
  const constant = u(random.integer(0, random.pick([4, 30])));
  return chosen.reduce((sum, e) => op(sum, "+", e), constant);
}

function comparison(state: State): E {
  const { random, loops } = state;
  const trip = variable(loops.at(-1) ?? "");
  const others = [
    groupX,
    builtin("workgroup-y"),
    local,
    ...loops.slice(0, -1).map((n) => variable(n)),
  ];
  const [left, right] = [scaled(random, trip), side(state, others)];
  const inSum = random.chance(0.4) ? op(left, "+", u(random.integer(1, 5))) : left;
  const relation = random.pick(["<", "<=", ">", ">=", "<", ">=", "==", "!="] as const);
  return random.chance(0.5) ? op(inSum, relation, right) : op(right, relation, inSum);
}

function condition(state: State): E {
  const { random } = state;
  const first = comparison(state);
  if (random.chance(0.6)) return first;
  return op(first, random.chance(0.8) ? "and" : "or", comparison(state));
}

function value(state: State): E {
  const { random, loops } = state;
  const at = loops.map((n) => scaled(random, variable(n))).reduce((a, b) => op(a, "+", b), local);
  const bound = random.chance(0.5) ? "min" : "%";
  const index = op(at, bound, u(bound === "%" ? readable : readable - 1));
  // In bounds whatever the loops do, so that conditions may share it.
  const plain = op(groupX, "+", variable(loops.at(-1) ?? ""));
  const loaded = load("x", random.chance(0.5) ? plain : index);
  return random.chance(0.2) ? select(comparison(state), loaded, load("x", local)) : loaded;
}

function update(state: State): S {
  const { random } = state;
  const name = random.pick(sums);
  const operator = random.pick(["+", "-", "min"] as const);
  return assign(name, op(variable(name, "float32"), operator, value(state)));
}

function statement(state: State): readonly S[] {
  const { random, names, loops } = state;
  const kind = random.integer(0, 20);
  if (kind === 0) return [update(state)];
  if (kind === 1) return [barrier("storage")];
  if (kind <= 4) {
    names.next += 1;
    const name = `v${names.next}`;
    const loaded = value(state);
    const made = random.chance(0.5)
      ? declare(name, loaded)
      : exchange(name, loaded, { kind: "broadcast", lane: u(random.integer(0, lanes)) });
    const use = assign("s", op(variable("s", "float32"), "+", variable(name, "float32")));
    return [made, when(condition(state), [use])];
  }
  if (kind <= 7 && loops.length < 2) {
    return [randomLoop(state, () => [when(condition(state), [update(state)])])];
  }
  const no = random.chance(0.1) ? [update(state)] : [];
  return [
    when(condition(state), [update(state), ...(random.chance(0.3) ? [update(state)] : [])], no),
  ];
}

function randomLoop(state: State, more: (inner: State) => readonly S[] = () => []): S {
  const { random, names } = state;
  names.next += 1;
  const name = `k${names.next}`;
  const inner = { ...state, loops: [...state.loops, name] };
  const body = Array.from({ length: random.integer(1, 4) }, () => statement(inner)).flat();
  return loop(name, random.pick([8, 9, 13, 20]), [...body, ...more(inner)]);
}

/** A random kernel over `x`, which it reads, with its results in `y`. */
export function randomGuardedLoop(random: Random): Kernel {
  const state: State = { random, names: { next: 0 }, loops: [] };
  const loops = Array.from({ length: random.integer(1, 3) }, () => randomLoop(state));
  const group = op(op(builtin("workgroup-y"), "*", u(columns)), "+", groupX);
  const at = op(op(op(group, "*", u(lanes)), "+", local), "*", u(sums.length));
  // The results under conditions that are alike, or under none.
  const guarded = random.chance(0.5);
  const terms = [groupX, builtin("workgroup-y")].map((e) => scaled(random, e));
  const [low, high] = random.chance(0.5) ? terms : [...terms].reverse();
  const limit = (n: number): E => {
    const row = op(op(low ?? groupX, "+", local), "+", u(n));
    return op(row, random.chance(0.5) ? ">=" : ">", high ?? groupX);
  };
  return kernelOf(
    [storage("x", readable, "read"), storage("y", lanes * columns * rows * sums.length)],
    [
      ...sums.map((name) => declare(name, load("x", local), true)),
      ...loops,
      ...sums.map((name, n) => {
        const stored = store("y", op(at, "+", u(n)), variable(name, "float32"));
        return guarded ? when(limit(n), [stored]) : stored;
      }),
    ],
    { workgroupSize: lanes, subgroupSize: lanes, grid: [columns, rows, 1] },
  );
}
