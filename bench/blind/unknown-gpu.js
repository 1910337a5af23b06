// Devices that nobody has looked at.
import { namedProfiles } from "../../dist/index.js";

/** The adapter as a GPU that nobody knows: what it can do, and nothing that tells what is fast there. */
export function unknownGpu({ limits, features, subgroups, driver, mostStatements }) {
  const { name, lanes, cores, costs } = namedProfiles.gpu;
  const asGpu = {
    name,
    class: "gpu",
    lanes,
    cores,
    costs,
    limits,
    features,
    subgroups,
    mostStatements,
  };
  return driver === undefined ? asGpu : { ...asGpu, driver };
}
