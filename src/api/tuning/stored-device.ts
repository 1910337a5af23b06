/** Devices as records of tuning name them. */
import type { Runtime } from "../../runtime/runtime.ts";
import { textHash } from "../../support/text-hash.ts";
import type { StoredDevice } from "../../tuner/store.ts";

/**
 * What records of this device are kept under, as far as WebGPU tells: everything that kernels are compiled for, and the
 * texts of the adapter, in which drivers have their versions.
 */
export function storedDevice({
  profile,
  adapter,
}: Pick<Runtime, "profile" | "adapter">): StoredDevice {
  const { subgroups, limits, features, matrixUnits = [], driver = "", mostStatements } = profile;
  const all = [subgroups, limits, features, matrixUnits, driver, mostStatements];
  return {
    profile: textHash(JSON.stringify(all)),
    vendor: adapter.vendor,
    architecture: adapter.architecture,
    backend: adapter.kind,
    driver: [adapter.device, adapter.description].filter((text) => text !== "").join(", "),
  };
}
