import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generate } from "../../src/codegen/generate.ts";
import type { KernelStatement } from "../../src/codegen/kernel.ts";
import type { Origin } from "../../src/codegen/origin.ts";
import { withOriginsOf } from "../../src/codegen/rewrite-kernel.ts";
import { eachKernelStatement, ownLoads } from "../../src/codegen/walk-kernel.ts";
import { type CompileRequest, compile, lowerSource } from "../../src/compile.ts";
import { mapProgram } from "../../src/ir/mapping/map-program.ts";
import { baselineProfile, llvmpipeProfile } from "../../src/support/device-profile.ts";
import { someOf } from "../support/sweep.ts";

/** The origins of all loads, stores and loops; undefined for what has none. */
function originsIn(body: readonly KernelStatement[]): readonly (Origin | undefined)[] {
  return eachKernelStatement(body).flatMap((s) => {
    const loads = ownLoads(s).map((load) => load.origin);
    switch (s.kind) {
      case "store":
      case "atomic":
      case "loop":
      case "fragment":
      case "store-fragment":
        return [s.origin, ...loads];
      default:
        return loads;
    }
  });
}

const examples = readdirSync("examples").filter((file) => file.endsWith(".tc"));

/** The origins in all kernels of an example. */
function originsOf(source: string, request: CompileRequest): readonly (Origin | undefined)[] {
  const compiled = compile(source, request);
  if (!compiled.ok) throw new Error(source);
  return compiled.plan.kernels.flatMap(({ kernel }) => originsIn(kernel.body));
}

/** Families of GPUs differ from `gpu` in figures. */
const profiles = ["baseline", "gpu", "llvmpipe", "swiftshader"];

test.each(profiles)(
  "on %s at least 95 % of the loads, stores and loops of the examples have an origin",
  (profile) => {
    const half = Math.ceil(examples.length / 2);
    const all = someOf(examples, half, profiles.indexOf(profile)).flatMap((file) => {
      const source = readFileSync(`examples/${file}`, "utf8");
      // Plain kernels are much alike for all devices.
      const policies =
        profile === "baseline" ? (["default", "naive"] as const) : ["default" as const];
      const found = policies.flatMap((options) => originsOf(source, { profile, options }));
      for (const { start, end } of found.flatMap((o = []) => o.flatMap((part) => part.spans))) {
        expect(start).toBeLessThan(end);
        expect(end).toBeLessThanOrEqual(source.length);
      }
      return found;
    });
    const known = all.filter((origin) => (origin ?? []).length > 0);
    expect(all.length).toBeGreaterThan(1000);
    expect(known.length / all.length).toBeGreaterThanOrEqual(0.95);
  },
  300_000,
);

test("no pass loses an origin", () => {
  for (const [n, file] of examples.entries()) {
    const source = readFileSync(`examples/${file}`, "utf8");
    const lowered = lowerSource(source);
    if (!lowered.ok) throw new Error(file);
    for (const profile of someOf([baselineProfile, llvmpipeProfile], 1, n)) {
      const { program, schedule } = mapProgram(lowered.program, profile, { version: 2 }).mapped;
      generate(program, schedule, profile, {
        onPass: ({ pass, after }) => {
          const lost = originsIn(after.body).filter((origin) => (origin ?? []).length === 0);
          expect(lost, `${file}: ${pass.name}`).toEqual([]);
        },
      });
    }
  }
}, 300_000);

test("of two values that are the same the origins of all loads are kept", () => {
  const type = { scalar: "float32", width: 1 } as const;
  const span = [{ start: 0, end: 1 }];
  const [a, b] = ["a", "b"].map((statement): Origin => {
    return [{ kind: "read", statement, tensor: "x", spans: span }];
  });
  if (a === undefined || b === undefined) throw new Error("two origins");
  const index = { kind: "literal", value: 0, type: { scalar: "uint32", width: 1 } } as const;
  const value = (origin: Origin) => {
    const load = { kind: "load", array: "x", index, type, origin } as const;
    return { kind: "binary", operator: "*", left: load, right: load, type } as const;
  };
  const both = withOriginsOf(value(a), value(b));
  expect(both).toEqual(value([...a, ...b]));
  expect(withOriginsOf(both, value(b))).toBe(both);
});
