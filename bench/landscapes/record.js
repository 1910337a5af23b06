// Records landscapes: mappings of a definition with the times that an adapter takes for them. Each line that is
// written stays; a run that was ended goes on where it stopped.
//
//   node bench/landscapes/record.js --adapter swiftshader --points 400 --minutes 10 --out landscapes softmax ...
//
// Half of the points are drawn evenly, knob after knob; half are steps from the best of five starts. The time of a
// candidate is the least of many short spans on a clock without steps: what else the machine does only adds to it.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mappingOf } from "../../dist/index.js";
import { openRuntime } from "../../dist/node.js";
import { createDeviceBench, createPlanner, isRefusal, isUnplanned } from "../../dist/tune.js";
import { uniform } from "../measure/inputs.js";
import { classes } from "./classes.js";
import { drawNear, pick } from "./draw.js";

/** @typedef {import("../../dist/tune.js").Candidate} Candidate */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    adapter: { type: "string", default: "swiftshader" },
    points: { type: "string", default: "400" },
    minutes: { type: "string", default: "60" },
    out: { type: "string", default: "landscapes" },
    one: { type: "boolean", default: false },
  },
});

/** Starts of local search. */
const starts = 5;
/** Longer kernels take drivers seconds to compile. */
const mostStatements = 400;
/** Milliseconds that compilation, gates and the first executions may take together. */
const mostMs = 4_000;
/** Spans of a candidate, and how many clock steps each has at least: short ones are seldom interrupted. */
const spans = { count: 12, quanta: 6 };
/** Candidates whose first execution takes so many times the default's have that time. */
const hopeless = 8;
/** Draws in a row that bring nothing new. */
const patience = 300;
/** Ends a process whose device is lost; another one goes on. */
const deviceLost = 3;

const until = performance.now() + 60_000 * Number(values.minutes);
mkdirSync(values.out, { recursive: true });
const asked = classes.filter((c) => positionals.length === 0 || positionals.includes(c.name));
if (values.one) await recordClass(asked[0]);
else for (const { name } of asked) recordInProcesses(name);

