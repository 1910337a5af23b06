// One case: everybody prepares, is checked, and is measured in turns.
import { cases } from "./cases/cases.js";
import { ownNames, plainName } from "./flags.js";
import { check, makeInputs } from "./measure/inputs.js";
import { measure, spread } from "./measure/measure.js";

/** @typedef {import("./cases/case.js").Case} Case */
/** @typedef {import("./report/ratios.js").Record} Record */

/**
 * @param {Case} benchCase
 * @param {ReadonlyMap<string, import("./peers/peer.js").Peer>} opened
 * @param {import("./session.js").Session} session
 * @param {number} rounds
 * @returns {Promise<Record[]>} in the order of `opened`
 */
export async function runCase(benchCase, opened, session, rounds) {
  const prepared = new Map();
  const records = new Map();
  for (const { who, peer, computes } of contestants(benchCase, opened)) {
    const record = recordOf(benchCase, who, computes, session);
    records.set(who, record);
    const inputs = inputsOf(computes);
    const ready = await prepareAndCheck({ benchCase: computes, peer, inputs, who, session });
    Object.assign(record, ready.record);
    if (ready.prepared === undefined) continue;
    const twin = twinOf(ready.prepared, prepared);
    if (twin === undefined) prepared.set(who, ready.prepared);
    else {
      record.same = twin;
      ready.prepared.dispose();
    }
  }
  const resultBytes = 4 * benchCase.output.shape.reduce((a, b) => a * b, 1);
  const ceiling = await session.ceilings();
  for (const [who, { times, calls }] of await measure(prepared, { rounds, resultBytes })) {
    const figures = spread(times);
    const ideal = idealMs(who === plainName ? plainOf(benchCase) : benchCase, ceiling);
    const runs = times.length * calls;
    Object.assign(records.get(who), figures, { runs, ceiling: ideal / figures.medianMs });
  }
  for (const ready of prepared.values()) ready.dispose();
  for (const record of records.values()) copyTwin(record, records.get(record.same));
  return [...records.values()];
}

/** Who takes part, and what each computes: in a relative's run, its plain case too, by the default. */
function contestants(benchCase, opened) {
  const all = [...opened].flatMap(([who, peer]) =>
    takesPart(who, benchCase) ? [{ who, peer, computes: benchCase }] : [],
  );
  const [plain, peer] = [plainOf(benchCase), opened.get("default")];
  if (plain === undefined || peer === undefined) return all;
  return [...all, { who: plainName, peer, computes: plain }];
}

/** @param {Case} benchCase */
function plainOf({ relative }) {
  return cases.find((c) => c.name === relative);
}

/** The inputs of a case are made once, as long as they are the latest. */
let latest = { name: "", inputs: {} };
function inputsOf(benchCase) {
  if (latest.name !== benchCase.name) {
    latest = { name: benchCase.name, inputs: makeInputs(benchCase) };
  }
  return latest.inputs;
}

/** Who has the same plan already. */
function twinOf({ plan }, prepared) {
  return [...prepared].find(([, p]) => p.plan !== undefined && p.plan === plan)?.[0];
}

/** Relatives are for ours alone, curves for the defaults and peers. */
function takesPart(who, { group }) {
  if (group === "relatives") return who === "default" || who === "fuse none";
  return group !== "scaling" || who === "default" || !ownNames.includes(who);
}

/** What a record says before anything is measured. */
function recordOf(benchCase, who, { operations }, { adapter, date }) {
  const { name, group, relative, curve, size } = benchCase;
  const record = { case: name, group, who, adapter, date, operations, relative, curve, size };
  return /** @type {Record} */ (record);
}

function copyTwin(record, twin) {
  if (twin === undefined) return;
  const { medianMs, madMs, runs, ceiling } = twin;
  Object.assign(record, { medianMs, madMs, runs, ceiling });
}

/** The time that the adapter needs at least. */
function idealMs({ operations, bytes }, { gflops, gigabytes }) {
  return Math.max(operations / (gflops * 1e6), bytes / (gigabytes * 1e6));
}

/** Ready to be timed, or a record of why not. */
async function prepareAndCheck({ benchCase, peer, inputs, who, session }) {
  try {
    const prepared = await peer.prepare(benchCase, inputs);
    if (prepared === null) {
      return { record: { unsupported: benchCase.unsupported?.[who] ?? "no program for it" } };
    }
    if (prepared.unsupported !== undefined) return { record: prepared };
    // The first call may do more, once: layouts, copies of weights.
    const warm = await prepared.call();
    await prepared.settle([warm]);
    prepared.release([warm]);
    session.dispatches();
    const result = await prepared.call();
    await prepared.settle([result]);
    const dispatches = session.dispatches();
    const channelsLast = who === "tfjs" && benchCase.tfjsLayout === "HWC";
    const values = await prepared.read(result);
    const { error, tolerance } = check(benchCase, inputs, values, channelsLast);
    prepared.release([result]);
    if (!(error <= tolerance)) {
      prepared.dispose();
      return { record: { unsupported: `wrong result: off by ${error.toExponential(1)}` } };
    }
    const elsewhere = dispatches === 0 ? "it dispatched nothing" : undefined;
    const unranked = benchCase.unranked?.[who] ?? elsewhere;
    // Whoever refuses a fusion that has no other form is not out of date.
    const stale = who === "tuned" ? prepared.stale : undefined;
    return { prepared, record: { dispatches, maxError: error, unranked, stale } };
  } catch (error) {
    const [line] = String(error.message ?? error).split("\n");
    return { record: { unsupported: line } };
  }
}
