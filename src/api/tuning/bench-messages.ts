/** What is said between a bench and the process or worker that has its device: see messages.ts of threads. */
import type { AdapterDescription } from "../../runtime/device.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import type {
  AdmitOptions,
  Admitted,
  BenchClock,
  Refusal,
  Sample,
  Tried,
} from "../../tuner/bench.ts";
import type { TuningTask } from "../../tuner/candidate.ts";

/** What the other side is asked to do; `open` is the first. */
export type BenchTask =
  | { readonly kind: "open"; readonly task: TuningTask; readonly adapter: string | undefined }
  | { readonly kind: "admit"; readonly candidate: Tried; readonly options: AdmitOptions }
  | { readonly kind: "time"; readonly id: string; readonly quanta: number }
  | { readonly kind: "release"; readonly ids: readonly string[] };

/** What there is to measure on. */
export interface OpenedBench {
  readonly kind: "opened";
  readonly clock: BenchClock;
  readonly profile: DeviceProfile;
  readonly adapter: AdapterDescription;
}

/** What the other side answers. */
export type BenchAnswer =
  | OpenedBench
  | { readonly kind: "outcome"; readonly outcome: Admitted | Refusal }
  | { readonly kind: "sample"; readonly sample: Sample | Refusal }
  | { readonly kind: "released" };
