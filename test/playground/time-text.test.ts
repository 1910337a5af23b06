import { expect, it } from "vitest";
import { driftText, launchesText, timerText } from "../../playground/src/run/time-text.ts";

it("says that times drift where they move more than they spread, and more than 5 %", () => {
  const timing = { us: 100, mad: 1 };
  expect(driftText({ ...timing, drift: 0.08 })).toMatch(/^The later samples took 8.% longer/);
  expect(driftText({ ...timing, drift: -0.3 })).toMatch(/^The later samples took 30.% less/);
  expect(driftText({ ...timing, drift: 0.05 })).toBe(null);
  expect(driftText({ ...timing, mad: 20, drift: 0.15 })).toBe(null);
  expect(driftText({ us: 0, mad: 0, drift: 0.5 })).toBe(null);
});

it("names the clock, with the steps of timestamps", () => {
  expect(timerText({ kind: "timestamp-query", quantumNs: 65_536 })).toBe("timer 65.5 µs");
  expect(timerText({ kind: "timestamp-query", quantumNs: 1 })).toBe("timer 1 ns");
  expect(timerText({ kind: "wall", quantumNs: 100_000 })).toBe("wall clock");
});

it("counts launches, not slices: some are of several whole dispatches", () => {
  expect(launchesText(1)).toBe("one execution in one launch, wall clock");
  expect(launchesText(12)).toBe("one execution in 12 launches, wall clock");
});