/** Records one class in processes of its own, until it is done. */
function recordInProcesses(name) {
  const flags = ["--adapter", values.adapter, "--points", values.points, "--out", values.out];
  const left = () => ["--minutes", String((until - performance.now()) / 60_000)];
  const args = [fileURLToPath(import.meta.url), "--one", ...flags, name];
  const started = performance.now();
  // Whatever ended a process, another one goes on without the candidate that it was at.
  for (let status = deviceLost; status !== 0 && performance.now() < until; ) {
    ({ status } = spawnSync(process.execPath, [...args, ...left()], { stdio: "inherit" }));
    if (status === 1) break;
  }
  process.stdout.write(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
}

/** The lines of a file; the last one may be torn. */
function linesOf(file) {
  if (!existsSync(file)) return [];
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

/** Points of a file. What was tried and has no outcome ended its process, and is told so. */
function pointsOf(known, write) {
  const points = known.filter((l) => l.id !== undefined && l.trying === undefined);
  const done = new Set(points.map((p) => p.id));
  for (const { trying, id, ...point } of known) {
    if (trying === undefined || done.has(id)) continue;
    const lost = { ...point, id, us: null, why: "it ended its process" };
    write(lost);
    points.push(lost);
    done.add(id);
  }
  return points;
}

/** What recording a class has at hand. @param {import("./classes.js").Class} landscapeClass */
async function open({ name, task }) {
  const runtime = await openRuntime({ adapter: values.adapter });
  const planner = createPlanner(task, runtime.profile);
  if (isUnplanned(planner)) throw new Error(`${name}: ${planner.refused}`);
  const file = `${values.out}/${name}.jsonl`;
  const known = linesOf(file);
  const write = (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
  if (known.length === 0) write({ class: name, task, adapter: runtime.adapter.kind });
  const points = pointsOf(known, write);
  const done = new Set(points.map((p) => p.id));
  const bench = await createDeviceBench(runtime, task);
  const byDefault = planner.plan([...planner.wishes()][0]);
  const admitted = await bench.admit(byDefault, { timeoutMs: 120_000 });
  if (isRefusal(admitted)) throw new Error(`${name}: the default: ${JSON.stringify(admitted)}`);
  const next = uniform(1000 + points.length);
  return { planner, bench, byDefault, points, done, next, write, known };
}

/** @param {import("./classes.js").Class} landscapeClass */
async function recordClass(landscapeClass) {
  const state = await open(landscapeClass);
  const { planner, points, bench, byDefault } = state;
  const usual = points.find((p) => p.id === byDefault.id)?.us ?? (await usualUs(bench, byDefault));
  for (const [n, wish] of [...planner.wishes()].entries()) {
    const candidate = planner.plan(wish);
    if (!isUnplanned(candidate)) await record(state, candidate, `wish ${n}`, usual);
  }
  for (let idle = 0; points.length < Number(values.points) && idle < patience; idle++) {
    if (performance.now() > until) break;
    const before = points.length;
    const draw = points.length % 2 === 0 ? drawn(state) : climbed(state);
    if (draw !== null) await record(state, draw.candidate, draw.from, usual);
    if (points.length > before) idle = 0;
  }
  process.stdout.write(`${landscapeClass.name}: ${points.length} points\n`);
  process.exit(0);
}

/** Microseconds of the default: what is hopeless beside it is not timed for long. */
async function usualUs(bench, byDefault) {
  return (await timed(bench, byDefault, Number.POSITIVE_INFINITY, 0)).us;
}

/** A mapping of some knobs as they stand, in which nothing is left to a policy but what arises anew. */
function mappingOfKnobs(knobs) {
  return mappingOf(
    knobs.map((k) => [k.path, k.value]),
    "default",
  );
}

/** Some knobs with values drawn evenly. */
function redrawn(knobs, next) {
  return knobs.map((k) => ({ ...k, value: pick(k.values, next) }));
}

/** The space's random draw: structure, then kernels, then what of the kernels there is only now. */
function drawn({ planner, byDefault, next }) {
  const isStructural = (k) => k.path.startsWith("structure/");
  const structure = redrawn(byDefault.knobs.filter(isStructural), next);
  let candidate = planner.plan(mappingOfKnobs(next() < 0.3 ? [] : structure));
  const turned = new Map();
  for (let n = 0; n < 2; n++) {
    if (isUnplanned(candidate)) return null;
    for (const knob of candidate.knobs) {
      if (isStructural(knob) || turned.has(knob.path)) continue;
      turned.set(knob.path, pick(knob.values, next));
    }
    const knobs = candidate.knobs.map((k) => ({ ...k, value: turned.get(k.path) ?? k.value }));
    candidate = planner.plan(mappingOfKnobs(knobs));
  }
  return isUnplanned(candidate) ? null : { candidate, from: "draw" };
}

/** A step from where one of the local searches stands: at the best of its points. */
function climbed({ planner, points, next }) {
  const ran = points.filter((p) => p.us !== null);
  const start = Math.floor(points.length / 2) % starts;
  const own = ran.filter((p) => p.from === `climb ${start}`);
  const begin = start === 0 ? ran[0] : ran.filter((p) => p.from === "draw")[start - 1];
  const from = [...own, ...(begin === undefined ? ran.slice(0, 1) : [begin])];
  const best = from.sort((a, b) => a.us - b.us)[
    next() < 0.7 ? 0 : Math.floor(next() * from.length)
  ];
  if (best === undefined) return null;
  const at = planner.plan(mappingOf(Object.entries(best.choices), "default"));
  if (isUnplanned(at)) return null;
  const turned = drawNear(at.knobs, best.choices, next);
  const candidate = planner.plan(mappingOf(Object.entries(turned), "default"));
  return isUnplanned(candidate) ? null : { candidate, from: `climb ${start}` };
}

/** Times a candidate that was not there before, and writes it down. */
async function record({ bench, byDefault, points, done, write, known }, candidate, from, usual) {
  if (done.has(candidate.id) || candidate.statements > mostStatements) return;
  done.add(candidate.id);
  for (const { path, values: offered } of candidate.knobs) {
    const seen = known.flatMap((l) => (l.knob === path ? l.values : []));
    if (offered.every((v) => seen.includes(v))) continue;
    const line = { knob: path, values: offered };
    write(line);
    known.push(line);
  }
  const { id, knobs, statements, kernels } = candidate;
  const choices = Object.fromEntries(knobs.map((k) => [k.path, k.value]));
  const estimates = kernels.map((k) => k.estimateUs);
  const estimateUs = estimates.includes(null) ? null : estimates.reduce((a, b) => a + b, 0);
  write({ trying: true, id, from, choices, statements, estimateUs });
  const begun = performance.now();
  const outcome = await bench.admit(candidate, { timeoutMs: mostMs });
  const firstMs = Math.round(performance.now() - begun);
  const point = { id, from, choices, statements, estimateUs, firstMs };
  const found = isRefusal(outcome)
    ? { us: null, why: `${outcome.kind}: ${outcome.why ?? outcome.ms}` }
    : await timed(bench, candidate, usual, outcome.roughUs);
  points.push({ ...point, ...found });
  write({ ...point, ...found });
  if (found.why?.startsWith("timeout") || found.why?.startsWith("lost")) process.exit(deviceLost);
  if (id !== byDefault.id) bench.release([id]);
}

/** The least time of a candidate; of one that is hopeless, the rough one. */
async function timed(bench, { id, kernels }, usual, roughUs) {
  if (roughUs > hopeless * usual) return { us: round(roughUs), kernels: {} };
  const samples = await bench.time(Array(spans.count).fill(id), { quanta: spans.quanta });
  const lost = samples.find(isRefusal);
  if (lost !== undefined) return { us: null, why: `${lost.kind}: ${lost.why ?? lost.ms}` };
  const least = (times) => round(Math.min(...times));
  const own = kernels.flatMap(({ name }) => {
    const times = samples.flatMap((s) => s.kernels[name] ?? []);
    return times.length < spans.count ? [] : [[name, least(times)]];
  });
  return {
    us: least(samples.map((s) => s.us)),
    kernels: own.length > 1 ? Object.fromEntries(own) : {},
  };
}

/** To four digits. */
function round(us) {
  return Number(us.toPrecision(4));
}
