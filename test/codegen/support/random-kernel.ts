/**
 * Random kernels that are in bounds and deterministic: nested loops, conditions that the loops
 * decide in part, accesses that are in bounds only under their condition, memory that is only read
 * and memory that each invocation reads and writes itself, barriers.
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

/** Invocations, their workgroups, elements of the array that is read, of each one's own part. */
const [lanes, groups, readable, own] = [4, 3, 64, 8] as const;

interface State {
  readonly random: Random;
  names: number;
  readonly body: S[];
  /** Variables of loops around, and indices that were declared. */
  readonly indices: readonly E[];
  /** Values that were declared. */
  readonly values: readonly E[];
  readonly sums: readonly string[];
  readonly depth: number;
  /** Under no condition that differs between invocations. */
  readonly uniform: boolean;
}

interface Inner {
  readonly indices?: readonly E[];
  readonly uniform?: boolean;
}

function randomIndex({ random, indices }: State, depth = 2): E {
  const leaves = [...indices, ...indices, local, groupX, builtin("workgroup-y")];
  if (depth === 0 || random.chance(0.2)) return random.pick(leaves);
  const state = { random, indices } as State;
  const inner = (): E => randomIndex(state, depth - 1);
  switch (random.integer(0, 7)) {
    case 0:
      return op(inner(), "*", u(random.integer(1, 6)));
    case 1:
      return op(op(inner(), "/", u(random.integer(1, 4))), "+", inner());
    case 2:
      return op(inner(), "%", u(random.integer(1, 5)));
    case 3:
      return op(op(inner(), "+", u(random.integer(0, 4))), "-", u(random.integer(0, 4)));
    case 4:
      return op(op(u(9), "-", op(inner(), "min", u(9))), "+", inner());
    default:
      return op(inner(), "+", inner());
  }
}

/** A load of an element that is there, of the array that is only read, of vectors or its own. */
function randomLoad(state: State): E {
  const { random } = state;
  if (random.chance(0.2)) return load("y", ownIndex(state));
  if (random.chance(0.25)) {
    const vector = op(op(randomIndex(state), "min", u(readable / 4 - 1)), "*", u(4));
    const value = load("v", vector, "float32", 4);
    return {
      kind: "component",
      vector: value,
      index: random.integer(0, 4),
      type: load("x", u(0)).type,
    };
  }
  const bound = random.chance(0.5) ? ("%" as const) : ("min" as const);
  return load("x", op(randomIndex(state), bound, u(bound === "%" ? readable : readable - 1)));
}

/** An element that only this invocation touches. */
function ownIndex(state: State): E {
  const rows = op(op(groupX, "*", u(lanes * own)), "+", op(local, "*", u(own)));
  return op(rows, "+", op(randomIndex(state, 1), "%", u(own)));
}

function randomValue(state: State): E {
  const { random, values, sums } = state;
  const leaf = (): E => {
    if (values.length > 0 && random.chance(0.3)) return random.pick(values);
    return random.chance(0.2) ? variable(random.pick(sums), "float32") : randomLoad(state);
  };
  const value = random.chance(0.5) ? leaf() : op(leaf(), random.pick(["+", "-", "max"]), leaf());
  return random.chance(0.2) ? select(randomCondition(state), value, leaf()) : value;
}

function randomCondition(state: State): E {
  const { random } = state;
  const one = (): E =>
    op(
      randomIndex(state, 1),
      random.pick(["<", "<=", ">", ">=", "==", "!="]),
      u(random.integer(0, 7)),
    );
  return random.chance(0.3) ? op(one(), random.pick(["and", "or"]), one()) : one();
}

function fresh(state: State, hint: string): string {
  state.names += 1;
  return `${hint}${state.names}`;
}

function inside(state: State, inner: Inner): readonly S[] {
  const block: State = { ...state, ...inner, body: [], depth: state.depth - 1 };
  fill(block);
  state.names = block.names;
  return block.body;
}

/** An access that is in bounds only where the condition holds. */
function guardedAccess(state: State): S {
  const index = op(randomIndex(state), "+", op(local, "*", u(17)));
  const sum = state.random.pick(state.sums);
  const added = op(variable(sum, "float32"), "max", load("x", index));
  return when(op(index, "<", u(readable)), [assign(sum, added)]);
}

function randomStatement(state: State): void {
  const { random, body, sums, depth } = state;
  const sum = random.pick(sums);
  const kind = random.integer(0, depth > 0 ? 8 : 4);
  if (kind === 0) body.push(store("y", ownIndex(state), randomValue(state)));
  else if (kind === 1) body.push(guardedAccess(state));
  else if (kind <= 3)
    body.push(
      assign(sum, op(variable(sum, "float32"), random.pick(["+", "min"]), randomValue(state))),
    );
  else if (kind <= 5) {
    const name = fresh(state, "k");
    const extent = random.pick([1, 2, 3, 5]);
    const inner = inside(state, { indices: [...state.indices, variable(name)] });
    body.push(loop(name, extent, inner));
  } else if (kind === 6) {
    const inner = { uniform: false };
    const no = random.chance(0.4) ? inside(state, inner) : [];
    body.push(when(randomCondition(state), inside(state, inner), no));
  } else if (state.uniform) body.push(barrier("storage"));
}

function fill(state: State): void {
  const { random } = state;
  let block = state;
  for (let n = random.integer(1, 4); n > 0; n--) {
    if (random.chance(0.3)) {
      const name = fresh(block, "i");
      block.body.push(declare(name, randomIndex(block)));
      block = { ...block, indices: [...block.indices, variable(name)] };
    }
    if (random.chance(0.3)) {
      const name = fresh(block, "f");
      block.body.push(declare(name, randomValue(block)));
      block = { ...block, values: [...block.values, variable(name, "float32")] };
    }
    randomStatement(block);
  }
  state.names = block.names;
}

/** A random kernel over `x` and `v`, 64 elements that it reads, and `y`, 96 that it updates. */
export function randomKernel(random: Random): Kernel {
  const sums = ["s", "t"];
  const body: S[] = sums.map((name) => declare(name, load("x", u(random.integer(0, 9))), true));
  const state: State = {
    random,
    names: 0,
    body,
    indices: [],
    values: [],
    sums,
    depth: 3,
    uniform: true,
  };
  for (let n = 0; n < 3; n++) fill({ ...state, names: 100 * n });
  const at = op(op(groupX, "*", u(lanes * own)), "+", op(local, "*", u(own)));
  const results = sums.map((name, n) => store("y", op(at, "+", u(n)), variable(name, "float32")));
  return kernelOf(
    [
      storage("x", readable, "read"),
      storage("v", readable, "read", { width: 4 }),
      storage("y", lanes * groups * own),
    ],
    [...body, ...results],
    {
      workgroupSize: lanes,
      grid: [groups, 2, 1].slice(0, 1).concat([1, 1]) as [number, number, number],
    },
  );
}
