import { expect, it } from "vitest";
import { isHeldUp, sliceTimes } from "../../playground/src/run/slice-times.ts";
import { firstSlice } from "../../src/runtime/slices/slice-sizes.ts";
import { cases, launchesOn, wholeMsOn } from "../runtime/slices/modelled-device.ts";

const slices = (kernel: string, sliceOf: number, ...ms: readonly number[]) =>
  ms.map((one) => ({ kernels: [kernel], sliceOf, groups: 8, ms: one }));

it("a dispatch whose slices take more than half a second together would hold the device up", () => {
  expect(isHeldUp(slices("k", 0, 100, 100, 100, 100, 90))).toBe(false);
  expect(isHeldUp(slices("k", 0, 100, 100, 100, 100, 100, 90))).toBe(true);
  const several = [0, 1, 2, 3].flatMap((dispatch) => slices("k", dispatch, 100, 100, 100));
  expect(isHeldUp(several)).toBe(false);
});

it("slices that leave most of the device idle count as much as their workgroups take in larger ones", () => {
  const of = (groups: number, ms: number) => ({ kernels: ["k"], sliceOf: 0, groups, ms });
  const first = [1, 2, 4, 8, 16, 32].map((groups) => of(groups, 200));
  expect(isHeldUp([...first, of(1, 200)])).toBe(false);
  // What is left in the end is a slice like those before it.
  expect(isHeldUp([...first, of(32, 200)])).toBe(true);
  // Smaller slices after the first are as small because more take longer.
  expect(isHeldUp([of(1, 50), of(2, 90), of(1, 200), of(1, 200), of(1, 200)])).toBe(true);
});

it.each(cases)(
  "of $groups workgroups of $ms ms, $cores at once, that is known of the first run, or of the next",
  async ({ groups, ms, cores }) => {
    const device = { ms, cores };
    const sizes = new Map([[0, firstSlice]]);
    const isLong = wholeMsOn(device, groups) > 500;
    const first = isHeldUp(await launchesOn(device, groups, sizes));
    // Half of the workgroups are known to run side by side then.
    expect(first).toBe(isLong || (ms === 300 && groups === cores));
    expect(isHeldUp(await launchesOn(device, groups, sizes))).toBe(isLong);
  },
);

it("so does one that is launched whole", () => {
  const whole = (ms: number) => ({ kernels: ["a", "b"], sliceOf: null, groups: null, ms });
  expect(isHeldUp([whole(400), whole(400)])).toBe(false);
  expect(isHeldUp([...slices("k", 1, 10), whole(600)])).toBe(true);
});

it("times are sums of launches, of kernels alone where no launch has others", () => {
  const launches = [
    ...slices("a", 0, 10, 20),
    { kernels: ["b", "c"], sliceOf: null, groups: null, ms: 5 },
    ...slices("b", 3, 7),
    { kernels: ["d"], sliceOf: null, groups: null, ms: 1 },
    ...slices("a", 5, 30),
  ];
  expect(sliceTimes(launches)).toEqual({
    whole: { us: 73_000 },
    kernels: [
      { kernel: "a", us: 60_000, launches: 3 },
      { kernel: "d", us: 1000, launches: 1 },
    ],
    launches: 6,
  });
});
