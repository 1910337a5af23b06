import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PNG } from "pngjs";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  encodePicture,
  greyPicture,
  readPicture,
  sheetOf,
} from "../../../examples/image-filter/pictures.js";
import { buildPackage } from "../../support/built-package.ts";
import { edges, equalised, type Picture, sharpened } from "./plain-filters.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const boats = join(root, "examples/image-filter/boats.png");
const folder = mkdtempSync(join(tmpdir(), "image-filter-"));

beforeAll(buildPackage);

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the example as a user does. */
function run(...flags: readonly string[]): { status: number | null; out: string; err: string } {
  const program = join(root, "examples/image-filter/run.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...flags], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
}

/** Rounding in float32 may move a value by one, rarely. */
function expectAlike(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  let different = 0;
  let worst = 0;
  for (let n = 0; n < expected.length; n++) {
    if (actual[n] !== expected[n]) different++;
    worst = Math.max(worst, Math.abs(actual[n] - expected[n]));
  }
  expect(worst).toBeLessThanOrEqual(1);
  expect(different).toBeLessThanOrEqual(expected.length / 500);
}

/** A part of a sheet. */
function part(sheet: Picture, left: number, top: number, width: number, height: number): number[] {
  return Array.from({ length: 3 * width * height }, (_, n) => {
    const [y, x] = [Math.floor(n / (3 * width)), Math.floor(n / 3) % width];
    return sheet.rgb[3 * ((top + y) * sheet.width + left + x) + (n % 3)];
  });
}

test("the default picture is filtered as plain loops do it, and the reference agrees", () => {
  const { status, out, err } = run("--check");
  expect([status, err]).toEqual([0, ""]);
  expect(out).toMatch(/^picture {3}200 x 160 pixels$/m);
  expect(out).toMatch(/^checked {3}22\d{4} of 224000 values/m);
  const sheet = readPicture(join(folder, "filtered.png"));
  const picture = readPicture(boats);
  const { width: w, height: h } = picture;
  const settings = { sigma: 1, amount: 1, strength: 0.6 };
  expect([sheet.width, sheet.height]).toEqual([2 * w + 4, 2 * h + 4]);
  expect(part(sheet, 0, 0, w, h)).toEqual([...picture.rgb]);
  expectAlike(part(sheet, w + 4, 0, w, h), sharpened(picture, settings));
  const grey = edges(picture, settings);
  expectAlike(part(sheet, 0, h + 4, w, h), greyPicture(w, h, grey).rgb);
  expectAlike(part(sheet, w + 4, h + 4, w, h), equalised(picture, settings));
});

test("the picture in the documents is what the example writes", () => {
  run("--out", "now.png");
  const shown = readPicture(join(root, "examples/image-filter/filtered.png"));
  expectAlike(readPicture(join(folder, "now.png")).rgb, shown.rgb);
});

test("any picture and setting will do, also a single row of transparent pixels", () => {
  const data = Buffer.from([200, 100, 50, 255, 10, 20, 30, 0, 255, 255, 255, 51, 0, 0, 0, 102]);
  const file = join(folder, "row.png");
  writeFileSync(file, PNG.sync.write({ width: 4, height: 1, data }));
  const settings = { sigma: 2.4, amount: 0.5, strength: 1 };
  const flags = ["--sigma", "2.4", "--amount", "0.5", "--strength", "1"];
  const picture = readPicture(file);
  expect([...picture.rgb]).toEqual([200, 100, 50, 255, 255, 255, 255, 255, 255, 153, 153, 153]);
  for (const [effect, plain] of Object.entries({ sharpened, equalised })) {
    const out = join(folder, `${effect}.png`);
    const { status, err } = run("--picture", file, "--effect", effect, "--out", out, ...flags);
    expect([status, err]).toEqual([0, ""]);
    expectAlike(readPicture(out).rgb, plain(picture, settings));
  }
});

test("mistakes get a message and exit code 2", () => {
  expect(run("--effect", "sepia")).toMatchObject({ status: 2, out: "" });
  expect(run("--sigma", "0").err).toMatch(/^error: --sigma 0 is no width of a blur\n {2}next: /);
  const missing = run("--picture", "missing.png");
  expect(missing.status).toBe(2);
  expect(missing.err).toMatch(/^error: missing\.png cannot be read: .*ENOENT/);
  writeFileSync(join(folder, "text.png"), "no picture");
  expect(run("--picture", "text.png").err).toMatch(/^error: text\.png cannot be read: /);
});

test("the help names every flag", () => {
  const { status, out } = run("--help");
  expect(status).toBe(0);
  for (const flag of ["picture", "effect", "out", "sigma", "amount", "strength", "check"]) {
    expect(out).toContain(`  --${flag} `);
  }
});

test("pictures survive a PNG file, and sheets have four of them", () => {
  const picture = { width: 2, height: 1, rgb: Uint8Array.of(1, 2, 3, 253, 254, 255) };
  const file = join(folder, "two.png");
  writeFileSync(file, encodePicture(picture));
  expect(readPicture(file)).toEqual(picture);
  const white = greyPicture(2, 1, [255, 255]);
  const sheet = sheetOf([picture, white, white, picture]);
  expect([sheet.width, sheet.height]).toEqual([8, 6]);
  expect([...sheet.rgb.slice(0, 6)]).toEqual([1, 2, 3, 253, 254, 255]);
  expect([...sheet.rgb.slice(-6)]).toEqual([1, 2, 3, 253, 254, 255]);
  expect(readFileSync(file).subarray(1, 4).toString()).toBe("PNG");
});
