// Packs recorded landscapes (record.js) into one file that tests replay: gzip of JSON, an array of landscapes.
//
//   node bench/landscapes/pack.js landscapes test/tuner/fixtures/landscapes.json.gz
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const [from, to] = process.argv.slice(2);

/** The lines of a file; the last one may be torn. */
function linesOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** All values of each path: numbers ascending, others in the order in which the space has them. */
function valuesOf(lines) {
  const values = new Map();
  for (const { knob, values: offered } of lines) {
    if (knob === undefined) continue;
    const known = values.get(knob) ?? [];
    values.set(knob, [...known, ...offered.filter((v) => !known.includes(v))]);
  }
  for (const known of values.values()) {
    if (known.every((v) => typeof v === "number")) known.sort((a, b) => a - b);
  }
  return values;
}

/** @returns {import("../../dist/tune.js").Landscape} */
function landscapeOf(file) {
  const lines = linesOf(file);
  const [{ class: name, task, adapter }] = lines;
  const values = valuesOf(lines);
  const points = lines.filter((l) => l.id !== undefined && l.trying === undefined);
  return {
    name,
    task,
    adapter,
    default: points.findIndex((p) => p.from === "wish 0"),
    wishes: points.flatMap((p, n) => (/^wish [1-9]/.test(p.from) ? [n] : [])),
    paths: [...values.keys()],
    values: [...values.values()],
    points: points.map(({ choices, us, kernels = {}, firstMs, statements, estimateUs }) => ({
      at: [...values].map(([path, known]) => known.indexOf(choices[path])),
      us,
      kernels,
      firstMs,
      statements,
      estimateUs,
    })),
  };
}

const files = readdirSync(from).filter((f) => f.endsWith(".jsonl"));
const landscapes = files.sort().map((f) => landscapeOf(`${from}/${f}`));
writeFileSync(to, gzipSync(JSON.stringify(landscapes), { level: 9 }));
for (const { name, points } of landscapes) process.stdout.write(`${name}: ${points.length}\n`);
