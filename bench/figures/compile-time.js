// Source text to WGSL, warm.
import { compile } from "../../dist/index.js";
import { median } from "../report/statistics.js";

/** What a kernel's compilation should take, in milliseconds. */
const target = 5;
const repeats = 9;
/** Compilations of all cases before any is timed: until the engine has made its code fast. */
const warmUps = 3;

/** @param {readonly import("../cases/case.js").Case[]} cases @param {unknown} profile */
export function compileTimes(cases, profile) {
  const figure = "compile, source to WGSL";
  for (let n = 0; n < warmUps; n++) {
    for (const { source, inputs: shapes } of cases) compile(source, { shapes, profile });
  }
  const each = cases.map(({ name, source, inputs: shapes }) => {
    const times = [];
    for (let n = 0; n <= repeats; n++) {
      const start = performance.now();
      compile(source, { shapes, profile });
      if (n > 0) times.push(performance.now() - start);
    }
    return { figure, of: name, value: median(times), unit: "ms" };
  });
  const middle = median(each.map((one) => one.value));
  return [{ figure, of: "median of all cases", value: middle, unit: "ms", target }, ...each];
}
