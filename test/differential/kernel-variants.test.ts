/** The wishes for kernels of each class: legal, each another text, and the same meaning in all executions. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { facts } from "../../src/codegen/facts/facts.ts";
import { vetoes } from "../../src/codegen/facts/vetoes.ts";
import { lowerSource } from "../../src/compile.ts";
import type { Group } from "../../src/ir/mapping/group/group.ts";
import type { KernelMapping } from "../../src/ir/mapping/kernel-mapping.ts";
import { mapProgram } from "../../src/ir/mapping/map-program.ts";
import { mappingOf, pathsOf } from "../../src/ir/mapping/mapping.ts";
import { variants } from "../../src/ir/mapping/policy/variants.ts";
import { repairKernel } from "../../src/ir/mapping/repair/repair-kernel.ts";
import { kernelSpace } from "../../src/ir/mapping/space/kernel-space.ts";
import { planProgram } from "../../src/plan-program.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { deviceFamilies, type FamilyName } from "../../src/support/device-families.ts";
import {
  type DeviceProfile,
  gpuProfile,
  llvmpipeProfile,
  namedProfiles,
} from "../../src/support/device-profile.ts";
import type { Choice, Mapping } from "../../src/support/mapping-file.ts";
import { given } from "../support/given.ts";
import { drawingTimeout, someOf } from "../support/sweep.ts";
import { describeFailure, prepareCase } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { type KernelClass, kernelClasses } from "./kernel-classes.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";

/** What a mapping of a kernel says, by path in its kernel: all of its knobs. */
function said(
  group: Group,
  profile: DeviceProfile,
  mapping: KernelMapping,
): ReadonlyMap<string, Choice> {
  return new Map(kernelSpace(group, profile, mapping).map((k) => [k.path, k.value]));
}

/** The mapping of a program with one kernel as a wish says, all else by default. */
function withKernel(structure: Mapping, name: string, paths: ReadonlyMap<string, Choice>): Mapping {
  const own = [...paths].map(([path, value]) => [`kernels/${name}/${path}`, value] as const);
  const kept = [...pathsOf(structure)].filter(([path]) => !path.startsWith(`kernels/${name}/`));
  return mappingOf([...kept, ...own], "plain");
}

function classOf(name: string): KernelClass {
  const found = kernelClasses.find((c) => c.name === name);
  if (found === undefined) throw new Error(`no class ${name}`);
  return found;
}

const profiles = ["nvidia", "apple", "adreno"].map((name) => namedProfiles[name] ?? gpuProfile);

/** Classes of which the first kernel has several wishes at these sizes, and how many at least. */
const several: readonly (readonly [string, Readonly<Record<string, number>>, number])[] = [
  ["matrix product", { M: 256, N: 256, K: 256 }, 4],
  ["product of transposed matrices with an epilogue", { M: 128, N: 256, K: 64 }, 4],
  ["matrix by vector", { M: 512, K: 512 }, 3],
  ["convolution with a border", { C: 16, O: 32, H: 32, W: 32 }, 4],
  ["depthwise convolution with strides, dilation and bias", { C: 16, H: 32, W: 32 }, 3],
  ["largest of a window", { C: 16, H: 32, W: 32 }, 3],
  ["softmax", { N: 512, M: 512 }, 3],
  ["normalisation of rows", { N: 256, M: 512 }, 3],
  ["sum of everything", { N: 1000000 }, 2],
  ["transposition", { N: 256, M: 256 }, 3],
  ["map", { N: 65536 }, 3],
  ["gathered sum", { V: 256, B: 64, L: 8, D: 64 }, 3],
  ["histogram", { N: 65536, V: 256 }, 3],
];

describe.each(several)("wishes for %s", (name, sizes, least) => {
  test.each(profiles.map((p) => [p.name, p] as const))(
    "on %s are legal, and each another text",
    (_, profile) => {
      const lowered = lowerSource(classOf(name).source, { sizes });
      if (!lowered.ok) throw new Error("refused");
      const { kernels, mapping: usual } = mapProgram(lowered.program, profile, given());
      for (const { name: kernel, group } of kernels) {
        const wishes = variants(group, profile);
        expect(wishes.length).toBeGreaterThanOrEqual(least);
        const texts = wishes.map((wish) => {
          const paths = said(group, profile, wish);
          expect(repairKernel(group, profile, paths).changes).toEqual([]);
          const options = withKernel(usual, kernel, paths);
          const { plan, repairs } = planProgram(lowered.program, profile, options);
          expect(repairs).toEqual([]);
          return JSON.stringify(plan.kernels.map((k) => [k.wgsl, k.kernel.grid]));
        });
        expect(new Set(texts).size).toBe(texts.length);
      }
    },
  );
});

