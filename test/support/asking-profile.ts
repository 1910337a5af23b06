/** Devices whose subgroups have several sizes, of which kernels ask for one. */
import type { DeviceProfile } from "../../src/support/device-profile.ts";

/** All sizes that a device of today may be asked for. */
export const askedSizes: readonly number[] = [4, 8, 16, 32, 64, 128];

/** The device, with subgroups from half of a size to twice of it, and that one to ask for. */
export function askingFor(size: number, profile: DeviceProfile): DeviceProfile {
  return {
    ...profile,
    name: `${profile.name} asked for ${size}`,
    lanes: size,
    subgroups: { min: size / 2, max: 2 * size, width: size },
    features: { ...profile.features, subgroups: true },
  };
}
