// The command line from nothing to its answer, as a shell sees it.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "../report/statistics.js";

const target = 300;
const root = new URL("../../", import.meta.url);

export function coldStart() {
  const program = fileURLToPath(new URL("dist/cli.js", root));
  const file = fileURLToPath(new URL("examples/matmul.tc", root));
  const times = [];
  for (let n = 0; n < 7; n++) {
    const start = performance.now();
    execFileSync(process.execPath, [program, "check", file], { stdio: "pipe" });
    times.push(performance.now() - start);
  }
  const of = "tc-compile check examples/matmul.tc";
  return [{ figure: "cold start", of, value: median(times), unit: "ms", target }];
}
