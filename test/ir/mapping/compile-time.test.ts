/**
 * The work of mapping grows with the length of a program: twice the statements ask for at most 2.3 times as many
 * schedules to be verified, and as many sets to be found empty. Counted, since times depend on the machine.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type DeviceProfile,
  gpuProfile,
  llvmpipeProfile,
} from "../../../src/support/device-profile.ts";

const counted = vi.hoisted(() => ({ schedules: 0, sets: 0 }));

vi.mock(import("../../../src/ir/legality/verify-schedule.ts"), async (original) => {
  const { verifySchedule, isLegalSchedule } = await original();
  return {
    verifySchedule: (...given) => {
      counted.schedules++;
      return verifySchedule(...given);
    },
    isLegalSchedule: (...given) => {
      counted.schedules++;
      return isLegalSchedule(...given);
    },
  };
});

vi.mock(import("../../../src/ir/integer-set/is-empty.ts"), async (original) => {
  const { isEmpty, ...others } = await original();
  return {
    ...others,
    isEmpty: (...given) => {
      counted.sets++;
      return isEmpty(...given);
    },
    feasible: (constraints) => {
      counted.sets++;
      return others.feasible(constraints);
    },
  };
});

// A file before this one may have loaded the modules without what counts.
vi.resetModules();
const { lowerSource } = await import("../../../src/compile.ts");
const { mapProgram } = await import("../../../src/ir/mapping/map-program.ts");

/** A text for each of so many layers. */
function layers(count: number, layer: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => layer(n)).join("\n");
}

const sizes = { B: 32, N: 48 };

interface Chain {
  /** Of a layer. */
  readonly statements: number;
  /** How many statements are mapped, each time twice as many. */
  readonly lengths: readonly number[];
  source(count: number): string;
}

const chains: Readonly<Record<string, Chain>> = {
  maps: {
    statements: 1,
    lengths: [100, 200, 400],
    source: (count) => `def f(float(B, N) x0, float(B, N) w) -> (x${count}) {
${layers(count, (n) => `  x${n + 1}(b, n) = 0.5 * x${n}(b, n) + w(b, n)`)}
}`,
  },
  products: {
    statements: 1,
    lengths: [100, 200, 400],
    source: (count) => `def f(float(B, N) x0, float(N, N) w) -> (x${count}) {
${layers(count, (n) => `  x${n + 1}(b, m) +=! x${n}(b, n) * w(n, m)`)}
}`,
  },
  "transformer blocks": {
    statements: 10,
    lengths: [100, 200, 400],
    source: (count) => `def block(float(B, N) x, float(N, N) w) -> (y) {
  q(b, m) +=! x(b, n) * w(n, m)
  score(b, c) +=! q(b, n) * q(c, n)
  largest(b) max=! score(b, c)
  weight(b, c) = exp(score(b, c) - largest(b))
  total(b) +=! weight(b, c)
  mixed(b, n) +=! weight(b, c) / total(b) * q(c, n)
  inner(b, n) = x(b, n) + mixed(b, n)
  square(b) +=! inner(b, n) * inner(b, n)
  h(b, m) +=! inner(b, n) * rsqrt(square(b) + 0.001) * w(n, m)
  y(b, n) = inner(b, n) + fmax(h(b, n), 0.0)
}
def f(float(B, N) x0, float(N, N) w) -> (x${count}) {
${layers(count, (n) => `  x${n + 1} = block(x${n}, w)`)}
}`,
  },
};

/** What mapping so many statements counts. */
function countsOf(
  { statements, source }: Chain,
  length: number,
  profile: DeviceProfile,
): typeof counted {
  const lowered = lowerSource(source(length / statements), { def: "f", sizes });
  if (!lowered.ok) throw new Error(lowered.diagnostics.map((d) => d.message).join("; "));
  expect(lowered.program.statements).toHaveLength(length);
  Object.assign(counted, { schedules: 0, sets: 0 });
  mapProgram(lowered.program, profile, { version: 2 });
  return { ...counted };
}

afterEach(() => {
  Object.assign(counted, { schedules: 0, sets: 0 });
});

const profiles = [gpuProfile, llvmpipeProfile];
const mapped = Object.entries(chains).flatMap(([name, chain]) =>
  profiles.map((profile) => [name, profile.name, chain, profile] as const),
);

describe.each(mapped)("mapping a chain of %s for %s", (_, _profile, chain, profile) => {
  it("asks at most 2.3 times as often for twice the statements", { timeout: 600_000 }, () => {
    const found = chain.lengths.map((length) => countsOf(chain, length, profile));
    for (const name of ["schedules", "sets"] as const) {
      const counts = found.map((one) => one[name]);
      for (const [n, count] of counts.entries()) {
        const before = counts[n - 1] ?? count;
        expect(count).toBeGreaterThan(0);
        expect(count / before, `${name}: ${counts.join(", ")}`).toBeLessThanOrEqual(2.3);
      }
    }
  });
});
