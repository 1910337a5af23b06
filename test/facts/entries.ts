/**
 * What the defaults of programs ask of each family of GPUs, as text: a line for a program, one for each kernel, one for
 * each bound that it breaks.
 *
 * ```
 * file    := "model: estimates, not measured" program*
 * program := NAME ":" SHARE "% of the roofline" (kernel | veto)*       or, of examples: NAME ":" MICROSECONDS "us"
 * kernel  := "  " NAME DISPATCHES "x" WORKGROUPS "of" INVOCATIONS "," SCALARS "live," BYTES "B," BOUND
 * veto    := "  veto " KIND NAME FOUND "for" BOUND                     the worst of a kernel's places
 * ```
 */
import { readdirSync, readFileSync } from "node:fs";
import { cases } from "../../bench/cases/cases.js";
import { added } from "../../bench/model/added.js";
import { estimate } from "../../src/codegen/facts/estimate.ts";
import { facts } from "../../src/codegen/facts/facts.ts";
import type { KernelFacts } from "../../src/codegen/facts/kernel-facts.ts";
import { type Veto, vetoes } from "../../src/codegen/facts/vetoes.ts";
import { type CompileRequest, compile } from "../../src/compile.ts";
import { defined } from "../../src/support/assert.ts";
import { deviceFamilies, type FamilyName } from "../../src/support/device-families.ts";
import { namedProfiles } from "../../src/support/device-profile.ts";
import { realisticSizes } from "./realistic-sizes.ts";

/** The families that have goldens. */
export const families: readonly FamilyName[] = [
  "nvidia",
  "apple",
  "amd-rdna",
  "intel-xe",
  "adreno",
  "mali",
];

/** A program at the sizes of its use. */
export interface FactsSource {
  readonly name: string;
  readonly source: string;
  readonly request: CompileRequest;
  /** What it has to compute and to move; of examples that is not known. */
  readonly work?: { readonly operations: number; readonly bytes: number };
  /** Whether it is one of the benchmark's recurrences. */
  readonly isRecurrence?: boolean;
}

const recurrences = new Set(cases.filter((c) => c.group === "recurrent").map((c) => c.name));

const measured: readonly FactsSource[] = [
  ...added,
  ...cases.filter(({ group }) => group === "cases" || group === "recurrent"),
].map(({ name, source, inputs, operations, bytes }) => ({
  name,
  source,
  request: { shapes: inputs },
  work: { operations, bytes },
  isRecurrence: recurrences.has(name),
}));

const examples: readonly FactsSource[] = readdirSync("examples")
  .filter((file) => file.endsWith(".tc"))
  .sort()
  .map((file) => {
    const name = file.slice(0, -".tc".length);
    const sizes = defined(realisticSizes[name], "realistic sizes of", name);
    return { name, source: readFileSync(`examples/${file}`, "utf8"), request: { sizes } };
  });

/** All programs: the benchmark's cases with those of gpu.md, then the examples. */
export const programs: readonly FactsSource[] = [...measured, ...examples];

/** The facts of the defaults of a program on a family. */
export function factsOfDefaults(
  { name, source, request }: FactsSource,
  family: FamilyName,
): readonly KernelFacts[] {
  const profile = defined(namedProfiles[family], "profile", family);
  const compiled = compile(source, { ...request, profile });
  if (!compiled.ok) throw new Error(`${name}: ${compiled.diagnostics.map((d) => d.message)}`);
  return facts(compiled.plan, profile);
}

/** Three digits, without an exponent. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** How far a veto is from its bound: both above and below, 1 at the bound. */
function excess({ found, bound }: Veto): number {
  return Math.max(found / bound, bound / Math.max(found, 1e-9));
}

/** The worst veto of each kind. */
function worstOf(all: readonly Veto[]): readonly Veto[] {
  const worst = new Map<string, Veto>();
  for (const one of all) {
    const known = worst.get(one.veto);
    if (known === undefined || excess(one) > excess(known)) worst.set(one.veto, one);
  }
  return [...worst.values()];
}

function kernelLines(k: KernelFacts, family: FamilyName): readonly string[] {
  const device = deviceFamilies[family];
  const { count, size } = k.workgroups;
  const { bound } = estimate(k, device);
  const times = k.dispatches === 1 ? "" : `${k.dispatches} x `;
  const fma = k.fmaPerWavefront === null ? "" : `, ${short(k.fmaPerWavefront)} fma for an answer`;
  return [
    `  ${k.kernel} ${times}${count} of ${size}, ${k.liveScalars} live, ${k.workgroupMemory.bytes} B${fma}, ${bound}`,
    ...worstOf(vetoes([k], device)).map(
      (v) => `  veto ${v.veto} ${v.kernel} ${short(v.found)} for ${short(v.bound)}`,
    ),
  ];
}

/** The lines of a program on a family. */
export function linesOf(program: FactsSource, family: FamilyName): readonly string[] {
  const device = deviceFamilies[family];
  const kernels = factsOfDefaults(program, family);
  const seconds = kernels.reduce((sum, k) => sum + estimate(k, device).seconds, 0);
  const { work } = program;
  const roof =
    work === undefined
      ? null
      : Math.max(work.operations / device.gflops / 1e9, work.bytes / device.memoryGBs / 1e9);
  const told =
    roof === null ? `${short(seconds * 1e6)} us` : `${percent(roof / seconds)} % of the roofline`;
  return [`${program.name}: ${told}`, ...kernels.flatMap((k) => kernelLines(k, family))];
}

/** The first line of every file. */
export const heading = "model: estimates, not measured";

/** A share of the roofline in percent, as it is written: those below one with the digits that they have. */
function percent(share: number): string {
  return share < 0.01 ? short(100 * share) : (100 * share).toFixed(0);
}

/** The lines of all programs, by family and name. */
export function readGoldens(): ReadonlyMap<FamilyName, ReadonlyMap<string, readonly string[]>> {
  return new Map(
    families.map((f) => [f, readGolden(readFileSync(goldenPath(f), "utf8"))] as const),
  );
}

/** The lines of each program of a file, by name. */
function readGolden(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.trimEnd().split("\n").slice(1)) {
    if (!line.startsWith(" ")) {
      lines = [];
      found.set(line.slice(0, line.indexOf(":")), lines);
    }
    lines.push(line);
  }
  return found;
}

/** The file of a family. */
export function goldenPath(family: FamilyName): string {
  return `test/golden/facts/${family}.txt`;
}
