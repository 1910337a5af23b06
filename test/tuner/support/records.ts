/** Records of tuning for tests. */
import { printRecord } from "../../../src/tuner/record.ts";
import type { StoredDevice, StoredFigures, TuningRecord } from "../../../src/tuner/store.ts";

export const device: StoredDevice = {
  profile: "p0",
  vendor: "mesa",
  architecture: "llvmpipe",
  backend: "vulkan",
  driver: "25.0.7",
};

export function figures(us: number, n = 5): StoredFigures {
  return { us, mad: us / 50, mean: us, variance: us / 100, min: us * 0.9, max: us * 1.2, n };
}

/** What a test says of a record; the rest is the same for all. */
export interface Given {
  readonly us?: number;
  readonly won?: boolean;
  readonly outcome?: TuningRecord["outcome"] | undefined;
  readonly text?: string;
  readonly sizes?: readonly number[];
  readonly choices?: TuningRecord["choices"];
  readonly kernel?: string;
  readonly alignment?: number;
  readonly generator?: string;
  readonly device?: Partial<StoredDevice>;
  readonly effort?: TuningRecord["effort"];
  readonly at?: number;
}

export function record(given: Given = {}): TuningRecord {
  const { us = 100, won = false, text = "a" } = given;
  return {
    schema: 1,
    key: {
      kernel: given.kernel ?? "def:0",
      sizes: given.sizes ?? [64, 64, 64],
      types: ["float32"],
      alignment: given.alignment ?? 16,
      device: { ...device, ...given.device },
      generator: given.generator ?? "1",
    },
    choices: given.choices ?? { kernels: { $0: { unroll: text } } },
    text,
    outcome: given.outcome ?? {
      kind: "ok",
      figures: figures(us),
      defaultUs: 200,
      ...(won ? { won } : {}),
    },
    effort: given.effort ?? "normal",
    at: given.at ?? 1_000,
  };
}

export function lines(...given: readonly Given[]): readonly string[] {
  return given.map((one) => printRecord(record(one)));
}
