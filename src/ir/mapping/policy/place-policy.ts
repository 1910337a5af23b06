/** Where we prefer the temporaries of a kernel. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { subgroupLanes } from "../../../support/device-profile.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { eachLeaf, type Schedule } from "../../schedule.ts";
import { buildKernel, mayBecomeLegal } from "../build/build-kernel.ts";
import { type Temporary, temporaryOf } from "../build/place-temporaries.ts";
import { privateBytes, privateElements } from "../group/temporaries.ts";
import { workgroupBytes } from "../group/workgroup-bytes.ts";
import type { Space } from "../kernel-mapping.ts";
import type { Knob } from "../space/knob.ts";
import { scratchBytes } from "../space/place-knobs.ts";
import type { PolicyQuestion } from "./kernel-policy.ts";

/** The workgroups of a kernel. */
function workgroups({ root }: Schedule): number {
  const loops = root.kind === "band" ? root.loops : [];
  return loops.reduce((count, l) => (l.on === "grid" ? count * l.extent : count), 1);
}

/** The lanes of a subgroup where the kernel is written in such lanes; 0 elsewhere. */
function lanesIn(schedule: Schedule, profile: DeviceProfile): number {
  const lanes = subgroupLanes(profile);
  const fits = eachLeaf(schedule.root).some(({ loops }) =>
    loops.some((l) => l.on === "lane" && l.extent === lanes),
  );
  return fits && lanes !== null ? lanes : 0;
}

/** Bytes of private memory that a kernel's temporaries have. */
function privateBytesOf(
  program: Parameters<typeof temporaryOf>[0],
  schedule: Schedule,
  host: Parameters<typeof temporaryOf>[2],
): number {
  return schedule.places.reduce((sum, { target, space }) => {
    if (target.kind !== "tensor" || space !== "private") return sum;
    return sum + 4 * (temporaryOf(program, schedule, host, target.tensor)?.elements ?? 0);
  }, 0);
}

/** Bytes that a space is cheap for, in the order of preference, and has room for. */
function rooms(
  { profile, group }: PolicyQuestion,
  program: Parameters<typeof temporaryOf>[0],
  schedule: Schedule,
  { looped }: Temporary,
): readonly { readonly space: Space; readonly bytes: number; readonly cheap: number }[] {
  const { maxBindingBytes, maxWorkgroupBytes } = profile.limits;
  const { costs } = profile;
  const used = workgroupBytes(program, schedule, group.host);
  const lanes = lanesIn(schedule, profile);
  const taken = privateBytesOf(program, schedule, group.host);
  const own = Math.min(4 * privateElements, privateBytes - taken);
  const isDear = looped && costs.privateLoad > costs.load;
  const slices = workgroups(schedule);
  return [
    { space: "private", bytes: own, cheap: isDear ? 4 : own },
    // One register of each lane: several would be an array, which not every device indexes fast.
    { space: "lanes", bytes: own * lanes, cheap: 4 * lanes },
    {
      space: "workgroup",
      bytes: Math.floor(maxWorkgroupBytes / 2) - used,
      cheap: costs.stagingBytes - used,
    },
    { space: "scratch", bytes: Math.min(scratchBytes, maxBindingBytes / slices), cheap: 0 },
  ];
}

/**
 * The first space that is cheap for a temporary and legal; where there are too many buffers to leave it in storage, one
 * that is not cheap.
 */
export function preferredPlace(knob: Knob, q: PolicyQuestion): Choice | undefined {
  const { group, profile, mapping } = q;
  const [name, tensor] = [knob.path.slice(0, 7), knob.path.slice(7)];
  if (name !== "places/") return undefined;
  const built = buildKernel(group, profile, mapping);
  if (built.kind === "impossible") return "storage";
  const { program, schedule } = built;
  const temporary = temporaryOf(program, schedule, group.host, tensor);
  if (temporary === null) return "storage";
  const bytes = 4 * temporary.elements;
  const mayStay = knob.values.includes("storage");
  const open = rooms(q, program, schedule, temporary).filter(
    (r) => bytes <= r.bytes && (bytes <= r.cheap || !mayStay) && knob.values.includes(r.space),
  );
  const found = open.find((r) => mayBecomeLegal(group, profile, knob.with(r.space)));
  return found?.space ?? "storage";
}
