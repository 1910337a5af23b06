import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { commandOf } from "../../playground/src/share/command.ts";

const nothing = { def: null, sizes: {}, inputs: {}, options: "" };

/** What a shell makes of a command: the words after `npx`, and what it reads. */
function saidBy(command: string): { readonly words: readonly string[]; readonly input: string } {
  const script = `npx() { printf '%s\\0' "$@"; cat; }\n${command}`;
  const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
  const parts = stdout.split("\0");
  return { words: parts.slice(0, -1), input: parts.at(-1) ?? "" };
}

it("a command has the program, its definition, sizes and inputs", () => {
  const source = "def f(float(N) x) -> (y) { y(i) = x(i) }\n";
  const state = { ...nothing, source, def: "f", sizes: { N: 4 }, inputs: { x: "full(2)" } };
  expect(saidBy(commandOf(state))).toEqual({
    words: ["tc-compile", "run", "-", "--def", "f", "--size", "N=4", "--in", "x=full(2)"],
    input: source,
  });
});

it("the mapping is in it, in one word, unless there is none to be read", () => {
  const source = "def f(float(N) x) -> (y) { y(i) = x(i) }\n";
  const mapping = { version: 2, policy: "naive", kernels: { "it's": { unroll: 4 } } };
  const options = JSON.stringify(mapping, null, 2);
  const { words } = saidBy(commandOf({ ...nothing, source, options }));
  expect(words).toEqual(["tc-compile", "run", "-", "--options", JSON.stringify(mapping)]);
  for (const none of ["", " ", "{"]) {
    expect(saidBy(commandOf({ ...nothing, source, options: none })).words).toHaveLength(3);
  }
});

it("a shell executes nothing of what a link holds", () => {
  const hostile = "'; touch harmed; $(touch harmed) `touch harmed` \\";
  const source = `# ${hostile}\nTC\nTC_\ntouch harmed\n`;
  const state = { ...nothing, source, def: hostile, inputs: { x: hostile } };
  expect(saidBy(commandOf(state))).toEqual({
    words: ["tc-compile", "run", "-", "--def", hostile, "--in", `x=${hostile}`],
    input: source,
  });
});
