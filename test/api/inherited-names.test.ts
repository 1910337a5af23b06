/**
 * Programs whose names are those that objects inherit: a record that is keyed by them, and has a prototype, finds
 * a function where it has no field, and loses what is stored as `__proto__`.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { planData, printModule, readPlan } from "../../src/emit.ts";
import {
  baselineProfile,
  check,
  compile,
  facts,
  findNonfinite,
  format,
  type HostTensors,
  interpret,
  namedProfiles,
  originsOf,
  outline,
  type Plan,
  ranges,
  verify,
} from "../../src/index.ts";
import { type GpuTensor, openRuntime, type Runtime } from "../../src/node.ts";

const hostile = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

/** What is named in the program, by its plain name. */
const classes = [
  "i",
  "r",
  "t",
  "x",
  "state",
  "sums",
  "total",
  "y",
  "N",
  "S",
  "all",
  "half2",
  "own",
  "q",
];

/** A name of each class: an index, a reduced one, a loop; an input, one in place, a temporary, a scalar, results; */
/** a size, a parameter; definitions and what they call; a result of a call; the index of an array. */
function sourceOf(name: (plain: string) => string): string {
  return `#! sizes N=5 K=3 S=2
def half2(float(N) v) -> (w) { w(k) = 0.5 * v(k) }
def all(float(N, K) x, float(N) state, int(N) at, int S) -> (y, state, total, q) {
  sums(i) +=! x(i, r) * x(i, r)
  total +=! x(i, r)
  for t in 0:S {
    state(i) = state(i) + sums(i) * x(i, t)
  }
  own = half2(state)
  y(i) = own(i) + total + sums(at(i))
  q(i) argmax=! x(i, r)
}`.replaceAll(/\b(?:i|r|t|x|state|sums|total|y|N|S|all|half2|own|q)\b/g, name);
}

const given = {
  x: Float32Array.from({ length: 15 }, (_, n) => ((n * 7) % 11) / 8),
  state: Float32Array.from([1, 2, 3, 4, 5]),
  at: Int32Array.from([4, 0, 3, 1, 2]),
};

interface Named {
  readonly title: string;
  readonly name: (plain: string) => string;
}

/** Each name takes the place of each other one in one of these; five names of a program change at once. */
const variants: readonly Named[] = [...classes.keys()].map((shift) => {
  const words = new Map(
    hostile.map((word, n) => [classes[(shift + 3 * n) % classes.length], word]),
  );
  return {
    title: [...words].map(([plain, word]) => `${word} for ${plain}`).join(", "),
    name: (one: string) => words.get(one) ?? one,
  };
});

function renamed<T>(fields: Readonly<Record<string, T>>, name: Named["name"]): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).map(([plain, value]) => [name(plain), value]));
}

/** The values of a record, whatever its fields are called. */
function valuesOf(fields: Readonly<Record<string, unknown>>, name: Named["name"]) {
  const found = new Map(Object.entries(fields));
  return ["y", "state", "total", "q"].map((plain) => [plain, found.get(name(plain))]);
}

const plainNames = (one: string): string => one;
const sizes = { N: 5, K: 3, S: 2 };
const expected = valuesOf(
  dataOf(interpret(sourceOf(plainNames), inputsOf(plainNames))),
  plainNames,
);

function inputsOf(name: Named["name"]) {
  return renamed({ ...given, x: { data: given.x, shape: [5, 3] }, S: 2 }, name);
}

function dataOf(tensors: HostTensors): Record<string, unknown> {
  return Object.fromEntries(Object.entries(tensors).map(([name, { data }]) => [name, [...data]]));
}

function planOf(name: Named["name"], request: Omit<Parameters<typeof compile>[1], "sizes">): Plan {
  const result = compile(sourceOf(name), {
    def: name("all"),
    sizes: renamed(sizes, name),
    ...request,
  });
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.plan;
}

