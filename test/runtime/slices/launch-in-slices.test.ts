import { describe, expect, it } from "vitest";
import {
  type Launchable,
  launchInSlices,
  type Part,
} from "../../../src/runtime/slices/launch-in-slices.ts";
import { firstSlice, type SliceSize } from "../../../src/runtime/slices/slice-sizes.ts";
import { cases, launchesOn, mostMsOf, wholeMsOn } from "./modelled-device.ts";

/** Launches on a device that takes so long for a workgroup, and a millisecond for the way there and back. */
async function launched(
  dispatches: readonly Launchable[],
  sizes: Map<number, SliceSize>,
  msOf: (dispatch: number, workgroup: number) => number,
  mostGroups = 65_535,
): Promise<readonly { readonly parts: readonly Part<Launchable>[]; readonly ms: number }[]> {
  const found: { parts: readonly Part<Launchable>[]; ms: number }[] = [];
  await launchInSlices(dispatches, sizes, mostGroups, async (parts) => {
    let ms = 1;
    for (const { dispatch, slice } of parts) {
      const { from, count } = slice ?? { from: 0, count: Math.max(1, dispatch.groups) };
      for (let n = from; n < from + count; n++) ms += msOf(dispatches.indexOf(dispatch), n);
    }
    found.push({ parts, ms });
    return ms;
  });
  return found;
}

/** Each dispatch of them as the workgroups that were launched, in order. */
function workgroupsOf(
  dispatches: readonly Launchable[],
  found: readonly { readonly parts: readonly Part<Launchable>[] }[],
): readonly (readonly [dispatch: number, from: number, end: number])[] {
  const ranges: [number, number, number][] = [];
  for (const { dispatch, slice } of found.flatMap(({ parts }) => parts)) {
    const number = dispatches.indexOf(dispatch);
    const { from, count } = slice ?? { from: 0, count: dispatch.groups };
    const last = ranges.at(-1);
    if (last?.[0] === number && last[2] === from) last[2] += count;
    else ranges.push([number, from, from + count]);
  }
  return ranges;
}

/** All workgroups of all dispatches, each once, in order. */
function expectAll(
  dispatches: readonly Launchable[],
  found: readonly { readonly parts: readonly Part<Launchable>[] }[],
): void {
  expect(workgroupsOf(dispatches, found)).toEqual(
    dispatches.map(({ groups }, number) => [number, 0, groups]),
  );
}

const long: Launchable = { kernel: 0, groups: 10_007 };

describe("a dispatch that may take long", () => {
  it.each([
    ["few long workgroups", 97, 20],
    ["many short ones", 10_007, 1],
    ["very many", 3_000_017, 0.002],
  ])(
    "of %s is launched in slices of at most 100 ms, not in many more than it takes",
    async (_, groups, ms) => {
      const dispatches = [{ kernel: 0, groups }];
      const found = await launched(dispatches, new Map([[0, firstSlice]]), () => ms);
      expectAll(dispatches, found);
      for (const one of found) expect(one.ms).toBeLessThanOrEqual(100);
      expect(found[0]?.parts[0]?.slice).toEqual({ from: 0, count: 1 });
      expect(found.length).toBeGreaterThan((groups * ms) / 100);
      expect(found.length).toBeLessThan((groups * ms) / 25 + 10);
    },
  );

  it("stays within that where each workgroup takes longer than the one before", async () => {
    const found = await launched([long], new Map([[0, firstSlice]]), (_, n) => n / 500);
    expectAll([long], found);
    for (const { ms } of found) expect(ms).toBeLessThanOrEqual(100);
  });

  it("that is short goes out whole as soon as that is known, then with others", async () => {
    const sizes = new Map([[0, firstSlice]]);
    const dispatches = Array.from({ length: 200 }, () => ({ ...long }));
    const found = await launched(dispatches, sizes, () => 0.0002);
    expectAll(dispatches, found);
    const first = found.findIndex(({ parts }) => parts[0]?.slice === null);
    // 1 + 2 + 4 + ... workgroups, and once more with what is known then.
    expect(first).toBe(16);
    const later = found.slice(first);
    expect(later.flatMap(({ parts }) => parts).every(({ slice }) => slice === null)).toBe(true);
    expect(later[0]?.parts).toHaveLength(1);
    expect(later.at(-2)?.parts).toHaveLength(16);
    const again = await launched([long, long], sizes, () => 0.0002);
    expect(again.map(({ parts }) => parts.length)).toEqual([2]);
  });

  it("has no more workgroups in a launch than a dimension", async () => {
    const dispatches = [{ kernel: 0, groups: 1000 }];
    const found = await launched(dispatches, new Map([[0, firstSlice]]), () => 0.001, 64);
    expectAll(dispatches, found);
    const counts = found.map(({ parts }) => parts[0]?.slice?.count ?? 0);
    expect(Math.max(...counts)).toBe(64);
  });

  it("keeps its place among others, which are launched whole before and after it", async () => {
    const short = { kernel: 1, groups: 50 };
    const zero = { kernel: null, groups: 0 };
    const dispatches = [zero, { ...short }, { ...long }, { ...short }, { ...zero }];
    const found = await launched(dispatches, new Map([[0, firstSlice]]), () => 0.01);
    expectAll(dispatches, found);
    expect(found[0]?.parts.map(({ slice }) => slice)).toEqual([null, null]);
    expect(found.at(-1)?.parts.map(({ slice }) => slice)).toEqual([null, null]);
    for (const { parts } of found.slice(1, -1)) expect(parts).toHaveLength(1);
  });
});

