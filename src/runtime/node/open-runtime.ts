/** A runtime in Node, from nothing. */
import { availableParallelism } from "node:os";
import { checkOptions, kindOf, type OptionNames } from "../../support/check-call-shape.ts";
import { profileOf, requestComputeDevice } from "../device.ts";
import { createExclusiveRuntime, type Runtime } from "../runtime.ts";
import type { RuntimeFault } from "../runtime-fault.ts";
import { openAdapter } from "./open-adapter.ts";

export interface OpenRuntimeOptions {
  /** `auto` (the default), `gpu`, `software`, or a part of an adapter's description. */
  readonly adapter?: string;
  /** Called once if the device is lost. */
  readonly onLost?: (fault: RuntimeFault) => void;
  /**
   * Called with each line of what was found out on the way: why better adapters were not taken, and
   * what Dawn, the Vulkan loader and the driver print, which goes nowhere else.
   */
  readonly onNote?: (line: string) => void;
}

const optionNames: OptionNames<OpenRuntimeOptions> = { adapter: true, onLost: true, onNote: true };

/**
 * Opens the adapter (see `openAdapter`) and a device on it; `runtime.adapter` says which it is.
 * `dispose` destroys the device. The process ends by itself when nothing else keeps it.
 * @throws RuntimeFault `no-adapter` naming all that was tried.
 */
export async function openRuntime(options: OpenRuntimeOptions = {}): Promise<Runtime> {
  checkOptions("openRuntime", options, optionNames);
  const { adapter: wanted, onLost, onNote } = options;
  if (wanted !== undefined && typeof wanted !== "string") {
    const choices = '"auto", "gpu", "software" or a part of an adapter\'s name';
    throw new TypeError(`openRuntime: \`adapter\` is ${choices}, got ${kindOf(wanted)}`);
  }
  if (onLost !== undefined && typeof onLost !== "function") {
    throw new TypeError(`openRuntime: \`onLost\` is a function, got ${kindOf(onLost)}`);
  }
  if (onNote !== undefined && typeof onNote !== "function") {
    throw new TypeError(`openRuntime: \`onNote\` is a function, got ${kindOf(onNote)}`);
  }
  const { adapter, description, notes } = await openAdapter(wanted);
  for (const note of notes) onNote?.(note);
  const device = await requestComputeDevice(adapter);
  return createExclusiveRuntime({
    device,
    adapterDescription: description,
    profile: profileOf(device, { cores: availableParallelism() }),
    ...(onLost === undefined ? {} : { onLost }),
  });
}
