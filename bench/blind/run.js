// How far the tuner comes on a device that nobody has looked at. The policies of the software adapters were made by
// hand: they are a known good answer, which the search must not see. It starts from the choice of the policy `gpu`, with
// the adapter's limits, and what it finds is timed in turns with the default of the adapter's own policy.
//
//   node bench/blind/run.js --adapter llvmpipe --effort quick --out blind.jsonl [CASE...]
//
// Each case is a line, which stays: a run that was ended goes on behind it. CASE is a part of a name; without one, all of
// the group `cases`. `--times` is how often the effort's time a run has; `--trace` tells each candidate.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compile } from "../../dist/index.js";
import { createProcessBench, openRuntime } from "../../dist/node.js";
import {
  createDeviceBench,
  createPlanner,
  efforts,
  isRefusal,
  isUnplanned,
  tune,
} from "../../dist/tune.js";
import { cases } from "../cases/cases.js";
import { cappedMean, median } from "../report/statistics.js";
import { unknownGpu } from "./unknown-gpu.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    adapter: { type: "string", default: "llvmpipe" },
    effort: { type: "string", default: "quick" },
    times: { type: "string", default: "10" },
    out: { type: "string", default: "blind.jsonl" },
    seed: { type: "string", default: "1" },
    trace: { type: "boolean", default: false },
  },
});

/** Spans of both in turns, and how many clock steps each has at least. */
const duel = { spans: 15, quanta: 6 };
/** The targets: shares of the speed of the policies that were made by hand. */
const targets = { quick: 0.8, normal: 0.95 };

const budget = Number(values.times) * efforts[values.effort].ms;
const done = existsSync(values.out)
  ? readFileSync(values.out, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
  : [];
const isAsked = ({ name, group }) =>
  group === "cases" &&
  (positionals.length === 0 || positionals.some((part) => name.includes(part)));
const ofRun = done.filter((d) => d.adapter === values.adapter && d.effort === values.effort);
const runtime = await openRuntime({ adapter: values.adapter });
for (const benchCase of cases.filter(isAsked)) {
  const known = ofRun.find((d) => d.case === benchCase.name);
  if (known === undefined) {
    const found = await blind(benchCase);
    ofRun.push(found);
    appendFileSync(values.out, `${JSON.stringify(found)}\n`);
  }
  const { share, startShare, candidates } = known ?? ofRun.at(-1);
  const told = share === null ? "not found" : `${startShare.toFixed(2)} -> ${share.toFixed(2)}`;
  console.log(`${benchCase.name.padEnd(32)} ${told.padEnd(16)} ${candidates} candidates`);
}
const shares = ofRun.flatMap(({ share }) => (share === null ? [] : [Math.min(1, share)]));
const target = targets[values.effort];
console.log(
  `${values.adapter}, ${values.effort}: ${cappedMean(shares).toFixed(3)} of the speed of our own policy` +
    ` over ${shares.length} cases${target === undefined ? "" : ` (${target} wanted)`}`,
);
process.exit(0);

/** The first wish of a profile's policy. */
function usualOf(task, profile) {
  const planner = createPlanner(task, profile);
  const candidate = isUnplanned(planner) ? planner : planner.plan([...planner.wishes()][0]);
  if (isUnplanned(candidate)) throw new Error(candidate.refused);
  return candidate;
}

/** Tunes a case from the unknown GPU's default, and compares. @param {import("../cases/case.js").Case} benchCase */
async function blind({ name, source, inputs: shapes }) {
  const compiled = compile(source, { shapes, profile: runtime.profile });
  if (!compiled.ok) throw new Error(`${name}: ${compiled.diagnostics[0]?.message}`);
  const task = { source, def: compiled.program.name, sizes: compiled.sizes, approximate: false };
  const profile = unknownGpu(runtime.profile);
  const { adapter, effort, seed } = values;
  // Candidates run in a process of their own, as they do for a user: drivers may take minutes for one.
  const candidates = await createProcessBench(task, { adapter });
  const asked = { sizes: task.sizes, effort, budget, seed: Number(seed), bench: candidates };
  let result = null;
  try {
    for await (const event of tune({ ...runtime, profile }, source, asked)) {
      if (values.trace) trace(event);
      if (event.type === "done") ({ result } = event);
    }
  } finally {
    await candidates.close();
  }
  const bench = await createDeviceBench({ device: runtime.device, profile }, task);
  const found = createPlanner(task, profile).plan(result.options);
  const shareOf = await timesBeside(bench, usualOf(task, runtime.profile), [
    found,
    usualOf(task, profile),
  ]);
  await bench.close();
  const [share, startShare] = shareOf;
  return { case: name, adapter, effort, budget, candidates: result.counts.ok, share, startShare };
}

/** Tells what became of a candidate. @param {import("../../dist/tune.js").TuneEvent} event */
function trace(event) {
  if (event.type !== "candidate") return;
  const { atMs, i, from, status, us, why = "", options } = event;
  const rough = us === undefined ? status : `${(us / 1000).toFixed(2)} ms`;
  const parent = from.parent === undefined ? "" : ` of ${from.parent}`;
  const head = `${(atMs / 1000).toFixed(1)} s  ${i} ${from.kind}${parent}: ${rough} ${why}`;
  console.log(`  ${head.trim()}  ${JSON.stringify(options.kernels)}`);
}

/** What shares of the speed of a candidate others have: medians of ratios in turns; null for what does not run. */
async function timesBeside(bench, own, others) {
  const all = [own, ...others];
  for (const candidate of all) {
    const outcome = await bench.admit(candidate, { timeoutMs: 120_000, passed: true });
    if (isRefusal(outcome)) return others.map(() => null);
  }
  const rounds = Array.from({ length: duel.spans }, () => all.map((c) => c.id)).flat();
  const samples = await bench.time(rounds, { quanta: duel.quanta });
  if (samples.some(isRefusal)) return others.map(() => null);
  const usOf = (round, n) => samples[round * all.length + n].us;
  return others.map((_, n) =>
    median(Array.from({ length: duel.spans }, (_, r) => usOf(r, 0) / usOf(r, n + 1))),
  );
}
