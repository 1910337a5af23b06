/** What a compilation takes from the one before changes nothing but the time. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { originsOf } from "../../src/api/origins.ts";
import { type Compiled, type CompileRequest, compile } from "../../src/compile.ts";
import { someOf } from "../support/sweep.ts";

function exampleOf(name: string): string {
  return readFileSync(new URL(`../../examples/${name}.tc`, import.meta.url), "utf8");
}

function compiled(source: string, request: CompileRequest): Compiled {
  const result = compile(source, request);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("; "));
  return result;
}

/** All that a compilation gives, with what each line of it comes from. */
function everything(result: Compiled): string {
  return JSON.stringify([
    ...[result.plan, result.options, result.decisions, result.repairs],
    ...[result.diagnostics, result.sizes, originsOf(result)],
  ]);
}

/** The place behind the last `=` of a source, and behind the name of its last definition. */
function placesIn(source: string): { readonly value: number; readonly name: number } {
  const [{ 0: def = "", index = 0 } = { 0: "" }] = [...source.matchAll(/^def \w+/gm)].slice(-1);
  return { value: source.lastIndexOf("= ") + 2, name: index + def.length };
}

function inserted(source: string, at: number, text: string): string {
  return source.slice(0, at) + text + source.slice(at);
}

/** What somebody may type. */
function editsOf(source: string): Readonly<Record<string, string>> {
  const { value, name } = placesIn(source);
  return {
    nothing: source,
    "a name": inserted(source, name, "s"),
    "a comment before": `# words\n${source}`,
    "a factor": inserted(source, value, "2 * "),
    "another factor": inserted(source, value, "23 * "),
    "a size": source.replace(/#! sizes (\w+)=(\d+)/, (_, n, v) => `#! sizes ${n}=${Number(v) + 1}`),
  };
}

const examples = [
  "matmul",
  "lstm",
  "mixture_of_experts",
  "viterbi",
  "cross_entropy",
  "residual_conv2d",
];

const profiles = ["swiftshader", "nvidia"];

describe.each(profiles)("with a previous compilation, for %s", (profile) => {
  it.each(someOf(examples, 3, profiles.indexOf(profile)))(
    "%s becomes what it becomes without",
    (name) => {
      const source = exampleOf(name);
      let previous = compiled(source, { profile, previous: null });
      for (const [edit, text] of Object.entries(editsOf(source))) {
        const alone = compiled(text, { profile });
        const after = compiled(text, { profile, previous });
        expect(everything(after), edit).toBe(everything(alone));
        previous = after;
      }
    },
  );
});

describe("a previous compilation", () => {
  const source = exampleOf("viterbi");
  const bodies = ({ plan }: Compiled): readonly unknown[] => plan.kernels.map((k) => k.kernel.body);

  it("saves making kernels that are in both", () => {
    const first = compiled(source, { previous: null });
    const second = compiled(`${source}\n# words`, { previous: first });
    expect(bodies(second).length).toBeGreaterThan(1);
    for (const [n, body] of bodies(second).entries()) expect(body).toBe(bodies(first)[n]);
  });

  it("is of no use for another device, or where nobody said that more would follow", () => {
    const first = compiled(source, { previous: null });
    const elsewhere = compiled(source, { previous: first, profile: "nvidia" });
    const single = compiled(source, { previous: compiled(source, {}) });
    for (const other of [elsewhere, single])
      for (const [n, body] of bodies(other).entries()) expect(body).not.toBe(bodies(first)[n]);
  });

  it("has to be one", () => {
    const wrong = "yesterday" as unknown as null;
    expect(() => compile(source, { previous: wrong })).toThrow(
      /what `compile` gave before, or null/,
    );
  });
});