const families: readonly FamilyName[] = [
  "nvidia",
  "apple",
  "amd-rdna",
  "intel-xe",
  "adreno",
  "mali",
];

/** Sizes of use of those classes. */
const large: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "matrix product": { M: 1024, N: 1024, K: 1024 },
  "product of transposed matrices with an epilogue": { M: 1024, N: 1024, K: 1024 },
  "matrix by vector": { M: 4096, K: 1024 },
  "convolution with a border": { C: 64, O: 64, H: 56, W: 56 },
  "depthwise convolution with strides, dilation and bias": { C: 64, H: 112, W: 112 },
  "largest of a window": { C: 64, H: 112, W: 112 },
  softmax: { N: 1024, M: 1024 },
  "normalisation of rows": { N: 1024, M: 1024 },
  "sum of everything": { N: 2 ** 22 },
  transposition: { N: 2048, M: 2048 },
  map: { N: 2 ** 22 },
  "gathered sum": { V: 10000, B: 256, L: 32, D: 128 },
  histogram: { N: 2 ** 20, V: 256 },
};

/** The fewest wishes that keep all bounds. */
const enough = 3;

/** Kernels of which fewer do, on all families, and why: our first choice is among them but where there is none. */
const fewer: Readonly<Record<string, { readonly kept: number; readonly why: string }>> = {
  "product of transposed matrices with an epilogue, c": {
    kept: 1,
    why: "smaller tiles use answers of banks for fewer than 3 FMA, larger ones begin rows in the same bank",
  },
  "convolution with a border, y": {
    kept: 1,
    why: "other tiles of windows load half of the sectors for nothing, or take more registers than there are",
  },
  "depthwise convolution with strides, dilation and bias, y#1": {
    kept: 0,
    why: "products over windows that leap copy no rows: neighbours use every other element of what they load",
  },
  "transposition, y": {
    kept: 1,
    why: "tiles with more points begin rows of the copy in the same bank",
  },
};

/** How many wishes for each kernel of a class keep all bounds of a family. */
function keptBy(name: string, family: FamilyName): readonly (readonly [string, number])[] {
  const profile = namedProfiles[family] ?? gpuProfile;
  const lowered = lowerSource(classOf(name).source, { sizes: large[name] ?? {} });
  if (!lowered.ok) throw new Error("refused");
  const { kernels, mapping } = mapProgram(lowered.program, profile, given());
  return kernels.map(({ name: kernel, group }) => {
    const kept = variants(group, profile).filter((wish) => {
      const options = withKernel(mapping, kernel, said(group, profile, wish));
      const { plan } = planProgram(lowered.program, profile, options);
      return vetoes(facts(plan, profile), deviceFamilies[family]).length === 0;
    });
    return [`${name}, ${kernel}`, kept.length];
  });
}

test.each(Object.keys(large).map((name, n) => [name, n] as const))(
  "three wishes and more for %s keep all bounds of a family, but where it is named why not",
  (name, n) => {
    for (const family of someOf(families, 1, n)) {
      for (const [kernel, kept] of keptBy(name, family)) {
        const known = fewer[kernel];
        const text = `${kernel} on ${family}`;
        expect(kept, text).toBeGreaterThanOrEqual(known?.kept ?? enough);
        if (known !== undefined) expect(kept, text).toBeLessThan(enough);
      }
    }
  },
  drawingTimeout,
);

const tally = createTally();
let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

const executed = [
  "matrix product",
  "matrix by vector",
  "convolution with a border",
  "softmax",
  "transposition",
  "histogram",
] as const;

test.each(executed)(
  "all wishes for %s mean the same",
  async (name) => {
    const { source, sizes } = classOf(name);
    for (const [n, own] of sizes.slice(0, 2).entries()) {
      const tcCase: TcCase = { name, source, sizes: own, population: "reals", inputSeed: n };
      const preparation = prepareCase(tcCase);
      if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
      const { prepared } = preparation;
      for (const profile of [gpuProfile, llvmpipeProfile, runtime.profile]) {
        const { kernels, mapping } = mapProgram(prepared.program, profile, given());
        const ways = kernels.flatMap(({ name: kernel, group }) =>
          variants(group, profile).map((wish) => {
            const options = withKernel(mapping, kernel, said(group, profile, wish));
            return { kind: "options", options } as const;
          }),
        );
        const executions = { profiles: [profile], runtime, tally, plans: null };
        const failures = await runPrepared(prepared, executions, ways);
        expect(failures.map((failure) => describeFailure(tcCase, failure))).toEqual([]);
      }
    }
  },
  120_000,
);
