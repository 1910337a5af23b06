/** How often what is measured is called. */
import { describe, expect, it } from "vitest";
import { planBatches, spread } from "../../bench/measure/measure.js";

describe("batches", () => {
  const options = { rounds: 7, resultBytes: 4 };

  it("have at least ten calls, and more of what is fast", () => {
    expect(planBatches(100, 100, options)).toEqual({ calls: 10, rounds: 7 });
    expect(planBatches(1, 1, options)).toEqual({ calls: 50, rounds: 7 });
    expect(planBatches(0.001, 0.001, options)).toEqual({ calls: 100, rounds: 7 });
  });

  it("keep the memory of results that are alive together in bounds", () => {
    expect(planBatches(1, 1, { rounds: 7, resultBytes: 2 ** 24 }).calls).toBe(16);
    expect(planBatches(1, 1, { rounds: 7, resultBytes: 2 ** 30 }).calls).toBe(10);
  });

  it("are fewer for who is many times slower than the fastest", () => {
    expect(planBatches(70, 10, options)).toEqual({ calls: 10, rounds: 3 });
    expect(planBatches(90, 10, options)).toEqual({ calls: 3, rounds: 1 });
    expect(planBatches(1100, 10, options)).toEqual({ calls: 1, rounds: 0 });
    expect(planBatches(900, 1, options)).toEqual({ calls: 3, rounds: 1 });
    expect(planBatches(20, 0.5, options)).toEqual({ calls: 10, rounds: 7 });
    expect(planBatches(60, 20, options).rounds).toBe(7);
    expect(planBatches(120, 20, options).rounds).toBe(4);
  });

  it("give the median and how far times are from it", () => {
    expect(spread([5, 1, 2])).toEqual({ medianMs: 2, madMs: 1 });
  });
});
