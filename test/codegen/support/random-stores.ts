/**
 * Random kernels whose invocations store, load and store again a few elements of their own: under
 * conditions that come more than once, in loops, beside barriers and variables that change.
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
  declare,
  f,
  groupX,
  kernelOf,
  load,
  local,
  loop,
  op,
  storage,
  store,
  u,
  variable,
  when,
} from "./kernels.ts";

/** Elements of an invocation, invocations, workgroups. */
const [own, lanes, groups] = [3, 4, 2] as const;

const sum = variable("s", "float32");
const conditions: readonly E[] = [
  op(local, "<", u(2)),
  op(groupX, "<", u(1)),
  op(sum, "<", f(3)),
  op(load("x", local), "<", f(0)),
];

interface State {
  readonly random: Random;
  /** Variables of loops around. */
  readonly loops: readonly E[];
  readonly uniform: boolean;
  names: { count: number };
}

function place({ random, loops }: State): E {
  const base = op(op(op(groupX, "*", u(lanes)), "+", local), "*", u(own));
  const part = loops.length > 0 && random.chance(0.3) ? random.pick(loops) : undefined;
  return op(base, "+", part ?? u(random.integer(0, own - 1)));
}

function value(state: State): E {
  const { random } = state;
  const leaf = (): E =>
    random.pick([sum, f(random.integer(-4, 4)), load("y", place(state)), load("x", local)]);
  return random.chance(0.5) ? leaf() : op(leaf(), random.pick(["+", "max"] as const), leaf());
}

function statement(state: State, depth: number): S {
  const { random, names } = state;
  const inside = (more: Partial<State>): readonly S[] =>
    statements({ ...state, ...more }, depth - 1, random.integer(1, 3));
  switch (random.integer(0, depth > 0 ? 8 : 5)) {
    case 0:
      return assign("s", value(state));
    case 1:
      names.count += 1;
      return declare(`v${names.count}`, value(state));
    case 2:
      if (state.uniform) return barrier("storage");
      return assign("s", value(state));
    case 6:
    case 7: {
      const condition = random.pick(conditions);
      const yes = inside({ uniform: false });
      return when(condition, yes, random.chance(0.3) ? inside({ uniform: false }) : []);
    }
    case 8: {
      names.count += 1;
      const k = `k${names.count}`;
      return loop(k, own, inside({ loops: [...state.loops, variable(k)] }));
    }
    default:
      return store("y", place(state), value(state));
  }
}

function statements(state: State, depth: number, count: number): readonly S[] {
  return Array.from({ length: count }, () => statement(state, depth));
}

/** Stores of neighbours in `w`, one after the other, some with another statement in between. */
function neighbours(state: State, width: number): readonly S[] {
  const { random } = state;
  const base = op(op(op(groupX, "*", u(lanes)), "+", local), "*", u(4));
  const first = random.chance(0.5) ? 0 : 4 - width;
  const places = Array.from({ length: width }, (_, n) => first + n);
  const order = random.chance(0.5) ? places : places.toReversed();
  return order.flatMap((n): readonly S[] => {
    const stored = store("w", op(base, "+", u(n)), value(state));
    return random.chance(0.5) ? [stored] : [stored, statement(state, random.chance(0.5) ? 1 : 0)];
  });
}

/** The same with neighbours in an array that is not loaded, some of them stored again. */
export function randomNeighbours(random: Random): Kernel {
  const state: State = { random, loops: [], uniform: true, names: { count: 0 } };
  const width = random.pick([2, 4]);
  const again = random.chance(0.2) ? neighbours(state, random.pick([2, 4])) : [];
  const body = [...neighbours(state, width), ...again];
  const inLoop = random.chance(0.3) ? [loop("again", 2, body)] : body;
  const kernel = randomStores(random);
  const [first, ...others] = kernel.body;
  const w = storage("w", groups * lanes * 4);
  return first === undefined
    ? kernel
    : {
        ...kernel,
        arrays: [...kernel.arrays, w],
        body: [first, ...inLoop, others.at(-1) ?? first],
      };
}

/** A kernel that is in bounds, deterministic and without races. */
export function randomStores(random: Random): Kernel {
  const body = statements({ random, loops: [], uniform: true, names: { count: 0 } }, 2, 8);
  return kernelOf(
    [storage("x", lanes, "read"), storage("y", groups * lanes * own), storage("z", groups * lanes)],
    [declare("s", f(1), true), ...body, store("z", op(op(groupX, "*", u(lanes)), "+", local), sum)],
    { workgroupSize: lanes, grid: [groups, 1, 1] },
  );
}
