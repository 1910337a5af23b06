import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stageNames } from "../../src/cli/flags.ts";
import { readNpy, writeNpy } from "../../src/cli/npy.ts";
import { unpackSwiftShader } from "../../src/runtime/node/unpack-swiftshader.ts";
import { buildPackage } from "../support/built-package.ts";
import { openWorkplace, program, records } from "./support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const examples = readdirSync(join(root, "examples"))
  .filter((name) => name.endsWith(".tc"))
  .map((name) => name.slice(0, -3));
/** Those whose every stage is looked at; test/examples runs all of them. */
const few = ["attention", "elman", "histogram", "lu", "matmul", "softmax"];
const place = openWorkplace();
const { folder, run: tc, write } = place;

beforeAll(() => buildPackage());

afterAll(() => place.remove());

function pathOf(example: string): string {
  return join(root, "examples", `${example}.tc`);
}

const matmul = readFileSync(join(root, "examples", "matmul.tc"), "utf8");

describe("tc-compile check", () => {
  it("finds nothing wrong with the examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(24);
    const { status, stdout, stderr } = tc(["check", ...examples.map(pathOf)]);
    expect([status, stdout, stderr]).toEqual([0, "", `no errors in ${examples.length} files\n`]);
  });

  it("lets Dawn check the code of the examples", () => {
    const { status, stderr } = tc(["check", ...few.map(pathOf), "--validate"]);
    expect([status, stderr]).toEqual([0, expect.stringContaining("no errors in 6 files\n")]);
    expect(stderr.split("\n").filter((line) => line.startsWith("valid "))).toHaveLength(6);
  });

  it("exits with 1 for errors, which it shows on stderr or as lines of JSON", () => {
    const file = write("wrong.tc", matmul.replace("* B", "* D"));
    const human = tc(["check", file]);
    expect([human.status, human.stdout]).toEqual([1, ""]);
    expect(human.stderr).toMatch(/^wrong\.tc:\d+:\d+: error\[TC\d{4}\]: .*`D`/m);
    const json = tc(["check", file, "--json"]);
    expect([json.status, json.stderr]).toEqual([1, ""]);
    const lines = records(json.stdout);
    expect(lines.every((line) => line["schema"] === 1)).toBe(true);
    expect(lines.some((l) => l["type"] === "diagnostic" && l["severity"] === "error")).toBe(true);
    expect(lines.at(-1)).toMatchObject({ type: "summary", errors: 1, exit: 1 });
  });
});

describe("tc-compile build", () => {
  it.each(few)("prints every stage of %s", (example) => {
    const out = join(folder, example);
    const { status, stderr } = tc([pathOf(example), "--emit", stageNames.join(","), "-o", out]);
    expect([status, stderr], stderr).toEqual([0, expect.stringContaining("kernel")]);
    const written = readdirSync(out);
    const text = (suffix: string): string =>
      readFileSync(join(out, written.find((name) => name.endsWith(suffix)) ?? suffix), "utf8");
    expect(text(".wgsl")).toContain("@compute");
    expect(text(".program.txt")).toMatch(/\w/);
    expect(text(".schedule.txt")).toMatch(/grid/);
    expect(text(".kernel.txt")).toMatch(/\w/);
    expect(text(".js")).toContain("export async function load(device)");
    expect(text(".d.ts")).toContain("export interface Inputs");
    const planName = written.find((name) => name.endsWith(".json") && !name.includes(".options"));
    const plan: unknown = JSON.parse(readFileSync(join(out, planName ?? ""), "utf8"));
    const wgsl = written.filter((name) => name.endsWith(".wgsl"));
    expect(plan).toMatchObject({ kernels: wgsl.map(() => ({ entryPoint: expect.any(String) })) });
    write(`${example}.ast.tc`, text(".ast.txt"));
  });

  it("prints syntax trees as source", () => {
    const printed = few.map((example) => `${example}.ast.tc`);
    expect(tc(["check", ...printed]).stderr).toBe(`no errors in ${few.length} files\n`);
  });

  it("reads standard input, and writes WGSL to standard output", () => {
    const { status, stdout, stderr } = tc(["-", "-q", "--size", "M=8,N=8,K=8"], matmul);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("fn matmul_0(");
  });

  it("gives the same text on every run", () => {
    const texts = [1, 2].map(() => tc(["-", "--profile", "gpu"], matmul).stdout);
    expect(texts[0]).toBe(texts[1]);
  });
});

