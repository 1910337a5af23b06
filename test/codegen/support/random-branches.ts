/** Random kernels of branches beside each other, many under the same condition, which add to sums and store them. */
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

const [lanes, groups] = [4, 2] as const;
const sums = ["s", "t", "r"] as const;

const inBounds = op(local, "<", u(3));
/** The last one changes with a sum. */
const conditions: readonly E[] = [
  inBounds,
  inBounds,
  op(groupX, "<", u(1)),
  op(variable("t", "float32"), "<", f(9)),
];

/** An element of the invocation's own. */
function place(random: Random): E {
  const base = op(op(op(groupX, "*", u(lanes)), "+", local), "*", u(2));
  return op(base, "+", u(random.integer(0, 1)));
}

function value(random: Random): E {
  const leaf = (): E =>
    random.pick([
      ...sums.map((name) => variable(name, "float32")),
      f(random.integer(-4, 4)),
      load("x", local),
      load("y", place(random)),
    ]);
  return op(leaf(), random.pick(["+", "max"] as const), leaf());
}

function step(random: Random): S {
  return random.chance(0.8)
    ? assign(random.pick(sums), value(random))
    : store("y", place(random), value(random));
}

function statement(random: Random, n: number): S {
  const kind = random.integer(0, 9);
  if (kind === 0) return barrier("storage");
  if (kind === 1) return declare(`v${n}`, value(random));
  if (kind === 2) return step(random);
  const inside = Array.from({ length: random.integer(1, 2) }, () => step(random));
  return when(random.pick(conditions), inside);
}

export function randomBranches(random: Random): Kernel {
  const body = Array.from({ length: 8 }, (_, n) => statement(random, n));
  return kernelOf(
    [storage("x", lanes, "read"), storage("y", 2 * lanes * groups)],
    [
      ...sums.map((name) => declare(name, f(0), true)),
      ...(random.chance(0.3) ? [loop("again", 2, body)] : body),
      ...sums.slice(0, 2).map((name, n) => {
        const at = op(op(op(op(groupX, "*", u(lanes)), "+", local), "*", u(2)), "+", u(n));
        return store("y", at, op(variable(name, "float32"), "+", load("y", at)));
      }),
    ],
    { workgroupSize: lanes, grid: [groups, 1, 1] },
  );
}
