import { describe, expect, test } from "vitest";
import { type CommandLine, readCommandLine } from "../../src/cli/command-line.ts";
import { commandNames } from "../../src/cli/flags.ts";
import { helpText } from "../../src/cli/help.ts";
import { type Io, useColour } from "../../src/cli/io.ts";
import { world } from "./fakes.ts";

function read(...args: string[]): CommandLine {
  const line = readCommandLine(args);
  if (!line.ok) throw new Error(line.failure.message);
  return line.value;
}

function failure(...args: string[]): string {
  const line = readCommandLine(args);
  if (line.ok) throw new Error("expected a failure");
  expect(line.failure.exit).toBe("usage");
  return `${line.failure.message}; ${line.failure.next}`;
}

describe("the command line", () => {
  test("build is the command that need not be named", () => {
    expect(read("a.tc")).toMatchObject({ command: "build", files: ["a.tc"], emit: [] });
    expect(read("build", "-")).toMatchObject({ command: "build", files: ["-"] });
    expect(read("check", "a.tc", "b.tc")).toMatchObject({
      command: "check",
      files: ["a.tc", "b.tc"],
    });
  });

  test("sizes, inputs and outputs are collected over flags and commas", () => {
    const line = read(
      ..."run a.tc --size M=2,N=3 --size K=4 --in A=uniform(1,0,2),s=0.5 --in B=b.npy".split(" "),
      "--out=C=c.npy",
    );
    expect(line.sizes).toEqual({ M: 2, N: 3, K: 4 });
    expect(Object.keys(line.inputs)).toEqual(["A", "s", "B"]);
    expect(line.inputs["A"]).toMatchObject({ name: "uniform", values: [1, 0, 2] });
    expect(line.outs).toEqual({ C: "c.npy" });
  });

  test("a name is given once: another value for it is refused, naming both", () => {
    expect(failure("a.tc", "--size", "B=2,B=3")).toBe(
      "--size B=2 and --size B=3: which is meant?; give B once",
    );
    expect(failure("a.tc", "--size", "B=2,N=1", "--size", "B=2")).toContain("give B once");
    expect(failure("run", "a.tc", "--in", "A=zeros", "--in", "A=ones")).toContain("--in A=zeros");
    expect(failure("run", "a.tc", "--out", "C=c.npy,C=d.npy")).toContain("give C once");
    expect(failure("a.tc", "--layout", "A=(1,2),A=(2,1)")).toContain("--layout A=(1,2) and");
    expect(read("a.tc", "--size", "B=2,C=2").sizes).toEqual({ B: 2, C: 2 });
  });

  test("stages, formats, durations", () => {
    expect(read("a.tc", "--emit", "ast,wgsl", "--emit=ast").emit).toEqual(["ast", "wgsl"]);
    expect(read("a.tc", "--json").format).toBe("json");
    expect(read("run", "a.tc", "--verify-budget", "500ms").verifyBudgetMs).toBe(500);
    expect(read("run", "a.tc", "--verify-budget", "1.5").verifyBudgetMs).toBe(1500);
    expect(read("a.tc", "-qv")).toMatchObject({ quiet: true, verbose: true });
  });

  test("help may be a word", () => {
    expect(read("help", "run")).toMatchObject({ command: "run", help: true, named: true });
    expect(read("help")).toMatchObject({ help: true, named: false });
  });

  test("what there is not yet is refused by name", () => {
    expect(failure("a.tc", "--symbolic", "B,T")).toBe(
      "--symbolic: sizes cannot be symbolic yet: each is a constant of the compiled text; " +
        "leave it out, and compile once for each size with --size",
    );
  });

  test("mistakes name the flag and what to do", () => {
    expect(failure("a.tc", "--sise", "M=2")).toBe("unknown flag --sise; did you mean --size?");
    expect(failure("a.tc", "--inputs", "x=1")).toBe("unknown flag --inputs; did you mean --in?");
    expect(failure("a.tc", "--prof", "gpu")).toBe("unknown flag --prof; did you mean --profile?");
    expect(failure("a.tc", "--unknown")).toBe(
      "unknown flag --unknown; tc-compile --help lists the flags",
    );
    expect(failure("a.tc", "-x")).toBe("unknown flag -x; tc-compile --help lists the flags");
    expect(failure("a.tc", "--verify")).toBe("build has no flag --verify; it belongs to: run");
    expect(failure("a.tc", "--size")).toBe("--size needs a value; write --size M=8,N=9");
    expect(failure("a.tc", "--def", "--json")).toBe("--def needs a value; write --def NAME");
    expect(read("a.tc", "--def=--odd").def).toBe("--odd");
    expect(failure("run", "a.tc", "--values", "many")).toContain("write --values 1000, or");
    expect(read("run", "a.tc", "--values", "all").values).toBe(Number.POSITIVE_INFINITY);
    expect(failure("a.tc", "--json=1")).toBe("--json takes no value; write --json");
    expect(failure("a.tc", "--size", "M=x")).toContain("M=x: not an integer");
    expect(failure("a.tc", "--size", "8")).toContain("NAME=VALUE is expected");
    expect(failure("a.tc", "--emit", "kernal")).toContain("did you mean kernel?");
    expect(failure("a.tc", "--format", "xml")).toContain("human, short, json, github");
    expect(failure("run", "a.tc", "--out", "C=out/c.png")).toBe(
      "--out C=out/c.png: outputs are written as .npy files; write --out C=out/c.npy",
    );
    expect(read("run", "a.tc", "--out", "C=/dev/fd/3").outs).toEqual({ C: "/dev/fd/3" });
    expect(failure("run", "a.tc", "--in", "A=rand(1)")).toContain("did you mean randn?");
    expect(failure("run", "a.tc", "--verify-budget", "soon")).toContain(
      "write --verify-budget 10s",
    );
  });
});

describe("help", () => {
  test("starts with examples and fits into 80 columns", () => {
    for (const command of [null, ...commandNames]) {
      const text = helpText(command);
      expect(text.startsWith("Examples:\n  tc-compile")).toBe(true);
      const widest = text.split("\n").reduce((a, b) => (a.length >= b.length ? a : b));
      expect(widest.length, widest).toBeLessThanOrEqual(80);
    }
  });
});

describe("colours", () => {
  const io = (env: Record<string, string>): Io => world({}, env).io;
  const terminal = { isTerminal: true, write: () => undefined };
  const pipe = { ...terminal, isTerminal: false };

  test("depend on the stream, the environment, and what is asked for", () => {
    expect(useColour(io({}), terminal, "auto")).toBe(true);
    expect(useColour(io({}), pipe, "auto")).toBe(false);
    expect(useColour(io({ NO_COLOR: "1" }), terminal, "auto")).toBe(false);
    expect(useColour(io({ NO_COLOR: "" }), terminal, "auto")).toBe(true);
    expect(useColour(io({ FORCE_COLOR: "1" }), pipe, "auto")).toBe(true);
    expect(useColour(io({ FORCE_COLOR: "0" }), terminal, "auto")).toBe(false);
    expect(useColour(io({ NO_COLOR: "1" }), pipe, "always")).toBe(true);
    expect(useColour(io({}), terminal, "never")).toBe(false);
  });
});
