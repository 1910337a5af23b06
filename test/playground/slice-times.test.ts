import { expect, it } from "vitest";
import { isHeldUp, sliceTimes } from "../../playground/src/run/slice-times.ts";

const slices = (kernel: string, sliceOf: number, ...ms: readonly number[]) =>
  ms.map((one) => ({ kernels: [kernel], sliceOf, ms: one }));

it("a dispatch whose slices take more than half a second together would hold the device up", () => {
  expect(isHeldUp(slices("k", 0, 100, 100, 100, 100, 90))).toBe(false);
  expect(isHeldUp(slices("k", 0, 100, 100, 100, 100, 100, 90))).toBe(true);
  const several = [0, 1, 2, 3].flatMap((dispatch) => slices("k", dispatch, 100, 100, 100));
  expect(isHeldUp(several)).toBe(false);
});

it("so does one that is launched whole", () => {
  const whole = (ms: number) => ({ kernels: ["a", "b"], sliceOf: null, ms });
  expect(isHeldUp([whole(400), whole(400)])).toBe(false);
  expect(isHeldUp([...slices("k", 1, 10), whole(600)])).toBe(true);
});

it("times are sums of launches, of kernels alone where no launch has others", () => {
  const launches = [
    ...slices("a", 0, 10, 20),
    { kernels: ["b", "c"], sliceOf: null, ms: 5 },
    ...slices("b", 3, 7),
    { kernels: ["d"], sliceOf: null, ms: 1 },
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
