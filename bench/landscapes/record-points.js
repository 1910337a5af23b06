// Records points of a landscape: draws mappings, has a bench time them, and writes each down. What it is given is
// all that it knows, so that tests record without a device.
import { uniform } from "../measure/inputs.js";
import { drawNear, pick } from "./draw.js";

/** @typedef {import("../../dist/tune.js").Candidate} Candidate */
/** @typedef {import("../../dist/tune.js").Planner} Planner */
/** @typedef {import("../../dist/tune.js").Bench} Bench */
/** @typedef {Readonly<Record<string, any>>} Line a line of a file of points: of one JSON object */

/**
 * Functions of the package.
 * @typedef {object} Tools
 * @property {typeof import("../../dist/index.js").mappingOf} mappingOf
 * @property {typeof import("../../dist/tune.js").isRefusal} isRefusal
 * @property {typeof import("../../dist/tune.js").isUnplanned} isUnplanned
 */

/** Starts of local search. */
const starts = 5;
/** Longer kernels take drivers seconds to compile. */
const mostStatements = 400;
/** Milliseconds that compilation, gates and the first executions may take together. */
const mostMs = 4_000;
/** Spans of a candidate, and how many clock steps each has at least: short ones are seldom interrupted. */
const spans = { count: 12, quanta: 6 };
/** Candidates whose first execution takes so many times the default's have that time. */
const hopeless = 8;
/** Draws in a row that bring nothing new. */
const patience = 300;

/** Points of a file. What was tried and has no outcome ended its process, and is told so. */
function pointsOf(known, write) {
  const points = known.filter((l) => l.id !== undefined && l.trying === undefined);
  const done = new Set(points.map((p) => p.id));
  for (const { trying, id, ...point } of known) {
    if (trying === undefined || done.has(id)) continue;
    const lost = { ...point, id, us: null, why: "it ended its process" };
    write(lost);
    points.push(lost);
    done.add(id);
  }
  return points;
}

/**
 * Records until there are so many points, it is over, or draws bring nothing new. What was known is never measured again.
 * @param {object} recording
 * @param {Planner} recording.planner
 * @param {Bench} recording.bench
 * @param {Candidate} recording.byDefault admitted
 * @param {readonly Line[]} recording.lines what is written so far
 * @param {(line: Line) => void} recording.write
 * @param {number} recording.most
 * @param {() => boolean} recording.isOver
 * @param {Tools} recording.tools
 * @returns {Promise<{ points: number, lost: boolean }>} lost: the bench has to be opened anew
 */
export async function recordPoints({ lines, write, most, isOver, ...given }) {
  const known = [...lines];
  const points = pointsOf(known, write);
  const done = new Set(points.map((p) => p.id));
  const next = uniform(1000 + points.length);
  const state = { ...given, write, known, points, done, next };
  const { planner, byDefault, tools } = state;
  const usual = points.find((p) => p.id === byDefault.id)?.us ?? (await usualUs(state));
  for (const [n, wish] of [...planner.wishes()].entries()) {
    const candidate = planner.plan(wish);
    if (tools.isUnplanned(candidate)) continue;
    if (await record(state, candidate, `wish ${n}`, usual)) return end(points, true);
  }
  for (let idle = 0; points.length < most && idle < patience && !isOver(); idle++) {
    const before = points.length;
    const draw = sourceOf(before) === "draw" ? drawn(state) : climbed(state);
    if (draw !== null && (await record(state, draw, sourceOf(before), usual)))
      return end(points, true);
    if (points.length > before) idle = 0;
  }
  return end(points, false);
}

function end({ length }, lost) {
  return { points: length, lost };
}

/** Where the next point comes from when there are so many, behind the wishes: evenly drawn, or a step of a local search. */
export function sourceOf(points) {
  return points % 2 === 0 ? "draw" : `climb ${Math.floor(points / 2) % starts}`;
}

/** Microseconds of the default: what is hopeless beside it is not timed for long. */
async function usualUs(state) {
  return (await timed(state, state.byDefault, Number.POSITIVE_INFINITY, 0)).us;
}

/** A mapping in which nothing is left to a policy but what arises anew. @param {Tools} tools @param {import("./draw.js").Choices} choices */
export function mappingOfChoices({ mappingOf }, choices) {
  return mappingOf(Object.entries(choices), "default");
}

/** What knobs stand at, by path. @param {Pick<Candidate, "knobs">} of @returns {import("./draw.js").Choices} */
export function choicesOf({ knobs }) {
  return Object.fromEntries(knobs.map((k) => [k.path, k.value]));
}

