/** The benchmark as a program: help, mistakes, and reports of lines that were measured before. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../bench/run.js", import.meta.url));

function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
}

/** A measurement of 1 million operations. */
function line(name: string, who: string, medianMs: number, more: object = {}): string {
  const place = { case: name, group: "cases", who, adapter: "soft <1>", operations: 1e6 };
  const figures = { medianMs, madMs: 0.1, runs: 10, dispatches: 2, maxError: 0, ceiling: 0.5 };
  return JSON.stringify({ ...place, date: "2026-01-01T00:00:00Z", ...figures, ...more });
}

const lines = [
  line("matmul 512", "default", 2),
  line("matmul 512", "tuned", 1),
  line("matmul 512", "jax-js", 3),
  line("matmul 509", "default", 2.5),
  line("min-plus", "default", 3, { group: "relatives", relative: "matmul 512" }),
  line("scaling matmul 32", "default", 0.1, { group: "scaling", curve: "matmul", size: 32 }),
  JSON.stringify({
    figure: "cold start",
    of: "check",
    value: 212.4,
    unit: "ms",
    target: 300,
    adapter: "soft <1>",
    date: "2026-01-01T00:00:00Z",
  }),
];

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bench-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("the program", () => {
  it("prints its help", () => {
    expect(bench("--help")).toMatchObject({ status: 0, stderr: "" });
    expect(bench("--help").stdout).toContain("--adapter NAME");
  });

  it("names a mistake in one line, and fails with status 2", () => {
    const { status, stdout, stderr } = bench("--peers", "torch");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^bench: --peers knows no "torch"; there are .*\n$/);
  });

  it("names the file, and the line, that it cannot report on", () => {
    const missing = join(folder, "missing.jsonl");
    expect(bench("--report", missing).stderr).toContain(missing);
    const file = join(folder, "wrong.jsonl");
    writeFileSync(file, `${lines[0]}\n\n{"case":`);
    const { status, stderr } = bench("--report", file);
    expect([status, stderr]).toEqual([2, `bench: --report: ${file}:3 is no JSON\n`]);
  });

  it("names a mistake before anything is installed or built", () => {
    const script = fileURLToPath(new URL("../../scripts/bench", import.meta.url));
    const { status, stdout, stderr } = spawnSync("bash", [script, "--rounds", "0"], {
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toBe('bench: --rounds wants a whole number from 1 on, not "0"\n');
  });

  it("passes over what npm says before the lines", () => {
    const file = join(folder, "npm.jsonl");
    writeFileSync(file, `\n> tc-wgsl@0.1.0 bench\n> scripts/bench --json\n\n${lines.join("\n")}\n`);
    writeFileSync(join(folder, "plain.jsonl"), `${lines.join("\n")}\n`);
    const found = bench("--report", file);
    expect(found).toMatchObject({ status: 0, stderr: "" });
    expect(found.stdout).toBe(bench("--report", join(folder, "plain.jsonl")).stdout);
    expect(found.stdout).toContain("matmul 512");
  });

  it("names a file that it cannot write", () => {
    const file = join(folder, "good.jsonl");
    writeFileSync(file, `${lines.join("\n")}\n`);
    for (const flag of ["--html", "--markdown"]) {
      const { status, stderr } = bench("--report", file, flag, join(folder, "none", "page"));
      expect([status, stderr.split("\n").length]).toEqual([2, 2]);
      expect(stderr).toMatch(new RegExp(`^bench: ${flag}: .*none`));
    }
  });
});

describe("a report", () => {
  it("has means and minima, and what is asked around the kernels", () => {
    const file = join(folder, "lines.jsonl");
    writeFileSync(file, `${lines.join("\n")}\n`);
    const { status, stdout } = bench("--report", file);
    expect(status).toBe(0);
    expect(stdout).toMatch(/default +1 cases +geometric mean 1.50x, least 1.50x \(matmul 512\)/);
    expect(stdout).toMatch(/tuned +1 cases +geometric mean 3.00x, least 3.00x \(matmul 512\)/);
    expect(stdout).toContain("cold start: check: 212 ms (at most 300)");
  });

  it("is Markdown if asked, with every table that has rows", () => {
    const files = [join(folder, "a.jsonl"), join(folder, "b.jsonl")];
    writeFileSync(files[0] ?? "", lines.slice(0, 4).join("\n"));
    writeFileSync(files[1] ?? "", lines.slice(4).join("\n"));
    const target = join(folder, "tables.md");
    expect(bench("--report", ...files, "--markdown", target).status).toBe(0);
    const text = readFileSync(target, "utf8");
    expect(text).toContain("## 2026-01-01, soft <1>");
    expect(text).toContain("| case | best peer | default | tuned | dispatches |");
    expect(text).toContain("| matmul 512 | jax-js | 1.50x | 3.00x | 2 | 50 % | 50 % |");
    expect(text).toContain("| matmul 512 | 2.00 ±5 % | 1.00 ±10 % | 3.00 ±3 % |");
    expect(text).toContain("| min-plus | matmul 512 | 3.00 | 2 | 1.50x | no |");
    expect(text).toContain("| default | 1.25x |");
    expect(text).toContain("| scaling matmul 32 | 0.100 |");
    expect(text).toContain("| cold start | check | 212 ms | 300 ms |");
    expect(text).not.toContain("Recurrent");
  });
});
