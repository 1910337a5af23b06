// The model beside what was published, and the estimates of today's defaults. `node bench/model/print.js`
import { readFileSync } from "node:fs";
import { compile, deviceFamilies, estimate, facts, namedProfiles } from "../../dist/index.js";
import { cases } from "../cases/cases.js";
import { added } from "./added.js";
import { kernels } from "./kernels.js";

/** @type {any} */
const published = JSON.parse(readFileSync(new URL("../published.json", import.meta.url), "utf8"));

/** The figures of a device of published.json. */
export function deviceNamed(/** @type {string} */ name) {
  const { family, figures } = published.devices[name];
  return { ...deviceFamilies[family], ...figures };
}

/** Every other row was held out: they are told apart by their place. */
export function rows() {
  const known = new Map();
  return published.rows.map((row, n) => {
    const text = JSON.stringify(row.kernel);
    const { name, ...given } = row.kernel;
    const found = known.get(text) ?? facts(kernels[name](given), namedProfiles.gpu)[0];
    known.set(text, found);
    const { seconds, bound } = estimate(found, deviceNamed(row.device));
    const gflops = (2 * row.kernel.M * row.kernel.N * row.kernel.K) / seconds / 1e9;
    return { ...row, estimate: gflops, bound, held: n % 2 === 1 };
  });
}

/**
 * Pairs of rows of one device whose published figures are more than a quarter apart: how many there are,
 * and how many the model orders so.
 *
 * @param {readonly any[]} list
 */
export function ordered(list) {
  const pairs = list.flatMap((a, n) =>
    list.slice(n + 1).flatMap((b) => (a.device === b.device ? [[a, b]] : [])),
  );
  const apart = pairs.filter(([a, b]) => Math.abs(Math.log(a.gflops / b.gflops)) > Math.log(1.25));
  const right = apart.filter(([a, b]) => a.gflops < b.gflops === a.estimate < b.estimate);
  return { pairs: apart.length, right: right.length };
}

/** Shares of all pairs, of different devices too, that are ordered as they were published. */
export function concordance(/** @type {readonly any[]} */ list) {
  const pairs = list.flatMap((a, n) => list.slice(n + 1).map((b) => [a, b]));
  const apart = pairs.filter(([a, b]) => a.gflops !== b.gflops);
  const right = apart.filter(([a, b]) => a.gflops < b.gflops === a.estimate < b.estimate);
  return right.length / apart.length;
}

/** The devices of the table: each family's, and an H100. */
export const columns = {
  ...Object.fromEntries(Object.values(deviceFamilies).map((f) => [f.name, f])),
  H100: deviceNamed("H100 SXM"),
};

/**
 * Estimated share of the roofline of the defaults in percent, by case and device: each device has the defaults for
 * its family, the H100 those of `nvidia`.
 */
export function defaultsTable() {
  const own = cases.filter((c) => c.group === "cases" || c.group === "recurrent");
  return [...added, ...own].map((one) => {
    const known = new Map();
    const factsFor = (/** @type {string} */ name) => {
      const profile = namedProfiles[name];
      const compiled = compile(one.source, { shapes: one.inputs, profile });
      if (!compiled.ok) throw new Error(`${one.name} does not compile`);
      return facts(compiled.plan, profile);
    };
    const shares = Object.entries(columns).map(([name, device]) => {
      const family = namedProfiles[name] === undefined ? "nvidia" : name;
      const kernelFacts = known.get(family) ?? factsFor(family);
      known.set(family, kernelFacts);
      const seconds = kernelFacts.reduce((sum, k) => sum + estimate(k, device).seconds, 0);
      const roof = Math.max(
        one.operations / device.gflops / 1e9,
        one.bytes / device.memoryGBs / 1e9,
      );
      return [name, (100 * roof) / seconds];
    });
    return { name: one.name, shares: Object.fromEntries(shares) };
  });
}
