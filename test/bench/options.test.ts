/** The options that were drawn and kept: files that say what they are of. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { cases } from "../../bench/cases/cases.js";
import { fileName } from "../../bench/sample/option-files.js";
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

  it.each(files)(
    "of %s, %s, are the best of at least 50 of its case, or of all",
    (adapter, name) => {
      const { found, ...options } = JSON.parse(
        readFileSync(new URL(`${adapter}/${name}`, folder), "utf8"),
      );
      expect(mappingFault(options)).toBe(null);
      expect(cases.map((c) => c.name)).toContain(found.case);
      expect(basename(name, ".json")).toBe(fileName(found.case));
      expect(found.adapter.toLowerCase()).toContain(adapter);
      if (found.exhausted !== true) expect(found.sampled).toBeGreaterThanOrEqual(50);
      // The default, or faster than it was.
      if (options.policy === "default") expect(found.ms).toBe(found.defaultMs);
      else expect(found.ms).toBeLessThan(found.defaultMs);
    },
  );

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
