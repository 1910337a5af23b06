// Recognises real handwritten digits by their nearest neighbours, on this machine's WebGPU device.
// Everything that is computed is written in nearest.tc; this program feeds it and shows the result.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { interpret } from "tc-wgsl";
import { adapterText, openRuntime } from "tc-wgsl/node";
import { confusionTable, score } from "./confusion.js";
import { loadDigits, pick, pixels, splitDigits } from "./load-digits.js";
import { drawResult } from "./picture.js";

/** @typedef {import("./load-digits.js").Digits} Digits */

const help = `Examples:
  node examples/digits/run.js                    9000 digits to compare 1000 others with
  node examples/digits/run.js --train 2000 --test 100
Flags:
  --train 9000         digits whose labels are known
  --test 1000          digits to recognise
  --seed 1             another split of the 10 000 digits
  --check 10           test digits that the float64 reference computes, too; 0: none
  --picture FILE       where to write the picture; digits.png
  --adapter NAME       auto, gpu, software, or part of a name
`;

const flags = readFlags();

function readFlags() {
  try {
    return parseArgs({
      options: {
        train: { type: "string", default: "9000" },
        test: { type: "string", default: "1000" },
        seed: { type: "string", default: "1" },
        check: { type: "string", default: "10" },
        picture: { type: "string", default: "digits.png" },
        adapter: { type: "string", default: "auto" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    return complain(error);
  }
}

/**
 * A mistyped flag, a file that cannot be written, no device.
 * @param {unknown} error
 * @returns {never}
 */
function complain(error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  console.error("  next: node examples/digits/run.js --help lists the flags");
  process.exit(2);
}

/** Digits that are recognised at a time. */
const batch = 100;

const source = readFileSync(new URL("nearest.tc", import.meta.url), "utf8");

if (flags.help) process.stdout.write(help);
else await main().catch(complain);

async function main() {
  const wanted = {
    train: countOf("train", 1),
    test: countOf("test", 1),
    seed: countOf("seed", 0),
  };
  const checked = countOf("check", 0);
  const { train, test } = splitDigits(loadDigits(), wanted);
  const runtime = await openRuntime({ adapter: flags.adapter });
  console.log(`adapter   ${adapterText(runtime.adapter)}`);
  console.log(`digits    ${test.count} to recognise, ${train.count} to compare them with`);

  const { classify } = runtime.define(source);
  const compiling = performance.now();
  const sizes = { R: train.count, K: pixels };
  for (const T of batchSizes(test.count)) await classify.prepare({ T, ...sizes });
  const running = performance.now();
  const { nearest, taken, confusion } = await recognise(classify, test, train);
  const done = performance.now();
  const { right, all } = score(confusion);
  console.log(
    `time      ${seconds(running - compiling)} to compile, ${seconds(done - running)} to run`,
  );
  console.log(
    `accuracy  ${((100 * right) / all).toFixed(1)} %: ${right} of ${all} digits are right`,
  );
  console.log(`\nWhat digits show (rows) and what they were taken for (columns):\n`);
  console.log(confusionTable(confusion));

  writeFileSync(flags.picture, drawResult({ test, train, nearest, taken }));
  console.log(`\npicture   ${flags.picture}: digits beside the nearest ones, right and wrong`);
  process.exitCode = compare(test, train, nearest, taken, checked);
  runtime.dispose();
}

/**
 * @param {"train" | "test" | "seed" | "check"} flag
 * @param {number} least
 */
function countOf(flag, least) {
  const value = Number(flags[flag]);
  if (Number.isInteger(value) && value >= least) return value;
  throw new RangeError(`--${flag} ${flags[flag]}: give a whole number, at least ${least}`);
}

/**
 * The digits are recognised in parts, so that nobody waits long without a word.
 * @param {number} count
 */
function batchSizes(count) {
  const full = Array.from({ length: Math.floor(count / batch) }, () => batch);
  return count % batch === 0 ? full : [...full, count % batch];
}

/**
 * @param {import("tc-wgsl/node").Kernel} classify
 * @param {Digits} test
 * @param {Digits} train
 */
async function recognise(classify, test, train) {
  const nearest = new Int32Array(test.count);
  const taken = new Int32Array(test.count);
  const confusion = new Int32Array(100);
  let at = 0;
  for (const count of batchSizes(test.count)) {
    const part = pick(
      test,
      Array.from({ length: count }, (_, n) => at + n),
    );
    const outputs = await classify(inputsOf(part, train));
    nearest.set(await outputs["nearest"].read(), at);
    taken.set(await outputs["taken"].read(), at);
    const counts = await outputs["confusion"].read();
    for (let n = 0; n < counts.length; n++) confusion[n] += counts[n];
    for (const output of Object.values(outputs)) output.dispose();
    at += count;
    console.error(`recognised ${at} of ${test.count} digits`);
  }
  return { nearest, taken, confusion };
}

/**
 * @param {Digits} test
 * @param {Digits} train
 */
function inputsOf(test, train) {
  return {
    test: { data: test.pictures, shape: [test.count, pixels] },
    train: { data: train.pictures, shape: [train.count, pixels] },
    label: { data: train.labels, shape: [train.count] },
    truth: { data: test.labels, shape: [test.count] },
  };
}

/**
 * Lets the reference compute the first test digits, too. All numbers are integers: the results have
 * to be equal. Returns the exit code.
 * @param {Digits} test
 * @param {Digits} train
 * @param {ArrayLike<number>} nearest
 * @param {ArrayLike<number>} taken
 * @param {number} wanted how many of them
 */
function compare(test, train, nearest, taken, wanted) {
  const count = Math.min(wanted, test.count);
  if (count === 0) return 0;
  const few = pick(
    test,
    Array.from({ length: count }, (_, n) => n),
  );
  const reference = interpret(source, inputsOf(few, train));
  const [expectedNearest, expectedTaken] = [reference["nearest"].data, reference["taken"].data];
  const wrong = [];
  for (let n = 0; n < count; n++) {
    const same = expectedNearest[n] === nearest[n] && expectedTaken[n] === taken[n];
    if (!same) wrong.push(n);
  }
  if (wrong.length === 0) {
    console.log(`checked   ${count} of them with the float64 reference: all equal`);
    return 0;
  }
  console.error(
    `error: the float64 reference has other results for test digits ${wrong.join(", ")}`,
  );
  console.error("  next: report it as a bug, with the output of tc-compile info");
  return 4;
}

/** @param {number} milliseconds */
function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
