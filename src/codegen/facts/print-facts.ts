/** Facts as a table for people. */
import { deviceFamilies } from "../../support/device-families.ts";
import type { AccessFacts, KernelFacts } from "./kernel-facts.ts";
import { operationKinds } from "./operations.ts";

/** At most four digits that count; `?` for what data decide. */
function number(value: number | null): string {
  if (value === null) return "?";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  if (Math.abs(value) >= 1e6) return value.toExponential(2).replace("e+", "e");
  return String(Number(value.toPrecision(3)));
}

function percent(share: number | null): string {
  return share === null ? "?" : `${Math.round(share * 100)} %`;
}

function ratio(value: number | null, of: number | null): string {
  return value === null || of === null || of === 0 ? "?" : number(value / of);
}

/** Cells under heads, each column as wide as it has to be; numbers are at the right. */
function table(rows: readonly (readonly string[])[], left: number): string {
  const widths = (rows[0] ?? []).map((_, c) =>
    Math.max(...rows.map((row) => (row[c] ?? "").length)),
  );
  const lines = rows.map((row) =>
    row.map((cell, c) => (c < left ? cell.padEnd(widths[c] ?? 0) : cell.padStart(widths[c] ?? 0))),
  );
  return lines.map((cells) => `  ${cells.join("  ").trimEnd()}\n`).join("");
}

function accessRow({
  place,
  kind,
  array,
  width,
  requests,
  memory,
}: AccessFacts): readonly string[] {
  const what = [place, kind, array, String(width), number(requests)];
  if (memory.space === "storage") {
    return [...what, ratio(memory.sectors, requests), percent(memory.usedShare), "", "", ""];
  }
  const { wavefronts } = memory;
  const answers = (["32x4", "16x4", "16x16"] as const).map((model) =>
    ratio(wavefronts === null ? null : wavefronts[model], requests),
  );
  return [...what, "", "", ...answers];
}

function headLines(k: KernelFacts): readonly string[] {
  const { workgroups: w, family, memory, workgroupMemory, occupancy } = k;
  const held = occupancy[family];
  const { cores, device } = deviceFamilies[family];
  const kinds = operationKinds.map((kind) => `${number(k.operations?.[kind] ?? null)} ${kind}`);
  const inner = operationKinds
    .filter((kind) => kind !== "fma" && k.inLoops[kind] > 0 && k.inLoops.fma > 0)
    .map((kind) => `${number(k.inLoops[kind] / k.inLoops.fma)} ${kind}`);
  return [
    `kernel ${k.kernel}, for ${family} (${device}, ${cores} cores)${k.sampled ? ", sampled" : ""}`,
    `  ${number(k.dispatches)} dispatches of ${number(w.count)} workgroups of ${w.size}, ${number(w.empty)} empty, ${number(w.perCore)} a core`,
    `  ${k.liveScalars} live scalars, ${workgroupMemory.bytes} B of workgroup memory: ${held.workgroups} workgroups on a core at once (${held.limit})`,
    `  operations ${kinds.join(", ")}`,
    ...(inner.length === 0 ? [] : [`  in loops for each fma: ${inner.join(", ")}`]),
    `  fma for each wavefront ${number(k.fmaPerWavefront)}, for each byte that a workgroup loads ${number(k.fmaPerUniqueByte)}`,
    `  used of what is loaded ${percent(memory.loadedShareUsed)}, ${number(k.loadsInFlight)} loads together, ${number(k.barriersPerWorkgroup)} barriers, ${number(k.iterationsPerInvocation)} iterations`,
    ...(memory.atomics === 0
      ? []
      : [
          `  ${number(memory.atomics)} atomics, at most ${number(memory.contention)} at once for an address`,
        ]),
  ];
}

const heads = [
  "place",
  "access",
  "array",
  "width",
  "requests",
  "sectors",
  "used",
  "32x4",
  "16x4",
  "16x16",
];

/** A table for each kernel: what accesses cost is told for each request of 32 lanes. */
export function printFacts(kernels: readonly KernelFacts[]): string {
  return kernels
    .map((k) => `${headLines(k).join("\n")}\n${table([heads, ...k.accesses.map(accessRow)], 3)}`)
    .join("\n");
}
