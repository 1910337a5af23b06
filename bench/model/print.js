#!/usr/bin/env node
// Prints the model beside published figures, then what it says of today's defaults. All are estimates.
import { columns, concordance, defaultsTable, ordered, rows } from "./compare.js";

const all = rows();
const print = (/** @type {string} */ text) => process.stdout.write(`${text}\n`);
print("| device | kernel | published GFLOP/s | estimated | ratio | bound | held out |");
print("|---|---|---|---|---|---|---|");
for (const { device, shape, gflops, estimate, kernel, bound, held } of all) {
  const { name, BM, BN, TM, TN } = kernel;
  const tile = BM === undefined ? "" : ` ${BM}x${BN}, ${TM}x${TN}`;
  const figures = `${Math.round(gflops)} | ${Math.round(estimate)} | ${(estimate / gflops).toFixed(2)}`;
  print(`| ${device} | ${name}${tile} ${shape} | ${figures} | ${bound} | ${held ? "yes" : ""} |`);
}
const held = all.filter((row) => row.held);
for (const [name, list] of Object.entries({ all, "held out": held })) {
  const { pairs, right } = ordered(list);
  const share = (100 * concordance(list)).toFixed(0);
  print(`\n${name}: ${right} of ${pairs} pairs of one device in order, ${share} % of all pairs`);
}
print(`\n| case | ${Object.keys(columns).join(" | ")} |`);
print(
  `|---|${Object.keys(columns)
    .map(() => "---|")
    .join("")}`,
);
for (const { name, shares } of defaultsTable()) {
  print(
    `| ${name} | ${Object.values(shares)
      .map((share) => share.toFixed(0))
      .join(" | ")} |`,
  );
}
