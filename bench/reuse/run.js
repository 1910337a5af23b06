// Reuse as in TC's tracker: a definition is tuned at one size, and run at ten others. There, in turns: what the database
// answers, repaired; the default; what a small tune (`refine`) finds from that answer; what a tune finds that knows nothing.
// The policies of the software adapters were made by hand and leave little to find: the adapter counts as a GPU that nobody
// knows, as for blind/run.js, unless `--known`.
//
//   node bench/reuse/run.js --adapter swiftshader [--json] [PROGRAM...]
//
// `--base`, `--refine` and `--fresh` are the seconds of each tune. A size is a row: how many times slower than the best of
// the four each is, and how long the answer took; before them, how long the answer at the tuned size takes. `--json` prints an object for each, and nothing else.
import { parseArgs } from "node:util";
import { openRuntime } from "../../dist/node.js";
import { memoryStore } from "../../dist/store.js";
import {
  createDeviceBench,
  createPlanner,
  isRefusal,
  isUnplanned,
  rememberedAnswer,
  tune,
  tuneWithStore,
} from "../../dist/tune.js";
import { unknownGpu } from "../blind/unknown-gpu.js";
import { geometricMean, median } from "../report/statistics.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    adapter: { type: "string", default: "swiftshader" },
    base: { type: "string", default: "100" },
    refine: { type: "string", default: "6" },
    fresh: { type: "string", default: "6" },
    known: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

/** A definition, the size that it is tuned at, and others: half and twice as much, odd numbers, other shapes. */
const programs = {
  matmul: {
    source: "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }",
    names: ["M", "N", "K"],
    base: [128, 128, 128],
    others: [
      ...[
        [64, 64, 64],
        [96, 128, 160],
        [256, 128, 128],
        [128, 256, 64],
        [256, 256, 256],
      ],
      ...[
        [127, 129, 131],
        [32, 512, 128],
        [512, 32, 128],
        [100, 100, 100],
        [128, 128, 512],
      ],
    ],
  },
  softmax: {
    source: `def f(float(R, D) x) -> (y) {
  m(r) max=! x(r, d)
  e(r, d) = exp(x(r, d) - m(r))
  s(r) +=! e(r, d)
  y(r, d) = e(r, d) / s(r)
}`,
    names: ["R", "D"],
    base: [64, 1024],
    others: [
      ...[
        [32, 1024],
        [128, 1024],
        [64, 512],
        [64, 2048],
        [16, 4096],
      ],
      ...[
        [256, 256],
        [63, 1023],
        [100, 1000],
        [512, 128],
        [8, 16384],
      ],
    ],
  },
};
const ways = ["answer", "default", "refined", "fresh"];

/** Rounds in which all four take turns, clock steps of a span at least, and answers that are timed. */
const measured = { rounds: 11, quanta: 6, answers: 5 };

const opened = await openRuntime({ adapter: values.adapter });
const { adapter, device } = opened;
const runtime = {
  ...{ adapter, device },
  profile: values.known ? opened.profile : unknownGpu(opened.profile),
};
const say = values.json ? () => undefined : console.log;
say(`${[adapter.vendor, adapter.architecture, adapter.description].filter(Boolean).join(", ")}`);
for (const [name, program] of Object.entries(programs)) {
  if (positionals.length === 0 || positionals.includes(name)) await reuse(name, program);
}
process.exit(0);

function sizesOf({ names }, extents) {
  return Object.fromEntries(names.map((size, n) => [size, extents[n]]));
}

/** The last event's result. */
async function resultOf(events) {
  for await (const event of events) if (event.type === "done") return event.result;
  throw new Error("the last event is done");
}

