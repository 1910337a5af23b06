/** Landscapes of eight classes of kernels, as bench/landscapes recorded them. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Landscape } from "../../src/tuner/landscape.ts";

function fixture(name: string): readonly Landscape[] {
  const packed = readFileSync(new URL(`fixtures/${name}`, import.meta.url));
  return JSON.parse(gunzipSync(packed).toString("utf8"));
}

/** On SwiftShader, small sizes, 34 to 117 points of each. */
export const recordedLandscapes: readonly Landscape[] = fixture("landscapes.json.gz");

/** On llvmpipe, sizes of a third to one and a half milliseconds, 137 to 420 points of each. */
export const llvmpipeLandscapes: readonly Landscape[] = fixture("landscapes-llvmpipe.json.gz");
