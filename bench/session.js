// The device that everybody is measured on.
import { adapterText, openRuntime } from "../dist/node.js";
import { countDispatches } from "./measure/dispatches.js";

/**
 * @typedef {object} Session
 * @property {any} runtime
 * @property {GPUDevice} device
 * @property {string} adapter one line for people
 * @property {() => number} dispatches recorded since the last question
 * @property {() => Promise<{ gflops: number, gigabytes: number }>} ceilings measures them: per second
 * @property {string} date when the run began
 */

/** Opens the adapter. @param {string} wanted @returns {Promise<Session>} */
export async function openSession(wanted) {
  const runtime = await openRuntime({ adapter: wanted });
  const { device } = runtime;
  Object.assign(globalThis, (await import("webgpu")).globals);
  const dispatches = countDispatches(device);
  const adapter = adapterText(runtime.adapter);
  return {
    runtime,
    device,
    adapter,
    dispatches,
    ceilings: runtime.ceilings,
    date: new Date().toISOString(),
  };
}

/** Libraries that ask the browser for a device get this one. @param {Session} session */
export function shareDevice({ device }) {
  // A library that is done with its session would take the device from the others.
  device.destroy = () => {};
  const adapter = {
    info: device.adapterInfo,
    features: device.features,
    limits: device.limits,
    isFallbackAdapter: false,
    requestDevice: async () => device,
    requestAdapterInfo: async () => device.adapterInfo,
  };
  const gpu = {
    requestAdapter: async () => adapter,
    getPreferredCanvasFormat: () => "bgra8unorm",
    wgslLanguageFeatures: new Set(),
  };
  Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node" } });
}
