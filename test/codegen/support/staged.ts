/** Operands staged in workgroup memory, in all executions. */
import { expect } from "vitest";
import type { Choice, Options } from "../../../src/ir/decisions.ts";
import type { Place } from "../../../src/ir/schedule.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import {
  describeFailure,
  executeInterpreted,
  executeOnDevice,
  isFailure,
  mapCase,
  type Prepared,
  prepareCase,
} from "../../differential/differential.ts";
import type { TcCase } from "../../differential/generate-tc.ts";
import type { Variant } from "../../differential/variants.ts";

export type Sizes = Readonly<Record<string, number>>;
export type Choices = Readonly<Record<string, Choice>>;

/** A definition with inputs, and what it means by the reference. */
export function prepared(source: string, sizes: Sizes): Prepared {
  const population = "reals";
  const tcCase: TcCase = { name: "staging", source, sizes, population, inputSeed: 7 };
  const result = prepareCase(tcCase);
  if (result.kind !== "prepared") throw new Error(`${result.kind}: ${JSON.stringify(result)}`);
  return result.prepared;
}

/** Stages every operand that is asked about; other answers as given. */
export function everyOperand(choices: Choices): Options {
  const stages = [0, 1].flatMap((k) =>
    [0, 1, 2, 3].map((o) => [`kernel${k}.operand${o}.stage`, "workgroup"] as const),
  );
  return { version: 1, choices: { ...Object.fromEntries(stages), ...choices } };
}

/** The places of copies in workgroup memory. */
export function stagedPlaces({ mapped }: Variant): readonly Place[] {
  return mapped.schedule.places.filter(
    ({ target, space }) =>
      space === "workgroup" && target.kind === "tensor" && target.tensor.includes("_copy"),
  );
}

/** A mapping of it. */
export function mappedBy(given: Prepared, options: Options, profile: DeviceProfile): Variant {
  const variant = mapCase(given, profile, { kind: "options", options });
  if (isFailure(variant)) throw new Error(describeFailure(given.tcCase, variant));
  return variant;
}

/** Maps, and executes in the interpreters and on the device; all agree. */
export async function executed(
  given: Prepared,
  options: Options,
  runtime: Runtime,
  profile: DeviceProfile = baselineProfile,
): Promise<Variant> {
  const variant = mappedBy(given, options, profile);
  for (const result of [
    executeInterpreted(given, variant),
    await executeOnDevice(given, variant, runtime),
  ]) {
    if (isFailure(result)) throw new Error(describeFailure(given.tcCase, result));
    expect(result.compared).toBeGreaterThan(0);
  }
  return variant;
}
