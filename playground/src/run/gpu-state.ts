/** What there is of WebGPU here: each rung of the ladder has a name, and says only what was seen. */
import type { DeviceProfile } from "../../../src/index.ts";
import type { Timer } from "../../../src/runtime.ts";

/** Where a visitor stands. */
export type GpuState =
  | { readonly kind: "unknown" }
  | { readonly kind: "opening" }
  /** The page came over plain HTTP from another machine. */
  | { readonly kind: "insecure" }
  /** `navigator.gpu` is not there. */
  | { readonly kind: "no-api" }
  /** `requestAdapter()` gave null. */
  | { readonly kind: "no-adapter" }
  /** There is an adapter, and it gave no device. */
  | { readonly kind: "refused"; readonly message: string }
  | { readonly kind: "lost"; readonly message: string }
  | {
      readonly kind: "ready";
      /** Which adapter, in a line. */
      readonly adapter: string;
      readonly software: boolean;
      readonly profile: DeviceProfile;
      readonly features: readonly string[];
      /** What its times are read from; null where that could not be observed. */
      readonly timer: Timer | null;
      /** In the worker, or in the page where workers have no WebGPU. */
      readonly where: "worker" | "page";
    };

/** What a visitor reads where there is no device, and what can be done. */
export function gpuTexts(state: GpuState): { readonly what: string; readonly next: string } {
  switch (state.kind) {
    case "unknown":
      return { what: "No device is open yet", next: "Run opens one." };
    case "opening":
      return { what: "Opening a device", next: "" };
    case "insecure":
      return {
        what: "This page is not in a secure context, so the browser hides WebGPU",
        next: "Open it over https, or from localhost.",
      };
    case "no-api":
      return {
        what: "This browser has no WebGPU (navigator.gpu is missing)",
        next: "Current versions of Chrome, Edge, Firefox and Safari have it on most systems.",
      };
    case "no-adapter":
      return {
        what: "WebGPU is there, but it found no adapter (requestAdapter() gave null)",
        next: "The browser may have blocked the graphics driver: its GPU page (chrome://gpu, about:support) says why.",
      };
    case "refused":
      return {
        what: `The adapter gave no device: ${state.message}`,
        next: "Close other pages that use the GPU, then try again.",
      };
    case "lost":
      return {
        what: `The device was lost: ${state.message}`,
        next: "Run opens a new one.",
      };
    case "ready":
      return { what: state.adapter, next: "" };
  }
}
