/**
 * Mistakes in the functions that the printer adds to WGSL: only a device runs them, so only the third
 * execution can show that the random programs would notice.
 */

import { afterAll, expect, test } from "vitest";
import type { Plan } from "../../src/codegen/plan.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { given } from "../support/given.ts";
import { drawingTimeout, drawn } from "../support/sweep.ts";
import { sweepCases } from "./ci-cases.ts";
import { executeOnDevice, isFailure, mapCase, type Prepared, prepareCase } from "./differential.ts";
import { generateTc, type TcCase } from "./generate-tc.ts";
import type { Variant } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** A polyfill at any width: `tc_erf`, `tc_erf_4`. */
const head = /fn (tc_\w+?)(?:_[24])?\([^)]*\) -> (\S+) \{/g;

function polyfillsIn(plan: Plan): ReadonlySet<string> {
  const texts = plan.kernels.flatMap((k) => [...k.wgsl.matchAll(head)]);
  return new Set(texts.flatMap((m) => (m[1] === undefined ? [] : [m[1]])));
}

/** Those that matter to arguments beyond what random programs have: see test/runtime/function-accuracy. */
const elsewhere: ReadonlySet<string> = new Set([
  "tc_infinity",
  "tc_isInfinite",
  "tc_notANumber",
  "tc_mulHigh",
  "tc_manyQuarterTurns",
  "tc_gammaLarge",
  "tc_sinOfHalfTurns",
]);

/** The plan whose function of that name gives zero, at every width. */
function withoutPolyfill(plan: Plan, polyfill: string): Plan {
  const kernels = plan.kernels.map((k) => ({
    ...k,
    wgsl: k.wgsl.replace(head, (text, name: string, type: string) =>
      name === polyfill ? `${text}\n  if (true) { return ${type}(); }` : text,
    ),
  }));
  return { ...plan, kernels };
}

/** Changes of single places in texts: how elements are put into words and taken out. */
const textFaults: readonly (readonly [string, RegExp, string])[] = [
  ["masks of bytes too narrow", /& 255u/g, "& 127u"],
  ["masks of 16 bits too narrow", /& 65535u/g, "& 32767u"],
  ["bytes a bit too low", /<< 8u/g, "<< 7u"],
  ["16 bits a bit too low", /<< 16u/g, "<< 15u"],
  ["seven bits of a byte", /, 8u\)/g, ", 7u)"],
  ["15 bits of 16", /, 16u\)/g, ", 15u)"],
  ["the first of two float16", /(unpack2x16float\(.*?\))\.y/g, "$1.x"],
];

async function notices(prepared: Prepared, variant: Variant, plan: Plan): Promise<boolean> {
  const result = await executeOnDevice(prepared, { ...variant, plan }, runtime);
  if (!isFailure(result)) return false;
  if (!result.detail.includes("instead of")) throw new Error(result.detail);
  return true;
}

/** Random programs that were the first to notice a fault: tried before the others, they notice all. */
const telling: readonly number[] = [
  3, 5, 6, 9, 11, 12, 13, 17, 19, 20, 21, 27, 31, 43, 52, 53, 73, 89, 92, 93, 111, 113, 136, 137,
  138, 146, 167, 174, 188, 254, 297,
];

/** How many programs are tried at least, in a sweep a hundred beside those; all, until every fault is noticed. */
const fewest = telling.length + drawn(0, 100);

function* cases(): Generator<TcCase> {
  for (const seed of telling) yield generateTc(seed);
  yield* sweepCases();
}

interface Fault {
  readonly name: string;
  readonly inject: (plan: Plan) => Plan | null;
  applied: number;
  noticed: boolean;
}

function textFault([name, from, to]: (typeof textFaults)[number]): Fault {
  const inject = (plan: Plan): Plan | null => {
    const kernels = plan.kernels.map((k) => ({ ...k, wgsl: k.wgsl.replace(from, to) }));
    const changed = kernels.some((k, n) => k.wgsl !== plan.kernels[n]?.wgsl);
    return changed ? { ...plan, kernels } : null;
  };
  return { name, inject, applied: 0, noticed: false };
}

function polyfillFault(polyfill: string): Fault {
  const inject = (plan: Plan): Plan | null =>
    polyfillsIn(plan).has(polyfill) ? withoutPolyfill(plan, polyfill) : null;
  return { name: polyfill, inject, applied: 0, noticed: false };
}

test(
  "every polyfill that random programs use would be missed",
  async () => {
    const faults = new Map(textFaults.map((f) => [f[0], textFault(f)]));
    const tryAll = async (prepared: Prepared, variant: Variant): Promise<void> => {
      for (const fault of faults.values()) {
        const plan = fault.noticed ? null : fault.inject(variant.plan);
        if (plan === null) continue;
        fault.applied += 1;
        fault.noticed = await notices(prepared, variant, plan);
      }
    };
    let tried = 0;
    for (const tcCase of cases()) {
      if (tried++ >= fewest && [...faults.values()].every((f) => f.noticed)) break;
      const preparation = prepareCase(tcCase);
      if (preparation.kind !== "prepared") continue;
      const { prepared } = preparation;
      const mapping = { kind: "options", options: given() } as const;
      const variant = mapCase(prepared, runtime.profile, mapping);
      if (isFailure(variant)) throw new Error(variant.detail);
      for (const name of polyfillsIn(variant.plan)) {
        if (!faults.has(name) && !elsewhere.has(name)) faults.set(name, polyfillFault(name));
      }
      await tryAll(prepared, variant);
    }
    const all = [...faults.values()];
    console.log(
      all.map((f) => `${f.name}: ${f.noticed ? "noticed" : "NOT"} in ${f.applied}`).join(", "),
    );
    expect(all.length).toBeGreaterThanOrEqual(70);
    expect(all.filter((f) => !f.noticed).map((f) => f.name)).toEqual([]);
  },
  drawingTimeout,
);
