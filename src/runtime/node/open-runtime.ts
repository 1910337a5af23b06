/** A runtime in Node, from nothing. */
import { availableParallelism } from "node:os";
import { profileOf, requestComputeDevice } from "../device.ts";
import { createExclusiveRuntime, type Runtime } from "../runtime.ts";
import type { RuntimeFault } from "../runtime-fault.ts";
import { openAdapter } from "./open-adapter.ts";

export interface OpenRuntimeOptions {
  /** `auto` (the default), `gpu`, `software`, or a part of an adapter's description. */
  readonly adapter?: string;
  /** Called once if the device is lost. */
  readonly onLost?: (fault: RuntimeFault) => void;
}

/**
 * Opens the adapter (see `openAdapter`) and a device on it; `runtime.adapter` says which it is.
 * `dispose` destroys the device. The process ends by itself when nothing else keeps it.
 * @throws RuntimeFault `no-adapter` naming all that was tried.
 */
export async function openRuntime(options: OpenRuntimeOptions = {}): Promise<Runtime> {
  const { adapter, description } = await openAdapter(options.adapter);
  const device = await requestComputeDevice(adapter);
  return createExclusiveRuntime({
    device,
    adapterDescription: description,
    profile: profileOf(device, { cores: availableParallelism() }),
    ...(options.onLost === undefined ? {} : { onLost: options.onLost }),
  });
}
