/** Which adapter to use in Node. */
import { type AdapterDescription, type AdapterKind, adapterText } from "../device.ts";
import { RuntimeFault } from "../runtime-fault.ts";
import { bundledAdapters, type FoundAdapter, systemAdapters } from "./dawn.ts";

/** An adapter, ready to give one device, and which it is. */
export interface OpenedAdapter {
  readonly adapter: GPUAdapter;
  readonly description: AdapterDescription;
  /** Why none was taken from the places before, and what drivers printed: for people, one a line. */
  readonly notes: readonly string[];
}

/**
 * Opens an adapter.
 *
 * @param asked `auto`: what the variable `TC_ADAPTER` names, else a real GPU, else software Vulkan
 *   of the system (llvmpipe), else the bundled SwiftShader. `gpu`: only a real one. `software`: no
 *   real one. Anything else: the first adapter in the order of `auto` whose description contains
 *   it, whatever the case; `swiftshader` looks for the bundled one first.
 * @throws RuntimeFault `no-adapter` naming each place that was looked in and what was wrong there.
 */
export async function openAdapter(asked: string = "auto"): Promise<OpenedAdapter> {
  const { TC_ADAPTER: usual } = process.env;
  const wanted = asked === "auto" && usual ? usual : asked;
  const failures: string[] = [];
  for (const place of placesFor(wanted)) {
    try {
      const found = await place.adapters();
      const chosen = chooseAdapter(found, wanted);
      const adapter = (await chosen?.request()) ?? null;
      if (chosen !== undefined && adapter !== null) {
        const { description, said } = chosen;
        return { adapter, description, notes: [...failures, ...said] };
      }
      const names = found.map((one) => adapterText(one.description)).join("; ");
      failures.push(`${place.name}: not "${wanted}": ${names}`);
    } catch (error) {
      failures.push(`${place.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const tried = failures.map((failure) => `\n  - ${failure}`).join("");
  throw new RuntimeFault(
    "no-adapter",
    `no usable WebGPU adapter for "${wanted}":${tried}${advice(asked, wanted)}`,
  );
}

function advice(asked: string, wanted: string): string {
  if (wanted === "auto") return "";
  const best = "takes the best that there is";
  if (wanted === asked) return `\nThe adapter "auto" ${best}.`;
  return `\nThe variable TC_ADAPTER asks for it; without it "auto" ${best}.`;
}

interface Place {
  readonly name: string;
  adapters(): Promise<readonly FoundAdapter[]>;
}

function placesFor(wanted: string): readonly Place[] {
  const system: Place = { name: "drivers of this system", adapters: systemAdapters };
  const bundled: Place = { name: "bundled SwiftShader", adapters: bundledAdapters };
  if (wanted === "gpu") return [system];
  // Drivers of the system take long to load.
  return wanted.toLowerCase() === "swiftshader" ? [bundled, system] : [system, bundled];
}

/** The adapter that fits best: real GPUs before software, in the order of the driver. */
export function chooseAdapter<T extends { readonly description: AdapterDescription }>(
  found: readonly T[],
  wanted: string,
): T | undefined {
  const order: readonly AdapterKind[] = ["gpu", "llvmpipe", "cpu", "swiftshader"];
  const usable = order.flatMap((kind) => found.filter((one) => one.description.kind === kind));
  return usable.find((one) => matches(one.description, wanted));
}

function matches(adapter: AdapterDescription, wanted: string): boolean {
  switch (wanted) {
    case "auto":
      return true;
    case "gpu":
      return adapter.kind === "gpu";
    case "software":
      return adapter.kind !== "gpu";
    default:
      return adapterText(adapter).toLowerCase().includes(wanted.toLowerCase());
  }
}
