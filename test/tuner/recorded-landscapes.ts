/** Landscapes of eight classes of kernels, as bench/landscapes recorded them. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Landscape } from "../../src/tuner/landscape.ts";

export const recordedLandscapes: readonly Landscape[] = JSON.parse(
  gunzipSync(readFileSync(new URL("fixtures/landscapes.json.gz", import.meta.url))).toString(
    "utf8",
  ),
);
