// Source text to WGSL: warm, and the first time in a process.
import { execFileSync } from "node:child_process";
import { compile } from "../../dist/index.js";
import { median } from "../report/statistics.js";

/** What a kernel's compilation should take when the engine is warm, in milliseconds. */
const target = 5;
const repeats = 9;
const processes = 5;
/** Rounds over all cases to make the engine warm, at most; it goes on making code faster for dozens. */
const mostRounds = 120;
/** It is warm when so many rounds have passed without one that is faster than all before by 2 %. */
const patience = 20;

/** @typedef {import("../cases/case.js").Case} Case */

/** @param {Case} one @param {unknown} profile @returns {number} milliseconds */
function timeOf({ source, inputs: shapes }, profile) {
  const start = performance.now();
  compile(source, { shapes, profile });
  return performance.now() - start;
}

/** @param {readonly Case[]} cases @param {unknown} profile */
function warmUp(cases, profile) {
  let [fastest, since] = [Infinity, 0];
  for (let round = 0; round < mostRounds && since < patience; round++) {
    const took = cases.reduce((sum, one) => sum + timeOf(one, profile), 0);
    since = took < 0.98 * fastest ? 0 : since + 1;
    fastest = Math.min(fastest, took);
  }
}

/**
 * The compilation that a process begins with, all of the engine's own work on the compiler included;
 * loading it is not.
 *
 * @param {Case} one
 * @param {unknown} profile
 */
function firstTime({ source, inputs: shapes }, profile) {
  const given = JSON.stringify([source, { shapes, profile }]);
  const program = `import { compile } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url))};
const start = performance.now();
if (!compile(...${given}).ok) throw new Error("does not compile");
console.log(performance.now() - start);`;
  const times = Array.from({ length: processes }, () =>
    Number(execFileSync(process.execPath, ["--input-type=module", "-e", program])),
  );
  return median(times);
}

/** @param {readonly Case[]} cases @param {unknown} profile */
export function compileTimes(cases, profile) {
  const figure = "compile, source to WGSL";
  const first = cases.slice(0, 1).map((one) => {
    const value = firstTime(one, profile);
    return { figure: "compile, the first time in a process", of: one.name, value, unit: "ms" };
  });
  warmUp(cases, profile);
  const each = cases.map((one) => {
    const times = Array.from({ length: repeats }, () => timeOf(one, profile));
    return { figure, of: one.name, value: median(times), unit: "ms" };
  });
  const middle = median(each.map((one) => one.value));
  return [
    { figure, of: "median of all cases", value: middle, unit: "ms", target },
    ...first,
    ...each,
  ];
}