describe("a dispatch of which nobody thought that it takes long", () => {
  it("is divided in the next run", async () => {
    const sizes = new Map<number, SliceSize>();
    await launched([long], sizes, () => 0.1);
    const found = await launched([long], sizes, () => 0.1);
    expectAll([long], found);
    expect(found.length).toBeGreaterThan(10);
    for (const { ms } of found) expect(ms).toBeLessThanOrEqual(100);
  });

  it("is whole for ever where it cannot be divided", async () => {
    const one = { kernel: 0, groups: 0 };
    const sizes = new Map<number, SliceSize>();
    for (let run = 0; run < 3; run++) {
      const found = await launched([one], sizes, () => 500);
      expect(found.map(({ parts }) => parts.map(({ slice }) => slice))).toEqual([[null]]);
    }
  });
});

it("at most 16 dispatches are launched together while nobody knows how long they take", async () => {
  const dispatches = Array.from({ length: 40 }, () => ({ kernel: 1, groups: 3 }));
  const found = await launched(dispatches, new Map(), () => 0.001);
  expectAll(dispatches, found);
  expect(found.map(({ parts }) => parts.length)).toEqual([16, 16, 8]);
});

describe("workgroups that a device executes side by side", () => {
  it.each(cases)(
    "are launched together: $groups of $ms ms, $cores at once",
    async ({ groups, ms, cores }) => {
      const device = { ms, cores };
      const whole = wholeMsOn(device, groups);
      const sizes = new Map([[0, firstSlice]]);
      const first = await launchesOn(device, groups, sizes);
      const again = await launchesOn(device, groups, sizes);
      const sum = (launches: typeof first): number =>
        launches.reduce((all, one) => all + one.ms, 0);
      for (const one of [...first, ...again]) expect(one.ms).toBeLessThanOrEqual(mostMsOf(device));
      for (const { length } of [first, again]) expect(length).toBeLessThanOrEqual(groups);
      // Twice as many for each step, until they are as many as there are at once, or take time.
      const steps = Math.log2(groups) + 1;
      expect(sum(first)).toBeLessThan(2 * whole + steps * wholeMsOn(device, 1));
      expect(sum(again)).toBeLessThan(2 * whole);
    },
  );

  it("are not tried where two, one after the other, would take longer than the longest launch", async () => {
    const sizes = new Map([[0, firstSlice]]);
    for (const { groups } of await launchesOn({ ms: 330, cores: 64 }, 64, sizes)) {
      expect(groups).toBe(1);
    }
  });

  it("take as long as one: 64 of 26 ms go out in 7 launches, and whole in the next run", async () => {
    const sizes = new Map([[0, firstSlice]]);
    const groupsOf = async (): Promise<readonly (number | null)[]> =>
      (await launchesOn({ ms: 26, cores: 64 }, 64, sizes)).map(({ groups }) => groups);
    expect(await groupsOf()).toEqual([1, 2, 4, 8, 16, 32, 1]);
    expect(await groupsOf()).toEqual([null]);
  });

  it("are as many where each takes longer than the one before, up to the longest launch", async () => {
    const dispatches = [{ kernel: 0, groups: 20_000 }];
    const longest = (n: number): number => 30 + n / 100;
    const ms: number[] = [];
    await launchInSlices(dispatches, new Map([[0, firstSlice]]), 65_535, async ([part]) => {
      const { from, count } = part?.slice ?? { from: 0, count: 0 };
      let all = 1;
      for (let n = from; n < from + count; n += 64) all += longest(Math.min(n + 63, from + count));
      ms.push(all);
      return all;
    });
    let whole = 0;
    for (let n = 0; n < 20_000; n += 64) whole += longest(n + 63);
    expect(ms.reduce((sum, one) => sum + one, 0)).toBeLessThan(2 * whole);
    for (const one of ms) expect(one).toBeLessThanOrEqual(650);
  });

  it("are no more than what takes a tenth of a second where that ends", async () => {
    // 64 at once in the beginning, later one after the other.
    const dispatches = [{ kernel: 0, groups: 2000 }];
    const ms: number[] = [];
    await launchInSlices(dispatches, new Map([[0, firstSlice]]), 65_535, async ([part]) => {
      const { from, count } = part?.slice ?? { from: 0, count: 0 };
      const all = 1 + (from < 600 ? Math.ceil(count / 64) * 30 : count * 30);
      ms.push(all);
      return all;
    });
    const after = ms.slice(ms.findIndex((one) => one > 650) + 8);
    expect(after.length).toBeGreaterThan(500);
    for (const one of after) expect(one).toBeLessThanOrEqual(100);
  });

  it("are seen to be such after they were launched whole, of a kernel of which nobody thought that", async () => {
    const sizes = new Map<number, SliceSize>();
    const device = { ms: 400, cores: 64 };
    const counts: (readonly (number | null)[])[] = [];
    for (let run = 0; run < 3; run++) {
      const launches = await launchesOn(device, 64, sizes);
      counts.push(launches.map(({ groups }) => groups));
    }
    // Seven take as long.
    expect(counts).toEqual([[null], [7, 57], [null]]);
  });

  it("of two kernels that take long are not launched together", async () => {
    const size = { size: 64, together: { count: 64, ms: 300 } };
    const dispatches = [0, 1, 0].map((kernel) => ({ kernel, groups: 16 }));
    const sizes = new Map([
      [0, size],
      [1, size],
    ]);
    const found: number[] = [];
    await launchInSlices(dispatches, sizes, 65_535, async (parts) => {
      found.push(parts.length);
      return 300;
    });
    expect(found).toEqual([1, 1, 1]);
    // They would take as long in smaller parts.
    expect([...sizes.values()]).toEqual([size, size]);
  });
});
