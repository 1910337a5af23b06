import { expect, test } from "vitest";
import { baselineProfile, swiftshaderProfile } from "../../src/support/device-profile.ts";
import { drawingTimeout } from "../support/sweep.ts";
import { ciCases } from "./ci-cases.ts";
import { catchFaults } from "./faults/catch-faults.ts";
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

/** Random programs that were the first to notice a fault: tried before the others, most faults need no more. */
const telling: readonly number[] = [
  1, 3, 21, 20, 237, 193, 174, 146, 137, 136, 123, 115, 113, 107, 91, 89, 80, 74, 73, 71, 67, 53,
  52, 49, 31, 27, 19, 17, 16, 15, 13, 12, 11, 6, 5, 4,
];

function* cases(): Generator<TcCase> {
  yield* scatteredSums();
  yield* narrowProducts();
  for (const seed of telling) yield generateTc(seed);
  yield* ciCases();
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
      const how = caught === null ? "NOT NOTICED" : `${caught.by} in ${caught.tcCase.name}`;
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
