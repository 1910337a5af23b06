// Packs recorded landscapes (record.js) into one file that tests replay: gzip of JSON, an array of landscapes.
//
//   node bench/landscapes/pack.js landscapes test/tuner/fixtures/landscapes.json.gz
import { readdirSync } from "node:fs";
import { linesOf, packLandscapes } from "./landscape-files.js";
import { landscapeOf } from "./landscape-lines.js";

const [from, to] = process.argv.slice(2);
const files = readdirSync(from).filter((f) => f.endsWith(".jsonl"));
const landscapes = files.sort().map((f) => landscapeOf(linesOf(`${from}/${f}`)));
packLandscapes(to, landscapes);
for (const { name, points } of landscapes) process.stdout.write(`${name}: ${points.length}\n`);