/** Some knobs with values drawn evenly. */
function redrawn(knobs, next) {
  return knobs.map((k) => ({ ...k, value: pick(k.values, next) }));
}

/** The space's random draw: structure, then kernels, then what of the kernels there is only now. */
function drawn({ planner, byDefault, next, tools }) {
  const isStructural = (k) => k.path.startsWith("structure/");
  const structure = redrawn(byDefault.knobs.filter(isStructural), next);
  let candidate = planner.plan(
    mappingOfChoices(tools, next() < 0.3 ? {} : choicesOf({ knobs: structure })),
  );
  const turned = new Map();
  for (let n = 0; n < 2; n++) {
    if (tools.isUnplanned(candidate)) return null;
    for (const knob of candidate.knobs) {
      if (isStructural(knob) || turned.has(knob.path)) continue;
      turned.set(knob.path, pick(knob.values, next));
    }
    const knobs = candidate.knobs.map((k) => ({ ...k, value: turned.get(k.path) ?? k.value }));
    candidate = planner.plan(mappingOfChoices(tools, choicesOf({ knobs })));
  }
  return tools.isUnplanned(candidate) ? null : candidate;
}

/** A step from where one of the local searches stands: at the best of its points. */
function climbed({ planner, points, next, tools }) {
  const ran = points.filter((p) => p.us !== null);
  const start = Math.floor(points.length / 2) % starts;
  const own = ran.filter((p) => p.from === sourceOf(points.length));
  const begin = start === 0 ? ran[0] : ran.filter((p) => p.from === "draw")[start - 1];
  const from = [...own, ...(begin === undefined ? ran.slice(0, 1) : [begin])];
  const best = from.sort((a, b) => a.us - b.us)[
    next() < 0.7 ? 0 : Math.floor(next() * from.length)
  ];
  if (best === undefined) return null;
  const at = planner.plan(mappingOfChoices(tools, best.choices));
  if (tools.isUnplanned(at)) return null;
  const turned = drawNear(at.knobs, best.choices, next);
  const candidate = planner.plan(mappingOfChoices(tools, turned));
  return tools.isUnplanned(candidate) ? null : candidate;
}

/** Times a candidate that was not there before, and writes it down; whether the bench is lost. */
async function record(state, candidate, from, usual) {
  const { bench, byDefault, points, done, write, known, tools } = state;
  if (done.has(candidate.id) || candidate.statements > mostStatements) return false;
  done.add(candidate.id);
  for (const { path, values: offered } of candidate.knobs) {
    const seen = known.flatMap((l) => (l.knob === path ? l.values : []));
    if (offered.every((v) => seen.includes(v))) continue;
    const line = { knob: path, values: offered };
    write(line);
    known.push(line);
  }
  const { id, statements, kernels } = candidate;
  const choices = choicesOf(candidate);
  const estimates = kernels.map((k) => k.estimateUs);
  const estimateUs = estimates.includes(null) ? null : estimates.reduce((a, b) => a + b, 0);
  write({ trying: true, id, from, choices, statements, estimateUs });
  const begun = performance.now();
  const outcome = await bench.admit(candidate, { timeoutMs: mostMs });
  const firstMs = Math.round(performance.now() - begun);
  const point = { id, from, choices, statements, estimateUs, firstMs };
  const found = tools.isRefusal(outcome)
    ? { us: null, why: `${outcome.kind}: ${outcome.why ?? outcome.ms}` }
    : await timed(state, candidate, usual, outcome.roughUs);
  points.push({ ...point, ...found });
  write({ ...point, ...found });
  if (found.why?.startsWith("timeout") || found.why?.startsWith("lost")) return true;
  if (id !== byDefault.id) bench.release([id]);
  return false;
}

/** The least time of a candidate; of one that is hopeless, the rough one. */
async function timed({ bench, tools }, { id, kernels }, usual, roughUs) {
  if (roughUs > hopeless * usual) return { us: round(roughUs), kernels: {} };
  const samples = await bench.time(Array(spans.count).fill(id), { quanta: spans.quanta });
  const lost = samples.find(tools.isRefusal);
  if (lost !== undefined) return { us: null, why: `${lost.kind}: ${lost.why ?? lost.ms}` };
  const least = (times) => round(Math.min(...times));
  const own = kernels.flatMap(({ name }) => {
    const times = samples.flatMap((s) => s.kernels[name] ?? []);
    return times.length < spans.count ? [] : [[name, least(times)]];
  });
  return {
    us: least(samples.map((s) => s.us)),
    kernels: own.length > 1 ? Object.fromEntries(own) : {},
  };
}

/** To four digits. */
function round(us) {
  return Number(us.toPrecision(4));
}
