/** What the compiler of a GPU makes of the defaults of all programs, written anew. See scripts/isa. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compile } from "../../src/compile.ts";
import { type FactsSource, programs } from "./entries.ts";

/** Instructions of an iteration of a loop by kind, or of what is outside of all of them. */
interface LoopCode {
  readonly depth: number;
  readonly fma?: number;
  readonly move?: number;
  readonly vector?: number;
  readonly transcendental?: number;
}

/** What the tool says of a kernel. */
interface KernelCode {
  readonly kernel: string;
  readonly vgprs: number;
  readonly spilled: number;
  readonly scratch: number;
  readonly subgroup: number;
  readonly subgroupsPerSimd: number;
  readonly loops: readonly LoopCode[];
}

/** The fewest multiply-adds of a loop that lives by them. */
const fewestFma = 32;

/** The multiply-adds of the loop with most of them, and their share of its vector instructions; null for few. */
function hottest(
  loops: readonly LoopCode[],
): { readonly fma: number; readonly share: number } | null {
  const inner = loops.filter((l) => l.depth > 0);
  const most = inner.reduce<LoopCode | null>(
    (best, l) => ((l.fma ?? 0) > (best?.fma ?? 0) ? l : best),
    null,
  );
  const { fma = 0, move = 0, vector = 0, transcendental = 0 } = most ?? {};
  return fma < fewestFma ? null : { fma, share: fma / (fma + move + vector + transcendental) };
}

function lineOf(k: KernelCode): string {
  const loop = hottest(k.loops);
  const computes =
    loop === null ? "" : `; ${loop.fma} fma in a loop, ${(100 * loop.share).toFixed(0)} % of it`;
  return (
    `  ${k.kernel} ${k.vgprs} registers, ${k.spilled} spilled, ${k.scratch} B scratch, ` +
    `${k.subgroupsPerSimd} subgroups of ${k.subgroup} on a SIMD${computes}`
  );
}

function codeOf(
  { name, source, request }: FactsSource,
  tool: string,
  gpu: string,
): readonly string[] {
  const compiled = compile(source, { ...request, profile: "amd-rdna" });
  if (!compiled.ok) throw new Error(`${name} does not compile`);
  const folder = mkdtempSync(join(tmpdir(), "isa-"));
  const texts = compiled.plan.kernels.map((k, n) => {
    const path = join(folder, `${n}.wgsl`);
    writeFileSync(path, k.wgsl);
    return path;
  });
  const told = spawnSync(tool, ["--json", "--gpu", gpu, ...texts], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  rmSync(folder, { recursive: true });
  if (told.status !== 0) return [`  not compiled: ${told.stderr.trim().split("\n").at(-1)}`];
  const lines = told.stdout.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => lineOf(JSON.parse(line)));
}

test("machine code", () => {
  const tool = process.env["ISA_TOOL"] ?? "isa";
  const gpu = process.env["ISA_GPU"] ?? "navi31";
  const only = process.env["ISA_PROGRAMS"]?.split(",");
  const chosen = programs.filter((p) => only?.includes(p.name) ?? true);
  const lines = chosen.flatMap((p) => [`${p.name}:`, ...codeOf(p, tool, gpu)]);
  const text = `${[`compiler: ${gpu}`, ...lines].join("\n")}\n`;
  if (only === undefined) writeFileSync(`test/golden/facts/isa-${gpu}.txt`, text);
  else process.stdout.write(text);
  expect(text).not.toContain("not compiled");
});
