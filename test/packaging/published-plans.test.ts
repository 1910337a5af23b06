/** The compiler that is published beside the one of the sources. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { compile } from "../../src/compile.ts";
import { bundle } from "./bundle.ts";

const examples: string = fileURLToPath(new URL("../../examples", import.meta.url));

describe("the compiler that is published", () => {
  it("makes the same plans as that of the sources, by the same answers", async () => {
    const code = await bundle("src/index.ts", ["compile"], { minify: true });
    const url = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
    const published: { readonly compile: typeof compile } = await import(/* @vite-ignore */ url);
    const names = readdirSync(examples).filter((name) => name.endsWith(".tc"));
    let plans = 0;
    for (const name of names) {
      const source = readFileSync(join(examples, name), "utf8");
      for (const profile of ["gpu", "llvmpipe"]) {
        const expected = compile(source, { profile });
        const made = published.compile(source, { profile });
        const same = JSON.stringify(made) === JSON.stringify(expected);
        expect({ name, profile, same }).toEqual({ name, profile, same: true });
        plans += Number(expected.ok);
      }
    }
    expect(plans).toBeGreaterThan(90);
  });
});
