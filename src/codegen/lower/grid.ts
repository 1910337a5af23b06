/** The grid of a kernel: from the numbers of a workgroup to the iterations of grid loops. */
import type { Loop } from "../../ir/schedule.ts";
import {
  addIndex,
  builtinOf,
  clampIndex,
  compare,
  divideIndex,
  indexLiteral,
  indexType,
  moduloIndex,
  scaleIndex,
  subtractIndex,
} from "../build.ts";
import type { Builtin, KernelExpression } from "../kernel.ts";
import type { IndexVariable } from "./variables.ts";

/** Workgroups per dimension and the index variables of grid loops. */
export interface Grid {
  readonly extents: readonly [number, number, number];
  readonly variables: ReadonlyMap<string, IndexVariable>;
  /** Those of the variables that are worth a name: renumbered in bands. */
  readonly computed: ReadonlyMap<string, IndexVariable>;
  /** Workgroups beyond this linear number do nothing; null when there are none. */
  readonly guard: { readonly linear: KernelExpression; readonly count: number } | null;
}

/** Where a workgroup is in some bands of `size` of `count` lines, each `length` long. */
function inBands(
  linear: KernelExpression,
  count: number,
  length: number,
  size: number,
): { readonly line: KernelExpression; readonly place: KernelExpression } {
  const whole = Math.floor(count / size);
  const within = moduloIndex(linear, size * length);
  const line = addIndex(
    scaleIndex(divideIndex(linear, size * length), size),
    moduloIndex(within, size),
  );
  const place = divideIndex(within, size);
  const rest = count - whole * size;
  if (rest === 0) return { line, place };
  // The last band has fewer lines.
  const first = indexLiteral(whole * size * length);
  const beyond = subtractIndex(linear, first);
  const last = {
    line: addIndex(moduloIndex(beyond, rest), indexLiteral(whole * size)),
    place: divideIndex(beyond, rest),
  };
  if (whole === 0) return last;
  const choose = (whenTrue: KernelExpression, whenFalse: KernelExpression): KernelExpression => ({
    kind: "select",
    condition: compare("<", linear, first),
    whenTrue,
    whenFalse,
    type: indexType,
  });
  return { line: choose(line, last.line), place: choose(place, last.place) };
}

/** The two innermost loops with the workgroups renumbered in bands of one; none without bands. */
function renumbered(
  inner: readonly Loop[],
  variables: ReadonlyMap<string, IndexVariable>,
): ReadonlyMap<string, IndexVariable> {
  const [fast, slow] = inner;
  const striped = [slow, fast].find((l) => (l?.bands ?? 1) > 1);
  const other = striped === fast ? slow : fast;
  const [x, y] = [variables.get(fast?.id ?? ""), variables.get(slow?.id ?? "")];
  if (striped === undefined || other === undefined || x === undefined || y === undefined) {
    return new Map();
  }
  const linear = addIndex(scaleIndex(y.expression, fast?.extent ?? 1), x.expression);
  const { line, place } = inBands(linear, striped.extent, other.extent, striped.bands ?? 1);
  // What it is anyway, in a form whose range anybody can see.
  const put = (loop: Loop, e: KernelExpression): [string, IndexVariable] => [
    loop.id,
    { range: { lo: 0, hi: loop.extent - 1 }, expression: clampIndex(e, loop.extent - 1) },
  ];
  return new Map([put(striped, line), put(other, place)]);
}

/** The grid of some loops, the last the fastest, on a device with a limit per dimension. */
export function gridOf(loops: readonly Loop[], limit: number): Grid {
  const inner = loops.filter((l) => l.extent > 1).reverse();
  const builtins: readonly Builtin[] = ["workgroup-x", "workgroup-y", "workgroup-z"];
  const variables = new Map<string, IndexVariable>();
  const put = (loop: Loop, expression: KernelExpression): void => {
    variables.set(loop.id, { range: { lo: 0, hi: loop.extent - 1 }, expression });
  };
  if (inner.length <= 3 && inner.every((l) => l.extent <= limit)) {
    for (const [i, loop] of inner.entries()) put(loop, builtinOf(builtins[i] ?? "workgroup-z"));
    const at = (i: number): number => inner[i]?.extent ?? 1;
    const extents = [at(0), at(1), at(2)] as const;
    return { extents, variables, computed: renumbered(inner, variables), guard: null };
  }
  const count = inner.reduce((product, l) => product * l.extent, 1);
  // Rows of one length, so that few workgroups at the end have nothing to do.
  const y = Math.max(1, Math.ceil(count / limit));
  const x = Math.ceil(count / y);
  const linear =
    y === 1
      ? builtinOf("workgroup-x")
      : addIndex(scaleIndex(builtinOf("workgroup-y"), x), builtinOf("workgroup-x"));
  let stride = 1;
  for (const loop of inner) {
    put(loop, moduloIndex(divideIndex(linear, stride), loop.extent));
    stride *= loop.extent;
  }
  const guard = x * y > count ? { linear, count } : null;
  return { extents: [x, y, 1], variables, computed: renumbered(inner, variables), guard };
}
