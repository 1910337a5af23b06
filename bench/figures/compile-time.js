// Source text to WGSL, warm.
import { compile } from "../../dist/index.js";
import { median } from "../report/statistics.js";

/** What a kernel's compilation should take, in milliseconds. */
const target = 5;
const repeats = 9;

/** @param {readonly import("../cases/case.js").Case[]} cases @param {unknown} profile */
export function compileTimes(cases, profile) {
  const figure = "compile, source to WGSL";
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
