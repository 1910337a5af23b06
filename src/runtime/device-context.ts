/**
 * A device together with what is known to have gone wrong on it.
 *
 * WebGPU reports errors late and to nobody in particular. Here each group of commands stands in
 * its own error scopes ({@link scoped}), so that its errors become the rejection of the call that
 * made it. Where that does not wait, they belong to the memory that it writes ({@link Memory}), and to
 * what is computed from that: to read it rejects. Errors outside all scopes are kept by `report` and
 * thrown by the next `check`.
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
  /** Why buffers do not hold what they should: the faults of calls that did not wait. */
  readonly spoilt: WeakMap<GPUBuffer, RuntimeFault>;
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
    spoilt: new WeakMap(),
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

type ScopeKinds = readonly (typeof scopeKinds)[number][];

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

/** The buffers that commands take and those that they change. */
export interface Memory {
  readonly read: readonly GPUBuffer[];
  readonly written: readonly GPUBuffer[];
}

/** Why one of some buffers does not hold what it should; null if all do, as far as WebGPU has said. */
export function spoiltBy(
  { spoilt }: DeviceContext,
  buffers: readonly GPUBuffer[],
): RuntimeFault | null {
  for (const buffer of buffers) {
    const cause = spoilt.get(buffer);
    if (cause !== undefined) return cause;
  }
  return null;
}

/** What commands did not compute because of their own fault, or of what they took, is spoilt. */
async function spoilLater(
  context: DeviceContext,
  fault: Promise<RuntimeFault | null>,
  { read, written }: Memory,
): Promise<void> {
  const own = await fault;
  // WebGPU answers in order: what is known to be wrong with `read` is known now.
  const cause = spoiltBy(context, read) ?? own;
  if (cause !== null) for (const buffer of written) context.spoilt.set(buffer, cause);
}

/** A program that never waits is made to after so many calls: its event loop has to turn, too. */
const mostUnheard = 16;

/**
 * Like {@link scoped} where `commands` know that they are the same as before, on the same live memory:
 * `isKnown`. What WebGPU took once it takes again, so that nobody waits for it to say so: by a fault, which
 * there should not be, the memory that they write is spoilt. Rejects if what they take is. `makesNothing`: neither
 * buffers nor what is written into them by the host.
 */
export async function scopedUnlessKnown(
  context: DeviceContext,
  doing: string,
  makesNothing: boolean,
  commands: () => Memory & { readonly isKnown: boolean },
): Promise<void> {
  context.check();
  // All that can go wrong with commands that make nothing, neither memory nor pipelines, but for the loss of the device.
  const kinds: ScopeKinds = makesNothing ? ["validation"] : scopeKinds;
  const { value, fault } = enterScopes(context.device, doing, commands, kinds);
  const { unheard } = context;
  if (!value.isKnown || unheard.count >= mostUnheard) {
    const cause = fault.then((own) => spoiltBy(context, value.read) ?? own);
    return await settle(context, cause);
  }
  unheard.count += 1;
  spoilLater(context, fault, value).then(() => {
    unheard.count -= 1;
  });
}

/** Like {@link scoped} for commands that nobody can wait for: by a fault the buffer that they make is spoilt. */
export function scopedLater(
  context: DeviceContext,
  doing: string,
  commands: () => GPUBuffer,
): GPUBuffer {
  context.check();
  const { value, fault } = enterScopes(context.device, doing, commands);
  void spoilLater(context, fault, { read: [], written: [value] });
  return value;
}

function enterScopes<T>(
  device: GPUDevice,
  doing: string,
  commands: () => T,
  kinds: ScopeKinds = scopeKinds,
): { value: T; fault: Promise<RuntimeFault | null> } {
  for (const kind of kinds) device.pushErrorScope(kind);
  let popped: readonly Promise<GPUError | null>[] = [];
  const pop = (): void => {
    // On a lost device popErrorScope may reject; the loss is found by its own means.
    popped = kinds.map(() => device.popErrorScope().catch(() => null)).reverse();
  };
  let value: T;
  try {
    value = commands();
  } catch (error) {
    pop();
    throw error;
  }
  pop();
  return { value, fault: firstFault(doing, kinds, popped) };
}

async function firstFault(
  doing: string,
  kinds: ScopeKinds,
  popped: readonly Promise<GPUError | null>[],
): Promise<RuntimeFault | null> {
  const errors = await Promise.all(popped);
  // A buffer that could not be had makes later commands invalid: memory is the cause to name.
  const order = ["out-of-memory", "validation", "internal"] as const;
  for (const kind of order) {
    const error = errors[kinds.indexOf(kind)];
    if (error) return new RuntimeFault(kind, `could not ${doing}: ${error.message.trim()}`);
  }
  return null;
}
