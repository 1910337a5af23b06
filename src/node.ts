/** Definitions in Node: finds an adapter, or brings one. */
import { type Runtime, withDefine } from "./api/define.ts";
import {
  type OpenRuntimeOptions,
  openRuntime as openDeviceRuntime,
} from "./runtime/node/open-runtime.ts";

export type { OpenRuntimeOptions } from "./runtime/node/open-runtime.ts";
export { openValidator, type Validator } from "./runtime/node/open-validator.ts";
export * from "./runtime.ts";

/**
 * Opens an adapter and a device on it: a real GPU, else software Vulkan of the system, else the
 * bundled SwiftShader; `runtime.adapter` says which. `dispose` destroys the device.
 * @throws RuntimeFault `no-adapter` naming all that was tried.
 */
export async function openRuntime(options: OpenRuntimeOptions = {}): Promise<Runtime> {
  return withDefine(await openDeviceRuntime(options));
}
