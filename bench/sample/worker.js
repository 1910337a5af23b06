// A process that tries candidates of one case: what takes for ever can be ended.

import { mappingOf } from "../../dist/index.js";
import { openRuntime } from "../../dist/node.js";
import { cases } from "../cases/cases.js";
import { check, makeInputs, toleranceOf } from "../measure/inputs.js";
import { timeBatch } from "../measure/measure.js";
import { prepareOurs } from "../peers/ours.js";
import { tryOut } from "./try-out.js";

const [adapter, name] = process.argv.slice(2);
const benchCase = cases.find((c) => c.name === name);
const runtime = await openRuntime({ adapter });
const inputs = makeInputs(benchCase);
try {
  const reference = await referenceOf("default");
  process.on("message", async ({ choices, best }) => {
    const load = () => loadTrial(mappingOf(Object.entries(choices), "plain"), reference);
    process.send(await tryOut(load, best ?? Number.POSITIVE_INFINITY));
  });
  process.send({ ready: true });
} catch (error) {
  process.send({ bug: `the default: ${error.message}` });
}

/** All elements of a result, some of them checked against float64. */
async function referenceOf(options) {
  const prepared = await prepareOurs(runtime, benchCase, inputs, options);
  const result = await prepared.call();
  const values = await prepared.read(result);
  const { error, tolerance } = check(benchCase, inputs, values, false);
  prepared.release([result]);
  prepared.dispose();
  if (!(error <= tolerance)) throw new Error(`wrong result: off by ${error.toExponential(1)}`);
  return values;
}

/** @returns {Promise<import("./try-out.js").Trial>} */
async function loadTrial(options, reference) {
  const prepared = await prepareOurs(runtime, benchCase, inputs, options);
  return {
    first: async () => {
      const result = await prepared.call();
      const values = await prepared.read(result);
      prepared.release([result]);
      compareAll(values, reference);
      return await timeBatch(prepared, 1);
    },
    short: async () => await timeBatch(prepared, 3),
    long: async () => {
      const once = await timeBatch(prepared, 2);
      return await timeBatch(prepared, Math.max(3, Math.min(50, Math.ceil(60 / once))));
    },
    dispose: prepared.dispose,
  };
}

/** @throws Error naming the first element that is wrong. */
function compareAll(values, reference) {
  const wrong = values.findIndex((value, at) => {
    const allowed = 2 * toleranceOf(benchCase, reference[at]);
    return !(Math.abs(value - reference[at]) <= allowed);
  });
  if (wrong === -1) return;
  throw new Error(`wrong result: element ${wrong} is ${values[wrong]}, not ${reference[wrong]}`);
}
