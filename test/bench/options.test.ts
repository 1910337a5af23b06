/** The options that were found and kept: files that say what they are of. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { cases } from "../../bench/cases/cases.js";
import { fileName } from "../../bench/tuned/option-files.js";
import { compile } from "../../src/compile.ts";
import { mappingFault } from "../../src/support/mapping-file.ts";

const folder = new URL("../../bench/options/", import.meta.url);
const adapters = existsSync(folder) ? readdirSync(folder) : [];
const files = adapters.flatMap((adapter) =>
  readdirSync(new URL(`${adapter}/`, folder)).map((name) => [adapter, name] as const),
);

describe("kept options", () => {
  it("are there for the software adapters", () => {
    expect(adapters).toEqual(expect.arrayContaining(["llvmpipe", "swiftshader"]));
  });

  it.each(files)("of %s, %s, are what tuning found for a case", (adapter, name) => {
    const { found, ...options } = JSON.parse(
      readFileSync(new URL(`${adapter}/${name}`, folder), "utf8"),
    );
    expect(mappingFault(options)).toBe(null);
    expect(cases.map((c) => c.name)).toContain(found.case);
    expect(basename(name, ".json")).toBe(fileName(found.case));
    expect(found.adapter.toLowerCase()).toContain(adapter);
    // Those that were drawn at random, before there was a tuner, say `sampled`: the best of 50, or of all that there were.
    if (found.candidates !== undefined) expect(found.candidates).toBeGreaterThanOrEqual(1);
    else if (found.exhausted !== true) expect(found.sampled).toBeGreaterThanOrEqual(50);
    // The default, or faster than it was.
    if (options.policy === "default") expect(found.ms).toBe(found.defaultMs);
    else expect(found.ms).toBeLessThan(found.defaultMs);
  });

  it.each(files)("of %s, %s, need no repair", (adapter, name) => {
    const { found, ...options } = JSON.parse(
      readFileSync(new URL(`${adapter}/${name}`, folder), "utf8"),
    );
    const drawnFor = cases.find((c) => c.name === found.case);
    if (drawnFor === undefined) throw new Error(`no case ${found.case}`);
    const compiled = compile(drawnFor.source, {
      ...{ shapes: drawnFor.inputs, profile: adapter, padded: true, options },
    });
    if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message);
    expect([compiled.repairs, compiled.unusedChoices]).toEqual([[], []]);
  });
});

describe("files of options", () => {
  it("have names that any system takes, different for different cases", () => {
    expect(fileName("conv 3x3 32->64 56x56")).toBe("conv-3x3-32-64-56x56");
    const names = cases.map((c) => fileName(c.name));
    expect(new Set(names).size).toBe(cases.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9.=-]+$/);
  });
});
