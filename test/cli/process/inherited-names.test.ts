/** The program on sources whose names are those that objects inherit. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildPackage } from "../../support/built-package.ts";
import { openWorkplace, records, type Workplace } from "../support.ts";

beforeAll(() => buildPackage());

let place: Workplace;

beforeEach(() => {
  place = openWorkplace();
});

afterEach(() => place.remove());

const source = `#! sizes __proto__=6 valueOf=4
#! input constructor=arange toString=ones
def hasOwnProperty(
  float(__proto__, valueOf) constructor, float(valueOf) toString, float isPrototypeOf
) -> (propertyIsEnumerable) {
  __defineGetter__(i) +=! constructor(i, __lookupSetter__) * toString(__lookupSetter__)
  for __lookupGetter__ in 0:2 {
    __defineGetter__(i) = __defineGetter__(i) + toString(__lookupGetter__)
  }
  propertyIsEnumerable(i) = __defineGetter__(i) * isPrototypeOf
}
`;

const runs = ["--in", "isPrototypeOf=2,toString=arange", "--size", "valueOf=3,__proto__=5"];

describe("names that objects inherit", () => {
  test("run, with inputs, sizes, layouts, results and temporaries of such names", () => {
    place.write("a.tc", source);
    const { status, stdout, stderr } = place.run([
      ...["run", "a.tc", "--json", "--verify", ...runs],
      ...["--dump", "__defineGetter__=t.npy", "--out", "propertyIsEnumerable=y.npy"],
    ]);
    expect([status, stderr]).toEqual([0, ""]);
    const output = records(stdout).find((line) => line["name"] === "propertyIsEnumerable");
    // (3 i + 0, 1, 2) times (0, 1, 2), and 0 + 1 of the loop, twice.
    expect(output).toMatchObject({ file: "y.npy", values: [12, 30, 48, 66, 84] });
    const wrong = place.run(["run", "a.tc", "--in", "isPrototypeOf=1,toLocaleString=1"]);
    expect([wrong.status, wrong.stderr.split("\n")[0]]).toEqual([
      2,
      "error: hasOwnProperty has no input toLocaleString",
    ]);
  });

  test("build, with options that are read back", () => {
    place.write("a.tc", source);
    const layout = ["--layout", "constructor=(1,6)", "--profile", "gpu"];
    const built = place.run(["a.tc", "--emit", "json,wgsl,options", "-o", "out", ...layout]);
    expect([built.status, built.stderr]).toEqual([0, expect.not.stringContaining("warning")]);
    const options = ["--options", "out/hasOwnProperty.options.json"];
    const again = place.run(["a.tc", ...options, ...layout, "--emit", "wgsl", "-o", "-"]);
    expect([again.status, again.stderr]).toEqual([0, expect.not.stringContaining("warning")]);
    expect(again.stdout).toContain(place.read("out/hasOwnProperty.wgsl").trim());
  });
});
