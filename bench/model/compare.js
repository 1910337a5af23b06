// The model beside what was published, and the estimates of today's defaults. `node bench/model/print.js`
import { readFileSync } from "node:fs";
import { compile, deviceFamilies, estimate, facts, namedProfiles } from "../../dist/index.js";
import { cases } from "../cases/cases.js";
import { matmul } from "../cases/matmul.js";
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

/** A product whose operands lie as `NT` or `TN` say. */
function product(/** @type {string} */ name, order, M, K, N) {
  const plain = matmul(M, K, N, name);
  const a =
    order === "TN"
      ? { type: "K,M", at: "k, m", shape: [K, M] }
      : { type: "M,K", at: "m, k", shape: [M, K] };
  const b =
    order === "NT"
      ? { type: "N,K", at: "n, k", shape: [N, K] }
      : { type: "K,N", at: "k, n", shape: [K, N] };
  const source = `def product(float(${a.type}) A, float(${b.type}) B) -> (C) {
  C(m, n) +=! A(${a.at}) * B(${b.at})
}`;
  return { ...plain, name, source, inputs: { A: a.shape, B: b.shape } };
}

/** What gpu.md adds to the cases of the benchmark. */
const added = [
  product("matmul NT 1024", "NT", 1024, 1024, 1024),
  product("matmul TN 1024", "TN", 1024, 1024, 1024),
  product("linear 64x4096x4096", "NT", 64, 4096, 4096),
  product("linear 8x4096x4096", "NT", 8, 4096, 4096),
  {
    name: "conv 1x1 256->256 56x56",
    source: "def conv(float(C,H,W) I, float(F,C) K) -> (O) { O(f, h, w) +=! I(c, h, w) * K(f, c) }",
    inputs: { I: [256, 56, 56], K: [256, 256] },
    operations: 2 * 256 * 256 * 56 * 56,
    bytes: 4 * (2 * 256 * 56 * 56 + 256 * 256),
  },
];

/** The devices of the table: each family's, and an H100. */
export const columns = {
  ...Object.fromEntries(Object.values(deviceFamilies).map((f) => [f.name, f])),
  H100: deviceNamed("H100 SXM"),
};

/** Estimated share of the roofline of the defaults for a profile, in percent, by case and device. */
export function defaultsTable(profile = namedProfiles.gpu) {
  const own = cases.filter((c) => c.group === "cases" || c.group === "recurrent");
  return [...added, ...own].map((one) => {
    const compiled = compile(one.source, { shapes: one.inputs, profile });
    if (!compiled.ok) throw new Error(`${one.name} does not compile`);
    const kernelFacts = facts(compiled.plan, profile);
    const shares = Object.entries(columns).map(([name, device]) => {
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