function run(plan: Plan, name: Named["name"]) {
  const { outputs, faults } = interpretPlan(plan, renamed(given, name));
  expect(faults).toEqual([]);
  const data = Object.entries(outputs).map(([key, values]) => [key, [...values]]);
  return valuesOf(Object.fromEntries(data), name);
}

/** Down the columns of `x`. */
const columns = Float32Array.from(
  { length: 15 },
  (_, n) => given.x[(n % 5) * 3 + Math.floor(n / 5)] ?? 0,
);

let rt: Runtime;

beforeAll(async () => {
  rt = await openRuntime();
});

afterAll(() => rt.dispose());

async function read(tensors: Readonly<Record<string, GpuTensor>>) {
  const found = new Map<string, unknown>();
  for (const [name, tensor] of Object.entries(tensors)) found.set(name, [...(await tensor.read())]);
  return Object.fromEntries(found);
}

describe.each(variants)("$title", ({ name }) => {
  const source = sourceOf(name);

  it("is checked, formatted and outlined", () => {
    expect(check(source)).toMatchObject({ diagnostics: [] });
    expect(format(source)).toContain(name("sums"));
    const { definitions } = outline(source);
    expect(definitions.map((d) => d.name)).toEqual([name("half2"), name("all")]);
    const found = ranges(source, { def: name("all"), sizes: renamed(sizes, name) });
    expect(JSON.stringify(found)).toContain(JSON.stringify(name("r")));
  });

  it("is interpreted and verified", () => {
    const inputs = inputsOf(name);
    const outputs = interpret(source, inputs, { def: name("all") });
    expect(valuesOf(dataOf(outputs), name)).toEqual(expected);
    expect(verify(source, inputs, outputs, { def: name("all") }).decision).toBe("right");
    expect(findNonfinite(source, inputs, { def: name("all") })).toMatchObject({
      infinity: null,
      nan: null,
    });
  });

  it("is compiled for several profiles and policies, and executed", () => {
    for (const options of ["naive", "together"] as const)
      expect(run(planOf(name, { options }), name)).toEqual(expected);
    for (const profile of ["gpu", "llvmpipe"]) {
      expect(Object.hasOwn(namedProfiles, profile)).toBe(true);
      expect(run(planOf(name, { profile }), name)).toEqual(expected);
    }
    const layouts = { [name("x")]: { strides: [1, 5] } };
    expect(run(planOf(name, { layouts }), name)).toEqual(expected);
  });

  it("has mappings that are read back, facts, origins and a module", () => {
    const request = { def: name("all"), sizes: renamed(sizes, name), profile: "gpu" };
    const first = compile(source, request);
    if (!first.ok) throw new Error("not compiled");
    const options = JSON.parse(JSON.stringify(first.options));
    const again = compile(source, { ...request, options });
    expect(again).toMatchObject({ ok: true, repairs: [], unusedChoices: [] });
    if (!again.ok) throw new Error("not compiled");
    expect(again.plan).toEqual(first.plan);
    expect(facts(first.plan, namedProfiles["gpu"] ?? baselineProfile).length).toBe(
      first.plan.kernels.length,
    );
    expect(JSON.stringify(originsOf(first))).toContain(JSON.stringify(name("t")));
    const data = readPlan(JSON.parse(JSON.stringify(planData(first.plan))));
    expect(data).toMatchObject({ ok: true });
    expect(printModule(first.plan, { producer: "test" })).toContain(name("y"));
  });

  it("runs on a device, with arrays and with views", async () => {
    const kernels = new Map(Object.entries(rt.define(source)));
    const kernel = kernels.get(name("all"));
    if (kernel === undefined) throw new Error("no such definition");
    const inputs = inputsOf(name);
    const outputs = await kernel(inputs);
    expect(valuesOf(await read(outputs), name)).toEqual(expected);
    const whole = rt.tensor("float32", [3, 5], columns);
    const view = whole.view({ shape: [5, 3], strides: [1, 5] });
    const viewed = await kernel({ ...inputs, [name("x")]: view });
    expect(valuesOf(await read(viewed), name)).toEqual(expected);
  });
});
