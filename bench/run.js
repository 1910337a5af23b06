// Times tc-wgsl beside its peers on one device, in one run. See README.md.
import { parseArgs } from "node:util";
import { adapterText, openRuntime } from "../dist/node.js";
import { cases } from "./cases/cases.js";
import { ceilings } from "./measure/ceilings.js";
import { countDispatches } from "./measure/dispatches.js";
import { check, makeInputs } from "./measure/inputs.js";
import { measure, median } from "./measure/measure.js";
import * as jax from "./peers/jax-js.js";
import * as onnxruntime from "./peers/onnxruntime.js";
import { ours } from "./peers/ours.js";
import * as tfjs from "./peers/tfjs.js";
import { printTable } from "./report/table.js";

const help = `Examples:
  npm run bench                                  all cases beside all peers
  npm run bench -- --case matmul,softmax         the cases whose names contain one of these
  npm run bench -- --who default,tfjs --json     some contestants; one JSON object per line
Flags:
  --case NAMES       parts of names of cases, separated by commas
  --who NAMES        default, naive, jax-js, tfjs, onnxruntime
  --adapter NAME     auto, gpu, software, or part of a name
  --rounds 7         how often each is measured, in turns
  --json             JSON lines on stdout, the table on stderr
`;

const { values: flags } = parseArgs({
  options: {
    case: { type: "string", default: "" },
    who: { type: "string", default: "default,naive,jax-js,tfjs,onnxruntime" },
    adapter: { type: "string", default: "auto" },
    rounds: { type: "string", default: "7" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

const contestants = {
  default: ours("default"),
  naive: ours("naive"),
  "jax-js": jax.open,
  tfjs: tfjs.open,
  onnxruntime: onnxruntime.open,
};

if (flags.help) process.stdout.write(help);
else await main();

/** Libraries that ask the browser for a device get the one that everybody is measured on. */
function shareDevice(device) {
  // A library that is done with its session would take the device from the others.
  device.destroy = () => {};
  const adapter = {
    info: device.adapterInfo,
    features: device.features,
    limits: device.limits,
    isFallbackAdapter: false,
    requestDevice: async () => device,
    requestAdapterInfo: async () => device.adapterInfo,
  };
  const gpu = {
    requestAdapter: async () => adapter,
    getPreferredCanvasFormat: () => "bgra8unorm",
    wgslLanguageFeatures: new Set(),
  };
  Object.defineProperty(globalThis, "navigator", { value: { gpu, userAgent: "node" } });
}

async function main() {
  const runtime = await openRuntime({ adapter: flags.adapter });
  const { device } = runtime;
  Object.assign(globalThis, (await import("webgpu")).globals);
  shareDevice(device);
  const dispatches = countDispatches(device);
  const adapter = adapterText(runtime.adapter);
  const ceiling = await ceilings(device);
  const text = `${ceiling.gflops.toFixed(1)} GFLOP/s, ${ceiling.gigabytes.toFixed(1)} GB/s`;
  process.stderr.write(`adapter   ${adapter}\nceilings  ${text}\n`);

  const wanted = flags.who.split(",");
  const opened = new Map();
  for (const who of wanted) {
    const open = contestants[who];
    if (open === undefined) throw new Error(`--who knows no "${who}"`);
    opened.set(who, await open(device, runtime));
  }
  const parts = flags.case.split(",");
  const chosen = cases.filter((c) => parts.some((part) => c.name.includes(part)));
  for (const benchCase of chosen) {
    const records = await runCase(benchCase, opened, { dispatches, adapter, ceiling });
    if (flags.json) for (const r of records) process.stdout.write(`${JSON.stringify(r)}\n`);
    (flags.json ? process.stderr : process.stdout).write(printTable(benchCase, records));
  }
  runtime.dispose();
  process.exit(0);
}

async function runCase(benchCase, opened, { dispatches, adapter, ceiling }) {
  const inputs = makeInputs(benchCase);
  const prepared = new Map();
  const records = new Map();
  for (const [who, peer] of opened) {
    const record = { case: benchCase.name, who, adapter };
    records.set(who, record);
    try {
      const ready = await prepareAndCheck(benchCase, peer, inputs, who, dispatches);
      if (typeof ready === "string") Object.assign(record, { unsupported: ready });
      else {
        Object.assign(record, { dispatches: ready.dispatches, maxError: ready.error });
        prepared.set(who, ready.prepared);
      }
    } catch (error) {
      Object.assign(record, { unsupported: String(error.message ?? error).split("\n")[0] });
    }
  }
  const resultBytes = 4 * benchCase.output.shape.reduce((a, b) => a * b, 1);
  const times = await measure(prepared, { rounds: Number(flags.rounds), resultBytes });
  for (const [who, all] of times) {
    const medianMs = median(all);
    const ideal = Math.max(
      benchCase.operations / (ceiling.gflops * 1e6),
      benchCase.bytes / (ceiling.gigabytes * 1e6),
    );
    const spread = median(all.map((t) => Math.abs(t - medianMs)));
    const figures = { medianMs, madMs: spread, runs: all.length, ceiling: ideal / medianMs };
    Object.assign(records.get(who), figures);
  }
  for (const ready of prepared.values()) ready.dispose();
  return [...records.values()];
}

/** Ready to be timed, or why not. */
async function prepareAndCheck(benchCase, peer, inputs, who, dispatches) {
  const prepared = await peer.prepare(benchCase, inputs);
  if (prepared === null) return benchCase.unsupported?.[who] ?? "no program for it";
  dispatches();
  const result = await prepared.call();
  await prepared.settle([result]);
  const count = dispatches();
  const channelsLast = who === "tfjs" && benchCase.tfjsLayout === "HWC";
  const { error, tolerance } = check(benchCase, inputs, await prepared.read(result), channelsLast);
  if (!(error <= tolerance)) return `wrong result: off by ${error.toExponential(1)}`;
  prepared.release([result]);
  return { prepared, dispatches: count, error };
}
