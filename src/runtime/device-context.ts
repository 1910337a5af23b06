/**
 * A device together with what is known to have gone wrong on it.
 *
 * WebGPU reports errors late and to nobody in particular. Here each group of commands stands in
 * its own error scopes ({@link scoped}), so that its errors become the rejection of the call that
 * made it. What no call can wait for is kept by `report` and thrown by the next `check`.
 */
import { RuntimeFault } from "./runtime-fault.ts";

export interface DeviceContext {
  readonly device: GPUDevice;
  /**
   * Throws if the runtime was disposed, if the device is lost, or if something failed that no call
   * has told the caller yet.
   */
  check(): void;
  /** From now on `check` throws `misuse`: the runtime was disposed. */
  close(): void;
  /** Keeps a fault for the next `check`; the first one wins. */
  report(fault: RuntimeFault): void;
  /** Calls that did not wait for WebGPU to check them, and of which it has not said anything yet. */
  readonly unheard: { count: number };
  /** The fault of a lost device, waiting a moment for the news; `null` if the device works. */
  loss(): Promise<RuntimeFault | null>;
}

export interface WatchOptions {
  /** Called once when the device is lost and the runtime did not destroy it. */
  readonly onLost?: (fault: RuntimeFault) => void;
  /** Report errors outside all scopes: right for a device that nobody else uses. */
  readonly uncaptured?: boolean;
}

/** Milliseconds within which WebGPU tells of a loss after the first call that failed for it. */
const lossNewsMs = 200;

/** Starts to listen for the loss of the device and, if asked, for errors outside all scopes. */
export function watchDevice(device: GPUDevice, options: WatchOptions = {}): DeviceContext {
  let closed = false;
  let lost: RuntimeFault | null = null;
  let reported: RuntimeFault | null = null;
  const news = device.lost.then((info) => {
    lost = lossFault(info);
    if (info.reason !== "destroyed" && !closed) options.onLost?.(lost);
    return lost;
  });
  const report = (fault: RuntimeFault): void => {
    reported ??= fault;
  };
  if (options.uncaptured === true) {
    device.addEventListener("uncapturederror", (event) => {
      event.preventDefault();
      report(new RuntimeFault("validation", `an earlier command failed: ${event.error.message}`));
    });
  }
  return {
    device,
    unheard: { count: 0 },
    report,
    close: () => {
      closed = true;
    },
    check: () => {
      if (closed) throw new RuntimeFault("misuse", "the runtime was disposed");
      const fault = lost ?? reported;
      reported = null;
      if (fault !== null) throw fault;
    },
    loss: () =>
      Promise.race([
        news,
        new Promise<null>((resolve) => {
          setTimeout(() => resolve(null), lossNewsMs);
        }),
      ]),
  };
}

function lossFault(info: GPUDeviceLostInfo): RuntimeFault {
  const cause = info.reason === "destroyed" ? "it was destroyed" : info.message || "unknown cause";
  return new RuntimeFault(
    "device-lost",
    `the WebGPU device is lost (${cause}); its tensors are gone, open a new runtime to go on`,
  );
}

const scopeKinds = ["validation", "out-of-memory", "internal"] as const;

/**
 * Runs `commands` at once, inside error scopes of its own, and resolves with their value when
 * WebGPU has checked them (which does not wait for the device to finish).
 *
 * @param doing what the commands do, for the message: "could not <doing>: ...".
 * @throws RuntimeFault of kind `validation`, `out-of-memory`, `internal` or `device-lost`.
 */
export async function scoped<T>(
  context: DeviceContext,
  doing: string,
  commands: () => T,
): Promise<T> {
  context.check();
  const { value, fault } = enterScopes(context.device, doing, commands);
  await settle(context, fault);
  return value;
}

async function settle(context: DeviceContext, fault: Promise<RuntimeFault | null>): Promise<void> {
  const found = await fault;
  context.check();
  if (found !== null) throw found;
}

async function reportLater(
  context: DeviceContext,
  fault: Promise<RuntimeFault | null>,
): Promise<void> {
  const found = await fault;
  if (found !== null) context.report(found);
}

/** A program that never waits is made to after so many calls: its event loop has to turn, too. */
const mostUnheard = 16;

/**
 * Like {@link scoped} where `commands` know that they are the same as before, on the same live memory:
 * `isKnown`. What WebGPU took once it takes again, so that nobody waits for it to say so: a fault, which
 * there should not be, is reported to the next call.
 */
export async function scopedUnlessKnown(
  context: DeviceContext,
  doing: string,
  commands: () => { readonly isKnown: boolean },
): Promise<void> {
  context.check();
  const { value, fault } = enterScopes(context.device, doing, commands);
  const { unheard } = context;
  if (!value.isKnown || unheard.count >= mostUnheard) return await settle(context, fault);
  unheard.count += 1;
  reportLater(context, fault).then(() => {
    unheard.count -= 1;
  });
}

/** Like {@link scoped} for a call that cannot wait: a fault is reported to the next call. */
export function scopedLater<T>(context: DeviceContext, doing: string, commands: () => T): T {
  context.check();
  const { value, fault } = enterScopes(context.device, doing, commands);
  void reportLater(context, fault);
  return value;
}

function enterScopes<T>(
  device: GPUDevice,
  doing: string,
  commands: () => T,
): { value: T; fault: Promise<RuntimeFault | null> } {
  for (const kind of scopeKinds) device.pushErrorScope(kind);
  let popped: readonly Promise<GPUError | null>[] = [];
  const pop = (): void => {
    // On a lost device popErrorScope may reject; the loss is found by its own means.
    popped = scopeKinds.map(() => device.popErrorScope().catch(() => null)).reverse();
  };
  let value: T;
  try {
    value = commands();
  } catch (error) {
    pop();
    throw error;
  }
  pop();
  return { value, fault: firstFault(doing, popped) };
}

async function firstFault(
  doing: string,
  popped: readonly Promise<GPUError | null>[],
): Promise<RuntimeFault | null> {
  const errors = await Promise.all(popped);
  // A buffer that could not be had makes later commands invalid: memory is the cause to name.
  const order = ["out-of-memory", "validation", "internal"] as const;
  for (const kind of order) {
    const error = errors[scopeKinds.indexOf(kind)];
    if (error) return new RuntimeFault(kind, `could not ${doing}: ${error.message.trim()}`);
  }
  return null;
}
