import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { speechIn, wholeFrames } from "../../../examples/vad/frames.js";
import { plotSpeech } from "../../../examples/vad/plot.js";
import { makeSpeech } from "../../../examples/vad/speech.js";
import { decodeWav, encodeWav } from "../../../examples/vad/wav.js";
import { readModel, readWeights } from "../../../examples/vad/weights.js";
import { runOnnx } from "../../../examples/vad/with-onnxruntime.js";
import { interpret } from "../../../src/index.ts";
import { buildPackage } from "../../support/built-package.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "vad-"));

beforeAll(buildPackage);

afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the example as a user does. */
function run(...flags: readonly string[]): { status: number | null; out: string; err: string } {
  const program = join(root, "examples/vad/run.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...flags], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, out: stdout, err: stderr };
}

describe("the example", () => {
  test("finds the synthetic speech, as ONNX Runtime does, and nothing else", () => {
    const { status, out, err } = run("--check");
    expect([status, err]).toEqual([0, ""]);
    expect(out).toMatch(/^checked {3}\d{3} frames, at most \d\.\de-\d off those of ONNX Runtime$/m);
    const found = [...out.matchAll(/^speech {4}([\d.]+) s to ([\d.]+) s$/gm)].map((m) =>
      m.slice(1).map(Number),
    );
    const { spoken } = makeSpeech(1);
    expect(found).toHaveLength(spoken.length);
    for (const [n, { from, to }] of spoken.entries()) {
      expect(Math.abs((found[n]?.[0] ?? 0) - from)).toBeLessThan(0.25);
      expect(Math.abs((found[n]?.[1] ?? 0) - to)).toBeLessThan(0.25);
    }
    const shown = readFileSync(join(root, "examples/vad/vad.svg"), "utf8");
    const drawn = readFileSync(join(folder, "vad.svg"), "utf8");
    // Rounding in float32 may move a point by a hundredth of a pixel.
    expect(drawn.replaceAll(/[\d.]+/g, "")).toBe(shown.replaceAll(/[\d.]+/g, ""));
  });

  test("says what is wrong with a file, and which flags there are", () => {
    writeFileSync(join(folder, "text.wav"), "no recording");
    expect(run("--wav", "text.wav")).toMatchObject({
      status: 2,
      out: "",
      err: "error: text.wav cannot be read: it is no WAV file\n  next: name a WAV file of 16 kHz with --wav\n",
    });
    const { status, out } = run("--help");
    expect(status).toBe(0);
    for (const flag of ["wav", "plot", "save", "seed", "check", "adapter"]) {
      expect(out).toContain(`  --${flag} `);
    }
  });
});

describe("the model", () => {
  const model = readModel();
  const weights = readWeights(model);
  const source = readFileSync(join(root, "examples/vad/vad.tc"), "utf8");

  /** What the reference makes of samples. */
  function likely(samples: Float32Array, given = weights): ArrayLike<number> {
    const audio = { data: samples, shape: [samples.length] };
    return interpret(source, { audio, ...given })["probability"]?.data ?? [];
  }

  test("is all in vad.tc: the reference gives what ONNX Runtime does, and another weight does not", async () => {
    const { samples, spoken } = makeSpeech(1);
    const first = Math.floor(((spoken[0]?.from ?? 0) * 16_000) / 512) * 512;
    const some = samples.slice(first, first + 2 * 512);
    const expected = await runOnnx(model, some);
    const off = (found: ArrayLike<number>): number =>
      Math.max(...expected.map((p, n) => Math.abs(p - (found[n] ?? NaN))));
    expect(off(likely(some))).toBeLessThan(1e-4);
    for (const name of Object.keys(weights)) {
      const { data, shape } = weights[name] ?? { data: new Float32Array(), shape: [] };
      const changed = { ...weights, [name]: { data: data.map((x) => 0.5 * x), shape } };
      expect(off(likely(some, changed)), name).toBeGreaterThan(1e-4);
    }
  });

  test("hears nothing in silence", () => {
    expect(likely(wholeFrames(new Float32Array(100)))[0]).toBeLessThan(0.1);
  });

  test("of another version is refused", () => {
    expect(() => readWeights(new Uint8Array())).toThrow(
      "the model has no stft.forward_basis_buffer of 66048 numbers: is it version 5?",
    );
  });
});

describe("recordings", () => {
  test("survive a file, and are whole frames", () => {
    const samples = Float32Array.of(0, 0.5, -0.5, 1, -1);
    const read = decodeWav(encodeWav(samples));
    expect(read.length).toBe(5);
    for (const [n, sample] of read.entries()) {
      expect(Math.abs(sample - (samples[n] ?? 0))).toBeLessThan(1e-4);
    }
    expect(wholeFrames(new Float32Array(513)).length).toBe(1024);
    expect(wholeFrames(new Float32Array(512)).length).toBe(512);
  });

  test("of other rates, or cut off, are refused with the reason", () => {
    const file = encodeWav(new Float32Array(4));
    const fast = Buffer.from(file);
    fast.writeUInt32LE(44_100, 24);
    expect(() => decodeWav(fast)).toThrow("it has 1 channels of 16 bits at 44100 Hz");
    expect(() => decodeWav(file.subarray(0, 30))).toThrow("it is cut off");
  });

  test("that are synthetic are the same for the same seed", () => {
    const { samples, spoken } = makeSpeech(1);
    expect(makeSpeech(1).samples).toEqual(samples);
    expect(makeSpeech(2).samples).not.toEqual(samples);
    expect(samples.every((x) => Math.abs(x) < 1)).toBe(true);
    expect(spoken).toHaveLength(3);
  });
});

describe("answers", () => {
  test("begin speech at a half, and end it below what is still speech", () => {
    const ms = (n: number): number => (n * 512) / 16_000;
    expect(speechIn([0.4, 0.6, 0.4, 0.3, 0.4, 0.9])).toEqual([
      { from: ms(1), to: ms(3) },
      { from: ms(5), to: ms(6) },
    ]);
    expect(speechIn([0.1])).toEqual([]);
  });

  test("are drawn at their heights", () => {
    const result = { samples: new Float32Array(1024), probabilities: [0, 1], found: [] };
    expect(plotSpeech(result)).toContain('<path class="likely" d="M270 270L722 140"/>');
    const found = plotSpeech({ ...result, found: [{ from: 0, to: 0.032 }] });
    expect(found).toContain('<rect class="found" x="44" y="14" width="452" height="256"/>');
  });
});
