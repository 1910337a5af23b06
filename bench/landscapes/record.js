// Records landscapes: mappings of a definition with the times that an adapter takes for them. Each line that is
// written stays; a run that was ended goes on where it stopped. With `--from` a class that nothing is written of yet begins
// with the points of a packed file (pack.js).
//
//   node bench/landscapes/record.js --adapter swiftshader --points 400 --minutes 10 --out landscapes softmax ...
//   node bench/landscapes/record.js --adapter llvmpipe --from test/tuner/fixtures/landscapes-llvmpipe.json.gz scan
//
// Points of another generator, device or size are refused: what they took says nothing of the kernels of this one.
// Half of the points are drawn evenly, knob after knob; half are steps from the best of five starts. The time of a
// candidate is the least of many short spans on a clock without steps: what else the machine does only adds to it.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { mappingOf } from "../../dist/index.js";
import { openRuntime } from "../../dist/node.js";
import {
  createDeviceBench,
  createPlanner,
  generatorVersion,
  isRefusal,
  isUnplanned,
  storedDevice,
} from "../../dist/tune.js";
import { classes } from "./classes.js";
import { linesOf, packedLandscapes } from "./landscape-files.js";
import { headOf, linesOfLandscape, otherPoints } from "./landscape-lines.js";
import { recordPoints } from "./record-points.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    adapter: { type: "string", default: "swiftshader" },
    points: { type: "string", default: "400" },
    minutes: { type: "string", default: "60" },
    out: { type: "string", default: "landscapes" },
    from: { type: "string" },
    one: { type: "boolean", default: false },
  },
});

/** Ends a process whose device is lost; another one goes on. */
const deviceLost = 3;

const tools = { mappingOf, isRefusal, isUnplanned };
const until = performance.now() + 60_000 * Number(values.minutes);
mkdirSync(values.out, { recursive: true });
const asked = classes.filter((c) => positionals.length === 0 || positionals.includes(c.name));
if (values.one) await recordClass(asked[0]);
else for (const { name } of asked) recordInProcesses(name);

/** Records one class in processes of its own, until it is done. */
function recordInProcesses(name) {
  const { adapter, points, out, from } = values;
  const flags = ["--adapter", adapter, "--points", points, "--out", out];
  if (from !== undefined) flags.push("--from", from);
  const left = () => ["--minutes", String((until - performance.now()) / 60_000)];
  const args = [fileURLToPath(import.meta.url), "--one", ...flags, name];
  const started = performance.now();
  // Whatever ended a process, another one goes on without the candidate that it was at.
  for (let status = deviceLost; status !== 0 && performance.now() < until; ) {
    ({ status } = spawnSync(process.execPath, [...args, ...left()], { stdio: "inherit" }));
    if (status === 1) {
      process.exitCode = 1;
      break;
    }
  }
  process.stdout.write(`${name}: ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
}

/** Ends with a line for people. */
function refuse(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

/**
 * The lines that a class begins with: of its file, else of what is packed, else its head alone.
 * @param {string} file
 * @param {import("./landscape-lines.js").Head} head
 * @param {import("../../dist/tune.js").Planner} planner
 */
function begun(file, head, planner) {
  if (existsSync(file)) {
    const lines = linesOf(file);
    const why = lines.length === 0 ? null : otherPoints(lines[0], head);
    if (why !== null) refuse(`${file}: ${why}: record into another folder, with --out`);
    if (lines.length > 0) return { lines, fresh: [] };
  }
  const packed =
    values.from === undefined
      ? undefined
      : packedLandscapes(values.from).find(({ name }) => name === head.class);
  if (packed === undefined) return { lines: [head], fresh: [head] };
  const fresh = linesOfLandscape(packed, head, planner, tools);
  if (typeof fresh === "string") {
    refuse(`${values.from}, ${head.class}: ${fresh}: leave out --from to record all points anew`);
  }
  return { lines: fresh, fresh };
}

/** @param {import("./classes.js").Class} landscapeClass */
async function recordClass({ name, task }) {
  const runtime = await openRuntime({ adapter: values.adapter });
  const planner = createPlanner(task, runtime.profile);
  if (isUnplanned(planner)) throw new Error(`${name}: ${planner.refused}`);
  const file = `${values.out}/${name}.jsonl`;
  const write = (...lines) =>
    appendFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const device = storedDevice(runtime);
  const { kind: adapter } = runtime.adapter;
  const head = headOf({ name, task, adapter, device, generator: generatorVersion });
  const { lines, fresh } = begun(file, head, planner);
  write(...fresh);
  const bench = await createDeviceBench(runtime, task);
  const byDefault = planner.plan([...planner.wishes()][0]);
  const admitted = await bench.admit(byDefault, { timeoutMs: 120_000 });
  if (isRefusal(admitted)) throw new Error(`${name}: the default: ${JSON.stringify(admitted)}`);
  const { points, lost } = await recordPoints({
    ...{ planner, bench, byDefault, lines, write, tools },
    most: Number(values.points),
    isOver: () => performance.now() > until,
  });
  if (lost) process.exit(deviceLost);
  process.stdout.write(`${name}: ${points} points\n`);
  process.exit(0);
}
