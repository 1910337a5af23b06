import { expect, test } from "vitest";
import { baselineProfile, swiftshaderProfile } from "../../src/support/device-profile.ts";
import { drawingTimeout } from "../support/sweep.ts";
import { sweepCases } from "./ci-cases.ts";
import { catchFaults, type Subject } from "./faults/catch-faults.ts";
import { compilerFaults } from "./faults/compiler-faults.ts";
import { generateTc, type TcCase } from "./generate-tc.ts";
import { kernelClasses } from "./kernel-classes.ts";
import { halfProfile } from "./run-case.ts";

/** Sums that many invocations add to, which random programs have too seldom. */
function* scatteredSums(): Generator<TcCase> {
  for (const { name, source, sizes } of kernelClasses.filter((c) => c.name === "histogram")) {
    for (const [n, given] of sizes.entries()) {
      yield { name: `${name} ${n}`, source, sizes: given, population: "integers", inputSeed: n };
    }
  }
}

/** Products that narrow results cannot hold, which random programs have late. */
function* narrowProducts(): Generator<TcCase> {
  const source = `def narrow(int16(N) a, uint16(N) b, int8(N) c) -> (int16 x, uint16 y, int8 z, w) {
  x(i) = a(i) * 30001
  y(i) = b(i) * uint32(40001)
  z(i) = c(i) * 77
  w(i) = y(N - 1 - i) / uint32(3) where i in 0:N
}`;
  for (const N of [1, 13, 32]) {
    yield { name: `narrow ${N}`, source, sizes: { N }, population: "integers", inputSeed: N };
  }
}

/**
 * Definitions that were the first to notice a fault, with the places where they did: tried before all others, they
 * notice all faults. What the test prints has the places.
 */
const telling: readonly (readonly [name: string, ...places: string[]])[] = [
  ["histogram 0", "baseline 0", "baseline 1"],
  ["histogram 1", "baseline 2"],
  ["narrow 1", "baseline 0"],
  ["narrow 13", "baseline 0", "baseline 2", "baseline 3", "swiftshader 1"],
  ["narrow 32", "baseline 2", "swiftshader 3"],
  ["random-1", "baseline 0", "baseline 1", "baseline 3"],
  ["random-3", "baseline 0", "baseline 2", "baseline 3", "swiftshader 0"],
  ["random-21", "baseline 0", "baseline 1", "float16 0", "float16 2"],
  ["random-20", "baseline 0"],
  ["random-237", "baseline 0", "baseline 3"],
  ["random-193", "baseline 0", "baseline 2"],
  ["random-174", "baseline 0"],
  ["random-146", "baseline 0"],
  ["random-137", "baseline 0"],
  ["random-136", "baseline 0"],
  ["random-123", "baseline 0"],
  ["random-115", "baseline 0"],
  ["random-113", "baseline 0"],
  ["random-107", "baseline 0"],
  ["random-91", "baseline 1"],
  ["random-89", "baseline 0"],
  ["random-80", "baseline 0"],
  ["random-74", "baseline 0"],
  ["random-73", "baseline 0"],
  ["random-71", "baseline 0"],
  ["random-67", "baseline 0"],
  ["random-53", "baseline 0"],
  ["random-52", "baseline 0"],
  ["random-49", "baseline 0"],
  ["random-31", "baseline 0"],
  ["random-27", "baseline 0"],
  ["random-16", "baseline 0"],
  ["random-6", "baseline 0", "baseline 1"],
  ["random-4", "baseline 0"],
];

function* cases(): Generator<Subject> {
  const own = [...scatteredSums(), ...narrowProducts()];
  for (const [name, ...only] of telling) {
    const seed = Number(name.replace("random-", ""));
    yield { tcCase: own.find((c) => c.name === name) ?? generateTc(seed), only };
  }
  for (const tcCase of [...own, ...sweepCases()]) yield { tcCase };
}

test(
  "every seeded compiler fault is noticed by the random programs and sums",
  () => {
    const names = compilerFaults.map((fault) => fault.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(40);
    const profiles = [baselineProfile, swiftshaderProfile, halfProfile];
    const { records, unclean } = catchFaults(compilerFaults, cases(), profiles);
    const lines = records.map(({ fault, applied, caught }) => {
      const how =
        caught === null ? "NOT NOTICED" : `${caught.by} in ${caught.tcCase.name}, ${caught.place}`;
      return `${fault.name}: ${how}, plan ${applied} that it changed`;
    });
    const caught = records.filter((r) => r.caught !== null).length;
    const rate = (100 * caught) / records.length;
    console.log(`${lines.join("\n")}\n${caught} of ${records.length} compiler faults, ${rate} %`);
    expect(unclean).toBe(0);
    expect(records.filter((r) => r.applied === 0).map((r) => r.fault.name)).toEqual([]);
    expect(records.filter((r) => r.caught === null).map((r) => r.fault.name)).toEqual([]);
  },
  drawingTimeout,
);
