/** What `space` offers is legal: of random draws hardly any needs repair. See scripts/draws for more of them. */
import { describe, expect, test } from "vitest";
import { gpuProfile, llvmpipeProfile } from "../../../src/support/device-profile.ts";
import { kernelClasses } from "../../differential/kernel-classes.ts";
import { type Draws, drawKernels } from "../../support/kernel-draws.ts";

const count = Number(process.env["DRAWS_COUNT"] ?? 40);
const seed = Number(process.env["DRAWS_SEED"] ?? 1);

/** Each profile with the sizes of a class: awkward ones, even ones. */
const profiles = [gpuProfile, llvmpipeProfile] as const;

/** The share of draws that need no repair, at least. */
const least = 0.95;

function printDraws(name: string, { count: all, clean, worst, changed }: Draws): string {
  const share = ((100 * clean) / all).toFixed(1);
  const kinds = [...changed].sort((a, b) => b[1] - a[1]).map(([kind, n]) => `${kind} ${n}`);
  return `${name}: ${share} % of ${all}, at most ${worst} changes; ${kinds.join(", ")}`;
}

describe.each(profiles.map((profile, n) => [profile.name, profile, n] as const))(
  "of %s",
  (_, profile, n) => {
    test.each(kernelClasses.map((c) => [c.name, c] as const))(
      "draws for %s need no repair",
      (name, { source, sizes }) => {
        const draws = drawKernels(source, sizes[n] ?? {}, profile, count, seed);
        if (draws.count !== draws.clean || count > 40) {
          console.log(printDraws(`${profile.name}, ${name}`, draws));
        }
        expect.soft(draws.clean / draws.count).toBeGreaterThanOrEqual(least);
        expect(draws.worst).toBeLessThanOrEqual(2);
        expect(draws.needless).toEqual([]);
        expect(draws.untried).toEqual([]);
      },
      count * 2000,
    );
  },
);