async function reuse(name, program) {
  const store = memoryStore();
  const base = { sizes: sizesOf(program, program.base), effort: "normal", budget: seconds("base") };
  const tuned = await resultOf(tuneWithStore(runtime, program.source, base, store));
  const lines = await store.read();
  const gain = tuned.ratio === null ? "no ratio" : `${(1 / tuned.ratio).toFixed(2)}x the default`;
  const proved = tuned.swept ? "proved elsewhere" : "not proved elsewhere";
  say(
    `\n${name} tuned at ${program.base.join("x")}: ${gain}, ${tuned.counts.ok} candidates, ${proved}\n`,
  );
  const known = await answered(program.source, { sizes: base.sizes }, () => store);
  say(`what was tuned is answered in ${known.answerMs.toFixed(2)} ms\n`);
  say("| size | answer | expected | answered | default | refined | fresh | ms to answer |");
  say("| --- | --- | --- | --- | --- | --- | --- | --- |");
  const rows = [];
  for (const extents of program.others) {
    const row = await reuseAt(program, extents, lines);
    rows.push(row);
    if (values.json)
      console.log(JSON.stringify({ program: name, adapter: values.adapter, ...row }));
    else say(`| ${cells(row).join(" | ")} |`);
  }
  const summary = (of) => [geometricMean(rows.map(of)), Math.max(...rows.map(of))];
  for (const way of ways) {
    const [mean, worst] = summary((row) => row.losses[way]);
    say(`${way}: ${mean.toFixed(3)} times the best on average, ${worst.toFixed(2)} at worst`);
  }
  const [small] = summary((row) => row.losses.answer / row.losses.refined);
  say(`the small tune makes the answers ${small.toFixed(3)} times as fast`);
}

function cells({ size, source, distance, expectedLoss, losses, answerMs }) {
  const where = distance === null ? source : `${source}, ${distance.toFixed(1)} away`;
  const expected = expectedLoss === null ? "" : expectedLoss.toFixed(2);
  return [size, where, expected, ...ways.map((w) => losses[w].toFixed(2)), answerMs.toFixed(1)];
}

function seconds(flag) {
  return 1000 * Number(values[flag]);
}

/** An answer, and how long it took: the median of several. */
async function answered(source, asked, storeOf) {
  const times = [];
  let found = null;
  for (let n = 0; n < measured.answers; n++) {
    const begun = performance.now();
    found = (await rememberedAnswer(runtime, source, asked, storeOf())).answer;
    times.push(performance.now() - begun);
  }
  return { found, answerMs: median(times) };
}

/** What is made of one tune at another size. */
async function reuseAt(program, extents, lines) {
  const { source } = program;
  const asked = { sizes: sizesOf(program, extents) };
  const { found, answerMs } = await answered(source, asked, () => memoryStore(lines));
  const small = { ...asked, effort: "refine", budget: seconds("refine") };
  const refined = await resultOf(tuneWithStore(runtime, source, small, memoryStore(lines)));
  const alone = { ...asked, effort: "quick", budget: seconds("fresh") };
  const fresh = await resultOf(tune(runtime, source, alone));
  const usual = { version: 2, policy: "default" };
  const mappings = [found?.mapping ?? usual, usual, refined.options, fresh.options];
  const us = await timesOf({ source, ...asked }, mappings);
  const best = Math.min(...us);
  return {
    size: extents.join("x"),
    source: found?.source.kind ?? "default",
    distance: found?.source.distance ?? null,
    expectedLoss: found?.expectedLoss ?? null,
    losses: Object.fromEntries(ways.map((way, n) => [way, us[n] / best])),
    answerMs,
  };
}

/** Medians of microseconds, measured in turns; the same plan is measured once. */
async function timesOf(task, mappings) {
  const bench = await createDeviceBench(runtime, task);
  const planner = createPlanner(task, runtime.profile);
  if (isUnplanned(planner)) throw new Error(planner.refused);
  const candidates = mappings.map((mapping) => {
    const made = planner.plan(mapping);
    if (isUnplanned(made)) throw new Error(made.refused);
    return made;
  });
  const ids = [...new Set(candidates.map(({ id }) => id))];
  for (const candidate of candidates) {
    const outcome = await bench.admit(candidate, { timeoutMs: 120_000, passed: true });
    if (isRefusal(outcome)) throw new Error(JSON.stringify(outcome));
  }
  const order = Array.from({ length: measured.rounds }, () => ids).flat();
  const samples = await bench.time(order, { quanta: measured.quanta });
  await bench.close();
  const usOf = (id) => median(samples.filter((_, n) => order[n] === id).map(({ us }) => us));
  return candidates.map(({ id }) => usOf(id));
}
