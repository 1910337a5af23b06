import { describe, expect, it } from "vitest";
import { driftText, madeBy } from "../../playground/src/share/drift.ts";
import { type LinkState, readLink, writeLink } from "../../playground/src/share/link.ts";

const state: LinkState = {
  source: "def f(float(N) x) -> (y) { y(i) = x(i) * 2.0 }\n",
  def: "f",
  sizes: { N: 7 },
  inputs: { x: "arange" },
  options: '{ "version": 1, "choices": {} }',
};

/** Made by version 1; whatever changes, this keeps loading. */
const frozen =
  "#1/FcdBCsIwFEXRrTzeKJEo6kT4oEvoCjIJbaIBSaAVSQ1_75LRPbdzo3CJCcmkdw0fM1k0i-MDZrfo2E22uKONHHA9naG-0HGhMNHxR-mcKDd1zMONwrCG8oxUx0phh-c3rluuxVNwcfCcXzXPcRvfFUr9Aw";

/** As a link holds it. */
async function linkOf(data: unknown): Promise<string> {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return `#1/${Buffer.from(bytes).toString("base64url")}`;
}

describe("share links", () => {
  it("give back what they were made of", async () => {
    const link = await writeLink(state);
    expect(link).toMatch(/^#1\/[\w-]+$/);
    expect(await readLink(link)).toEqual({ kind: "state", state });
  });

  it("are the same for the same state", async () => {
    expect(await writeLink(state)).toBe(await writeLink({ ...state }));
  });

  it("keep loading for ever", async () => {
    expect(await readLink(frozen)).toEqual({ kind: "state", state });
  });

  it("load with fields that this version does not know", async () => {
    const read = await readLink(await linkOf({ s: "x", later: [1] }));
    const expected = { source: "x", def: null, sizes: {}, inputs: {}, options: "" };
    expect(read).toEqual({ kind: "state", state: expected });
  });

  it("hold how the page is arranged, in a few characters", async () => {
    const layout = { code: 1.25, output: "ranges", side: "tune" };
    const link = await writeLink(state, layout);
    expect(await readLink(link)).toEqual({ kind: "state", state, layout });
    expect(await writeLink(state, { ...layout })).toBe(link);
    expect(link.length - (await writeLink(state)).length).toBeLessThan(60);
    expect(await writeLink(state, {})).toBe(await writeLink(state));
  });

  it.each([
    ["widths that are none", { c: "1", r: Number.NaN, o: "loops" }, { output: "loops" }],
    ["names that are none", { c: 2, o: "<b>", s: { toString: 1 } }, { code: 2 }],
    ["nothing of that", { c: null, o: "__proto__", later: 1 }, {}],
  ])("load with a layout that has %s", async (_, l, layout) => {
    const expected = { source: "x", def: null, sizes: {}, inputs: {}, options: "" };
    const read = await readLink(await linkOf({ s: "x", l }));
    expect(read).toEqual({ kind: "state", state: expected, layout });
  });

  it.each([["wide"], [[1, 2]], [7], [null]])(
    "load with the layout %j, which is none",
    async (l) => {
      const read = await readLink(await linkOf({ s: "x", l }));
      expect(read).toEqual({ kind: "state", state: expect.objectContaining({ source: "x" }) });
    },
  );

  it("of a later format say so", async () => {
    const read = await readLink("#2/abc");
    expect(read).toMatchObject({ kind: "fault", message: expect.stringContaining("newer") });
  });

  it("of other pages are none", async () => {
    expect(await readLink("")).toEqual({ kind: "none" });
    expect(await readLink("#section")).toEqual({ kind: "none" });
  });
});

describe("links that say which compiler wrote them", () => {
  it("do so without a word where it is this one", async () => {
    const made = madeBy("{}");
    const read = await readLink(await writeLink({ ...state, made }));
    expect(read).toEqual({ kind: "state", state: { ...state, made } });
    expect(driftText(made, "{}")).toBe(null);
    expect(driftText(madeBy(null), "{}")).toBe(null);
  });

  it("tell of another generator, and of other choices", () => {
    expect(driftText("0.12345678", "{}")).toContain("generator 0");
    expect(driftText(madeBy("{}"), '{"other":1}')).toContain("chooses otherwise");
  });

  it("say nothing where there is no mapping", async () => {
    const link = await writeLink({ ...state, options: "" });
    expect(await writeLink({ ...state, options: "", made: "1" })).toBe(link);
  });

  it("of another shape are as good as silent", async () => {
    const read = await readLink(await linkOf({ s: "x", g: { toString: 1 } }));
    expect(read).toMatchObject({ kind: "state", state: { source: "x" } });
    expect(driftText("<b>".repeat(30), "{}")?.length).toBeLessThan(320);
  });
});

it("a link to a gist says why nothing is loaded", async () => {
  const read = await readLink("#gist=1234");
  expect(read).toMatchObject({ kind: "fault", message: expect.stringContaining("no gist") });
});

describe("hostile links", () => {
  it.each([
    ["no base64", "#1/<script>alert(1)</script>"],
    ["no deflate", "#1/AAAA_-8"],
    ["cut", frozen.slice(0, 60)],
    ["very long", `#1/${"A".repeat(500_000)}`],
  ])("that are %s are refused in words", async (_, link) => {
    expect(await readLink(link)).toMatchObject({ kind: "fault" });
  });

  it.each([
    ["a list", []],
    ["null", null],
    ["no JSON", "{"],
    ["no source", { z: {} }],
    ["a source that is no text", { s: { toString: 1 } }],
    ["sizes that are texts", { s: "", z: { N: "8" } }],
    ["sizes that are not whole", { s: "", z: { N: 1.5 } }],
    ["sizes that are huge", { s: "", z: { N: 2 ** 40 } }],
    ["names with markup", { s: "", z: { "<img onerror=alert(1)>": 1 } }],
    ["inputs that are no words", { s: "", i: { x: { kind: "array" } } }],
    ["options that are no text", { s: "", o: { version: 1 } }],
    ["the name of a prototype", '{"s":"","z":{"__proto__":1}}'],
  ])("that hold %s are refused", async (_, data) => {
    expect(await readLink(await linkOf(data))).toMatchObject({ kind: "fault" });
  });

  it("that unfold to gigabytes are given up", async () => {
    const bomb = await linkOf(JSON.stringify({ s: "a".repeat(30_000_000) }));
    expect(bomb.length).toBeLessThan(100_000);
    expect(await readLink(bomb)).toMatchObject({ kind: "fault" });
  });
});
