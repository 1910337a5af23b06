import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { kernels } from "../../bench/model/kernels.js";
import { estimate } from "../../src/codegen/facts/estimate.ts";
import { facts } from "../../src/codegen/facts/facts.ts";
import type { KernelFacts } from "../../src/codegen/facts/kernel-facts.ts";
import { vetoes } from "../../src/codegen/facts/vetoes.ts";
import type { Plan } from "../../src/codegen/plan.ts";
import { compile } from "../../src/compile.ts";
import {
  type DeviceFigures,
  deviceFamilies,
  type FamilyName,
} from "../../src/support/device-families.ts";
import { type DeviceProfile, gpuProfile, namedProfiles } from "../../src/support/device-profile.ts";
import type { Mapping } from "../../src/support/mapping-file.ts";
import { given } from "../support/given.ts";

interface Row {
  readonly device: string;
  readonly gflops: number;
  readonly source: string;
  readonly kernel: Readonly<Record<"M" | "N" | "K", number>> & {
    readonly name: keyof typeof kernels;
  };
}

interface Published {
  readonly devices: Readonly<
    Record<
      string,
      {
        readonly family: FamilyName;
        readonly figures: Partial<DeviceFigures>;
        readonly source: string;
      }
    >
  >;
  readonly rows: readonly Row[];
}

const { devices, rows }: Published = JSON.parse(
  readFileSync(new URL("../../bench/published.json", import.meta.url), "utf8"),
);

function deviceOf(name: string): DeviceFigures {
  const { family, figures } = devices[name] ?? { family: "gpu", figures: {} };
  return { ...deviceFamilies[family], ...figures };
}

const read = new Map<string, KernelFacts>();

/** Estimated GFLOP/s of a published kernel. */
function estimated({ device, kernel }: Row): number {
  const { name, ...given } = kernel;
  const text = JSON.stringify(kernel);
  const make = kernels[name] as (given: object) => Plan;
  const found = read.get(text) ?? (facts(make(given), gpuProfile)[0] as KernelFacts);
  read.set(text, found);
  return (2 * kernel.M * kernel.N * kernel.K) / estimate(found, deviceOf(device)).seconds / 1e9;
}

interface Asked {
  readonly profile?: DeviceProfile;
  readonly options?: Mapping | "default";
}

/** Neighbouring points, one step at a time, rows of a multiple of the banks. */
const meeting = {
  "kernels/C/blocked": true,
  "kernels/C/unroll": 1,
  "kernels/C/operands/C.read1/pad": 0,
} as const;

/** Facts of the product of two matrices, whose dimensions are in the order of the letters. */
function product(
  A: string,
  B: string,
  { profile = gpuProfile, options = "default" }: Asked = {},
): readonly KernelFacts[] {
  const source = `def f(float(${A}) A, float(${B}) B) -> (C) { C(m, n) +=! A(${A.toLowerCase()}) * B(${B.toLowerCase()}) }`;
  const compiled = compile(source, { sizes: { M: 1024, N: 1024, K: 1024 }, profile, options });
  if (!compiled.ok) throw new Error("a product compiles");
  return facts(compiled.plan, profile);
}

describe("the model beside published figures", () => {
  it("has at least 20 of them, each with its source, of devices with theirs", () => {
    expect(rows.length).toBeGreaterThanOrEqual(20);
    for (const { source, device } of rows) {
      expect(source.length).toBeGreaterThan(10);
      expect(devices[device]?.source.length).toBeGreaterThan(5);
    }
  });

  it("is within a factor of 2.01", () => {
    const ratios = rows.map((row) => Math.abs(Math.log2(estimated(row) / row.gflops)));
    expect(Math.max(...ratios)).toBeLessThan(Math.log2(2.01));
  });

  it("orders kernels of one device that are a quarter apart, but 3 pairs of 34, and 1 of 7 held out", () => {
    const wrongOf = (list: readonly Row[]): readonly [number, number] => {
      const pairs = list.flatMap((a, n) => list.slice(n + 1).map((b) => [a, b] as const));
      const apart = pairs.filter(
        ([a, b]) =>
          a.device === b.device && Math.abs(Math.log(a.gflops / b.gflops)) > Math.log(1.25),
      );
      const wrong = apart.filter(([a, b]) => a.gflops < b.gflops !== estimated(a) < estimated(b));
      return [wrong.length, apart.length];
    };
    expect(wrongOf(rows)).toEqual([3, 34]);
    expect(wrongOf(rows.filter((_, n) => n % 2 === 1))).toEqual([1, 7]);
  });
});

