/** Completions: those of bash are executed, those of other shells compared with what was reviewed. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { commandNames, flags, flagsOf, shellNames } from "../../src/cli/flags.ts";
import { execute, records } from "./fakes.ts";

/** What bash offers for the last of the words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await execute("completions bash");
  const line = words.map((word) => `'${word}'`).join(" ");
  const script = `${out}
COMP_WORDS=(tc-compile ${line})
COMP_CWORD=${words.length}
_tc_compile
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], {
    encoding: "utf8",
    cwd: new URL("../../examples", import.meta.url),
  });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
}

describe("bash completes", () => {
  test("commands and files", async () => {
    expect(await offered("ch")).toEqual(["check"]);
    expect(await offered("")).toEqual(expect.arrayContaining([...commandNames, "matmul.tc"]));
    expect(await offered("check", "matm")).toContain("matmul.tc");
    expect(await offered("check", "matm")).not.toContain("check");
  });

  test("the flags of the command, of build where none is named", async () => {
    for (const command of commandNames) {
      const found = await offered(command, "--");
      expect(found).toEqual(flagsOf(command).map(([name]) => `--${name}`));
    }
    expect(await offered("a.tc", "--em")).toEqual(["--emit"]);
    expect(await offered("run", "a.tc", "--veri")).toEqual(["--verify", "--verify-budget"]);
  });

  test("values of flags", async () => {
    expect(await offered("a.tc", "--format", "")).toEqual(["human", "short", "json", "github"]);
    expect(await offered("a.tc", "--options", "na")).toEqual(["naive"]);
    expect(await offered("a.tc", "--profile", "sw")).toEqual(["swiftshader"]);
    expect(await offered("a.tc", "--emit", "wgsl,sch")).toEqual(["wgsl,schedule"]);
    expect(await offered("a.tc", "-o", "matmu")).toContain("matmul.tc");
    expect(await offered("a.tc", "--def", "")).toEqual([""]);
  });

  test("codes and shells", async () => {
    expect(await offered("explain", "")).toEqual(["TC2001", "TC2002"]);
    expect(await offered("completions", "z")).toEqual(["zsh"]);
    expect(await offered("info", "")).toEqual([""]);
  });
});

/** The options with which a shell reads a script without running it. */
const readers: Readonly<Record<string, readonly string[]>> = {
  bash: ["-n"],
  zsh: ["-n"],
  fish: ["--no-execute"],
};

describe.each(shellNames)("the script for %s", (shell) => {
  test("is as it was reviewed", async () => {
    const { code, out } = await execute(`completions ${shell}`);
    expect(code).toBe(0);
    await expect(out).toMatchFileSnapshot(`completions/${shell}.txt`);
  });

  test("has every flag of every command", async () => {
    const { out } = await execute(`completions ${shell}`);
    const dashes = shell === "fish" ? "-l " : "--";
    for (const name of Object.keys(flags)) expect(out).toContain(`${dashes}${name}`);
  });

  test("is read by the shell, where there is one", async () => {
    const { out } = await execute(`completions ${shell}`);
    const { error, status, stderr } = spawnSync(shell, readers[shell] ?? ["--version"], {
      encoding: "utf8",
      input: out,
    });
    if (error !== undefined) return expect(error.message).toContain("ENOENT");
    expect([status, stderr]).toEqual([0, ""]);
  });
});

test("other shells are refused, with a suggestion", async () => {
  expect((await execute("completions")).err).toBe(
    "error: no shell\n  next: write one of bash, zsh, fish, pwsh\n",
  );
  expect((await execute("completions fihs")).err).toContain("did you mean fish?");
  expect((await execute("completions bash zsh")).code).toBe(2);
});

test("the script is in a record with --json", async () => {
  const [first] = records((await execute("completions fish --json")).out);
  expect(first).toMatchObject({ type: "output", stage: "completions", name: "fish" });
});
