/** Operands staged in workgroup memory, in all executions. */

import { expect } from "vitest";
import { boundPath } from "../../../src/ir/mapping/canonical-names.ts";
import type { Place } from "../../../src/ir/schedule.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { baselineProfile, type DeviceProfile } from "../../../src/support/device-profile.ts";
import type { Choice, Mapping } from "../../../src/support/mapping-file.ts";
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
import { given } from "../../support/given.ts";

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

/** What the first statement of a kernel, or one that reads an operand, is called after merges and splits. */
const names = ["$0", "$0#1", "$1", "$1#1", "$2", "$0.lo", "$0.hi", "$0.part", "$0#1.part"];

/** The paths that a choice of `kernels/$0` and of its `operands/$0.readN` stands for: those of any names. */
function anywhere(path: string): readonly string[] {
  const [root = "", kernel = "", ...rest] = path.split("/");
  if (root !== "kernels" || kernel !== "$0") return [path];
  const [field, operand = "", ...more] = rest;
  if (field !== "operands") return names.map((name) => [root, name, ...rest].join("/"));
  const read = operand.replace("$0.", "");
  return names.flatMap((name) =>
    names.map((statement) => [root, name, field, `${statement}.${read}`, ...more].join("/")),
  );
}

/** Choices of `kernels/$0`, of whatever its first statement has become. */
export function ofAnyName(choices: Choices): Choices {
  return Object.fromEntries(
    Object.entries(choices).flatMap(([path, v]) => anywhere(path).map((one) => [one, v])),
  );
}

/** Stages every operand that is asked about; other choices as given, of whatever `$0` has become. */
export function everyOperand(choices: Choices): Mapping {
  const stages = [0, 1, 2, 3].map(
    (read) => [`kernels/$0/operands/$0.read${read}/stage`, "workgroup"] as const,
  );
  return given(ofAnyName({ ...Object.fromEntries(stages), ...choices }));
}

/** What a variant has at a path that {@link ofAnyName} takes, each value once. */
export function valuesAt(
  { program }: Prepared,
  { decisions }: Variant,
  path: string,
): readonly Choice[] {
  const paths = new Set(anywhere(path).map((one) => boundPath(program, one)));
  return [...new Set(decisions.flatMap((d) => (paths.has(d.path) ? [d.value] : [])))];
}

/** A variant has choices as they were given. */
export function expectTaken(given: Prepared, variant: Variant, choices: Choices): void {
  const found = Object.keys(choices).map((path) => [path, valuesAt(given, variant, path)]);
  const wanted = Object.entries(choices).map(([path, value]) => [path, [value]]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
}

/** The places of copies in workgroup memory. */
export function stagedPlaces({ mapped }: Variant): readonly Place[] {
  return mapped.schedule.places.filter(
    ({ target, space }) =>
      space === "workgroup" && target.kind === "tensor" && target.tensor.includes("_copy"),
  );
}

/** A mapping of it. */
export function mappedBy(given: Prepared, options: Mapping, profile: DeviceProfile): Variant {
  const variant = mapCase(given, profile, { kind: "options", options });
  if (isFailure(variant)) throw new Error(describeFailure(given.tcCase, variant));
  return variant;
}

/** Maps, and executes in the interpreters and on the device; all agree. */
export async function executed(
  given: Prepared,
  options: Mapping,
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
