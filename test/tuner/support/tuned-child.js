/**
 * A process that tunes on a simulated device, and records it in a file: what the test of killed processes kills.
 * It says `trying ID` before each first launch and `done ID` when an outcome is kept, of candidates and of the kernels
 * whose times are known, by their texts.
 */
import { jsonlStore } from "../../../dist/store-node.js";
import {
  createPlanner,
  createRecorder,
  knowledgeOf,
  openDatabase,
  runTuning,
  simulatedBench,
} from "../../../dist/tune.js";

const { path, task, profile, device, seed } = JSON.parse(process.argv[2]);

const planner = createPlanner(task, profile);
const { database, store } = await openDatabase(jsonlStore(path));
const recorder = createRecorder({
  store,
  planner,
  device,
  generator: "g",
  effort: "full",
  now: () => Date.now() / 1_000,
});
const say = (what, { id }) => process.stdout.write(`${what} ${id}\n`);
const { trying, admitted, refused, measured } = recorder.hooks;
const us = ({ id }) => 50 + (Number.parseInt(id.slice(0, 6), 16) % 100);
const kernelsOf = ({ id, kernels }) =>
  Object.fromEntries(kernels.map(({ name }) => [name, us({ id }) / kernels.length]));
const { bench } = simulatedBench(
  (candidate) => ({ us: us(candidate), kernels: kernelsOf(candidate) }),
  { seed },
);

const run = runTuning(task, planner, bench, {
  effort: "full",
  seed,
  now: () => performance.now(),
  ...knowledgeOf(database, device, "g"),
  hooks: {
    trying: async (candidate) => {
      await trying(candidate);
      say("trying", candidate);
    },
    admitted: async (candidate, roughUs) => {
      await admitted(candidate, roughUs);
      say("done", candidate);
    },
    refused: async (candidate, refusal) => {
      await refused(candidate, refusal);
      say("done", candidate);
    },
    measured: async (found) => {
      await measured(found);
      say("done", found.candidate);
      for (const { name, text } of found.candidate.kernels) {
        if (found.kernels[name] !== undefined) say("done", { id: text });
      }
    },
  },
});
for await (const event of run) {
  if (event.type === "done") await recorder.won(event.result, { swept: false });
}
