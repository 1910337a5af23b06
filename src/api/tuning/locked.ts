/** Definitions with their entries of a lock file. */
import { lowerSource } from "../../compile.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import type { TuneResult } from "../../tuner/events.ts";
import { findLocked, type LockEntry, type LockFile } from "../../tuner/lock-file.ts";
import { contentOfProgram } from "./content.ts";
import { isUnplanned } from "./planned-task.ts";
import { createPlanner } from "./planner.ts";

/** A definition at some sizes, for a device. */
export interface LockRequest {
  readonly def?: string;
  readonly sizes?: Readonly<Record<string, number>>;
  readonly profile: DeviceProfile;
  /** Of the code generator. */
  readonly generator: string;
}

/**
 * The entry of a lock file for a definition; or why there is none. A source that does not compile has none, and says so.
 */
export function lockedEntry(
  lock: LockFile,
  source: string,
  { profile, generator, ...request }: LockRequest,
): LockEntry | { readonly missing: string } {
  const lowered = lowerSource(source, request);
  if (!lowered.ok) return { missing: "the source has errors" };
  const { program, sizes } = lowered;
  const place = { def: program.name, sizes, profile: profile.name };
  return findLocked(lock, place, contentOfProgram(program).key, generator);
}

/** What a run found, as an entry for {@link withEntries}. */
export function lockEntryOf(
  { def, sizes, options, alternative, tuned, default: first }: TuneResult,
  source: string,
  { profile, generator }: Pick<LockRequest, "profile" | "generator">,
): LockEntry {
  const planner = createPlanner({ source, def, sizes }, profile);
  if (isUnplanned(planner)) throw new RangeError(planner.refused);
  return {
    def,
    sizes,
    profile: profile.name,
    content: planner.content.key,
    generator,
    options: alternative === null ? planner.canonical(options) : options,
    alternative,
    us: tuned?.us ?? null,
    defaultUs: first?.us ?? null,
  };
}