describe("tc-compile run", () => {
  it.each(few)("computes what the reference does: %s", (example) => {
    const { status, stdout } = tc(["run", pathOf(example), "--verify", "--json"]);
    const lines = records(stdout);
    const found = lines.find((line) => line["type"] === "verification");
    expect(found, stdout).toMatchObject({ wrong: [], ambiguous: 0 });
    expect(found?.["compared"]).toBe(found?.["total"]);
    expect(found?.["compared"]).toBeGreaterThan(0);
    expect(lines.some((line) => line["type"] === "output" && line["adapter"] !== "")).toBe(true);
    expect(lines.at(-1)).toMatchObject({ type: "summary", errors: 0, exit: 0 });
    expect(status).toBe(0);
  });

  it("reads and writes .npy files, and takes sizes from them", () => {
    write("a.npy", writeNpy("float32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6)));
    write("b.npy", writeNpy("float32", [3, 2], Float32Array.of(1, 0, 0, 1, 1, 1)));
    const file = write("mm.tc", matmul.replace(/^#!.*$/gm, ""));
    const inputs = ["--in", "A=a.npy,B=b.npy"];
    const onDevice = tc(["run", file, ...inputs, "--out", "C=c.npy", "--verify"]);
    expect(onDevice.status, onDevice.stderr).toBe(0);
    expect(onDevice.stdout).toBe("C  float32  (2, 2)\n[[ 4.  5.]\n [10. 11.]]\n");
    const read = readNpy(readFileSync(join(folder, "c.npy")), "c.npy");
    const data = Float32Array.of(4, 5, 10, 11);
    expect(read).toMatchObject({ ok: true, value: { shape: [2, 2], values: data } });
    const reference = tc(["run", file, ...inputs, "--adapter", "reference"]);
    expect([reference.status, reference.stdout]).toEqual([0, onDevice.stdout]);
  });

  it("exits with 2 for usage and input that is wrong, and says what to do next", () => {
    const cases: readonly (readonly [readonly string[], string, string])[] = [
      [["run", "mm.tc", "--verfy"], "unknown flag --verfy", "did you mean --verify?"],
      [["run", "gone.tc"], "cannot read gone.tc", "check the path"],
      [["run", "mm.tc", "--in", "A=a.npy,B=c.txt"], "B=c.txt is neither", "a path that ends in"],
      [
        ["run", "mm.tc", "--in", "A=a.npy,B=b.npy,D=b.npy"],
        "has no input D",
        "its inputs are A, B",
      ],
    ];
    for (const [args, message, next] of cases) {
      const { status, stderr } = tc(args);
      expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(stderr).toContain(next);
    }
  });

  it("exits with 6 where rounding decides all of an output: that is not decided", () => {
    const source = `#! sizes N=3 K=50
#! input x=randn(1) D=4
def tie(float(N, K) x, int D) -> (best, y) {
  s(n, d) +=! x(n, k) * 0.1 where d in 0:D
  best(n) argmax=! s(n, d) + 0.0000001 * float(d)
  y(n) = 2.0 * x(n, 0)
}
`;
    const { status, stderr } = tc(["run", write("tie.tc", source), "--verify", "-q"]);
    expect([status, stderr]).toEqual([
      6,
      expect.stringContaining("not decided: rounding may decide all 3 elements of best either way"),
    ]);
  });

  it("exits with 1 when the files' shapes contradict each other", () => {
    const { status, stderr } = tc(["run", "mm.tc", "--in", "A=a.npy,B=a.npy"]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("error[TC2014]")]);
  });

  it("leaves stderr to people, not to drivers, where there is a Vulkan without one", async () => {
    const { loader } = await unpackSwiftShader();
    const drivers = "/nowhere.json";
    const bare = { TC_ADAPTER: "", LD_LIBRARY_PATH: dirname(loader), VK_DRIVER_FILES: drivers };
    const { status, stderr } = tc(["run", pathOf("softmax"), "--json"], "", bare);
    expect([status, stderr]).toEqual([0, ""]);
    const people = tc(["run", pathOf("softmax")], "", bare);
    expect(people.stderr).toMatch(/^ran softmax .*swiftshader.*\n$/);
    const verbose = tc(["run", pathOf("softmax"), "--json", "-v"], "", bare);
    expect(verbose.stderr).toMatch(/^drivers of this system: .*Dawn: .*no drivers.*\n$/i);
  });

  it("exits with 3 without a usable adapter, naming what was tried", () => {
    const { status, stdout } = tc(["run", pathOf("softmax"), "--adapter", "no such", "--json"]);
    expect(status).toBe(3);
    const [diagnostic, summary] = records(stdout).slice(-2);
    expect(diagnostic).toMatchObject({ severity: "error", code: "adapter" });
    expect(String(diagnostic?.["message"])).toContain("bundled SwiftShader");
    expect(summary).toMatchObject({ type: "summary", errors: 1, exit: 3 });
  });
});

describe("an emitted module", () => {
  it("runs by itself, in a process that knows nothing of the compiler", () => {
    const values = ["run", pathOf("matmul"), "--in", "A=integers(1),B=integers(2)"];
    const ran = tc([...values, "--json", "--values", "all"]);
    const expected = records(ran.stdout).find((line) => line["type"] === "output");
    expect(tc([pathOf("matmul"), "-o", "matmul.mjs"]).status).toBe(0);
    write(
      "use.mjs",
      `import { load, requirements } from "./matmul.mjs";
import { openRuntime } from ${JSON.stringify(new URL("../../dist/node.js", import.meta.url).href)};
const runtime = await openRuntime();
const kernel = await load(runtime.device);
const inputs = JSON.parse(process.argv[2]);
const given = Object.entries(inputs).map(([name, data]) => [name, Float32Array.from(data)]);
const { C } = await kernel.run(Object.fromEntries(given));
console.log(JSON.stringify({ C: [...C], requirements }));
runtime.dispose();
`,
    );
    const draw = (name: string, seed: number): readonly number[] => {
      const [M, K, N] = [48, 40, 56];
      const size = name === "A" ? `N=${K},M=${M}` : `N=${N},M=${K}`;
      const copy = "def copy(float(M, N) x) -> (y) { y(i, j) = x(i, j) }";
      const args = ["run", "-", "--size", size, "--in", `x=integers(${seed})`];
      const { stdout } = tc([...args, "--json", "--values", "all", "--adapter", "reference"], copy);
      const output = records(stdout).find((line) => line["type"] === "output");
      return output?.["values"] as readonly number[];
    };
    const inputs = JSON.stringify({ A: draw("A", 1), B: draw("B", 2) });
    const used = spawnSync(process.execPath, ["use.mjs", inputs], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(used.stderr).toBe("");
    expect(JSON.parse(used.stdout)).toEqual({
      C: expected?.["values"],
      requirements: { requiredFeatures: [], requiredLimits: {} },
    });
  });
});

describe("starting", () => {
  it("takes check at most 300 ms of a processor", () => {
    // Not of the clock: others may be at work on this machine.
    const script = `"${process.execPath}" "${program}" check "${pathOf("matmul")}" -q && times`;
    const seconds = Array.from({ length: 3 }, () => {
      const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
      const [user = "", system = ""] = stdout.trim().split("\n").at(-1)?.split(" ") ?? [];
      const [, ...parts] = /^0m([\d.]+)s 0m([\d.]+)s$/.exec(`${user} ${system}`) ?? [];
      expect(parts).toHaveLength(2);
      return Number(parts[0]) + Number(parts[1]);
    });
    expect(Math.min(...seconds)).toBeLessThan(0.3);
  });

  it("reads few files, and packs the parser's library", () => {
    expect(readFileSync(program, "utf8")).not.toMatch(/from"chevrotain"/);
    expect(statSync(program).mode & 0o111).not.toBe(0);
  });
});

describe("tc-compile info", () => {
  it("names the version and the adapter", () => {
    const manifest: unknown = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { status, stdout } = tc(["info", "--json"]);
    expect(status).toBe(0);
    const [info] = records(stdout);
    expect(manifest).toMatchObject({ version: info?.["version"] });
    expect(String(info?.["adapter"])).toMatch(/\w/);
  });
});