describe("the frozen formula", () => {
  const kernel = (change: Partial<KernelFacts>): KernelFacts => ({
    ...(product("M,K", "K,N")[0] as KernelFacts),
    ...change,
  });

  it("takes what is slowest, and launches for each dispatch", () => {
    const once = estimate(kernel({}), deviceFamilies.nvidia);
    const { launch, ...others } = once.parts;
    expect(once.bound).toBe("issue");
    expect(once.seconds).toBeCloseTo(Math.max(...Object.values(others)) + launch, 12);
    expect(estimate(kernel({}), { ...deviceFamilies.nvidia, launchMicroseconds: 1e6 }).bound).toBe(
      "launch",
    );
  });

  it("says what it said when its constants were frozen", () => {
    const told = (
      ["nvidia", "apple", "amd-rdna", "intel-xe", "adreno", "mali", "gpu"] as const
    ).map((name) => {
      const published = rows[6] as Row;
      const { name: writer, ...given } = published.kernel;
      const make = kernels[writer] as (given: object) => Plan;
      const found = read.get(JSON.stringify(published.kernel)) ?? facts(make(given), gpuProfile)[0];
      const { seconds, bound } = estimate(found as KernelFacts, deviceFamilies[name]);
      return `${name} ${(seconds * 1e3).toPrecision(3)} ms ${bound}`;
    });
    expect(told).toMatchInlineSnapshot(`
      [
        "nvidia 13.3 ms issue",
        "apple 56.0 ms issue",
        "amd-rdna 18.5 ms issue",
        "intel-xe 96.8 ms issue",
        "adreno 290 ms banks",
        "mali 351 ms banks",
        "gpu 93.2 ms banks",
      ]
    `);
  });

  it("gives an idle core nothing to do: half the workgroups of one wave take as long", () => {
    const few = kernel({ workgroups: { count: 12, size: 256, empty: 0, perCore: 0.5 } });
    const many = kernel({ workgroups: { count: 24, size: 256, empty: 0, perCore: 1 } });
    const [a, b] = [few, many].map((k) => estimate(k, deviceFamilies.nvidia).parts.banks);
    expect((a ?? 0) / (b ?? 1)).toBeCloseTo(2, 6);
  });
});

describe("vetoes", () => {
  it("are for products of rows with rows whose lanes meet in one bank", () => {
    const neighbours = product("M,K", "N,K", { options: given(meeting) });
    for (const family of Object.values(deviceFamilies)) {
      const kinds = new Set(vetoes(neighbours, family).map(({ veto }) => veto));
      expect([...kinds].sort()).toEqual(["banks", "fma"]);
    }
  });

  it.each([
    ["rows with columns", "M,K", "K,N"],
    ["rows with rows", "M,K", "N,K"],
    ["columns with columns", "K,M", "K,N"],
  ])("are none for products of %s by default, of any family", (_, A, B) => {
    for (const family of Object.values(deviceFamilies)) {
      expect(
        vetoes(product(A, B, { profile: namedProfiles[family.name] ?? gpuProfile }), family),
      ).toEqual([]);
    }
  });

  it("are for empty workgroups, idle cores, bytes in vain and registers that are not there", () => {
    const [good] = product("K,M", "K,N") as readonly [KernelFacts];
    const { nvidia } = deviceFamilies;
    const found = (change: Partial<KernelFacts>): readonly string[] =>
      vetoes([{ ...good, ...change }], nvidia).map(({ veto }) => veto);
    expect(found({ workgroups: { ...good.workgroups, empty: 64 } })).toEqual(["empty"]);
    expect(found({ workgroups: { ...good.workgroups, count: 16 } })).toEqual(["cores"]);
    expect(found({ memory: { ...good.memory, loadedShareUsed: 0.25 } })).toEqual(["used"]);
    expect(found({ memory: { ...good.memory, loadedShareUsed: null } })).toEqual([]);
    expect(found({ liveScalars: 250 })).toEqual(["registers"]);
  });
});
