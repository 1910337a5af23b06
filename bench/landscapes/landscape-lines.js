// Recorded lines as a landscape, and a landscape as the lines that it was recorded as, to record more.
import { choicesOf, mappingOfChoices, sourceOf } from "./record-points.js";

/** @typedef {import("../../dist/tune.js").Landscape} Landscape */
/** @typedef {import("./record-points.js").Line} Line */

/**
 * The first line of a file: what its points are of.
 * @typedef {object} Head
 * @property {string} class
 * @property {import("../../dist/tune.js").TuningTask} task
 * @property {string} adapter
 * @property {import("../../dist/tune.js").StoredDevice} [device]
 * @property {string} [generator]
 */

/** @param {Omit<Landscape, "points" | "paths" | "values" | "default" | "wishes">} of @returns {Head} */
export function headOf({ name, task, adapter, device, generator }) {
  return { class: name, task, adapter, device, generator };
}

/**
 * Why points of one head are no points of another one; null if they are.
 * @param {Head} found
 * @param {Head} wanted
 */
export function otherPoints(found, wanted) {
  const differs = (name) => JSON.stringify(found[name]) !== JSON.stringify(wanted[name]);
  if (differs("task")) {
    return `its points are of other sizes, or of another source (${JSON.stringify(found.task?.sizes)})`;
  }
  if (differs("adapter")) return `its points are of ${found.adapter}, not of ${wanted.adapter}`;
  if (found.generator === undefined) {
    return `it does not say which generator made its points, this one is ${wanted.generator}`;
  }
  if (differs("generator")) {
    return `its points are of generator ${found.generator}, this one is ${wanted.generator}`;
  }
  if (differs("device")) return `its points are of another driver: ${found.device?.driver}`;
  return null;
}

/** All values of each path: numbers ascending, others in the order in which the space has them. */
function valuesOf(lines) {
  const values = new Map();
  for (const { knob, values: offered } of lines) {
    if (knob === undefined) continue;
    const known = values.get(knob) ?? [];
    values.set(knob, [...known, ...offered.filter((v) => !known.includes(v))]);
  }
  for (const known of values.values()) {
    if (known.every((v) => typeof v === "number")) known.sort((a, b) => a - b);
  }
  return values;
}

/** @param {readonly Line[]} lines @returns {Landscape} */
export function landscapeOf(lines) {
  const [{ class: name, task, adapter, device, generator }] = lines;
  const values = valuesOf(lines);
  const points = lines.filter((l) => l.id !== undefined && l.trying === undefined);
  return {
    ...{ name, task, adapter, device, generator },
    default: points.findIndex((p) => p.from === "wish 0"),
    wishes: points.flatMap((p, n) => (/^wish [1-9]/.test(p.from) ? [n] : [])),
    paths: [...values.keys()],
    values: [...values.values()],
    points: points.map(({ choices, us, kernels = {}, firstMs, statements, estimateUs }) => ({
      at: [...values].map(([path, known]) => known.indexOf(choices[path])),
      us,
      kernels,
      firstMs,
      statements,
      estimateUs,
    })),
  };
}

/** Where a point came from: a wish, else what comes next where there are so many. @param {Landscape} landscape */
function sourcesOf({ default: usual, wishes, points }) {
  return points.map((_, n) => {
    if (n === usual) return "wish 0";
    const wish = wishes.indexOf(n);
    return wish < 0 ? sourceOf(n) : `wish ${wish + 1}`;
  });
}

/**
 * The lines that a landscape was recorded as; or why there is nothing to be added to it. Each point is planned: what is
 * planned otherwise by now was another candidate.
 * @param {Landscape} landscape
 * @param {Head} head of what is to be recorded
 * @param {Pick<import("../../dist/tune.js").Planner, "plan">} planner
 * @param {import("./record-points.js").Tools} tools
 * @returns {readonly Line[] | string}
 */
export function linesOfLandscape(landscape, head, planner, tools) {
  const why = otherPoints(headOf(landscape), head);
  if (why !== null) return why;
  const { paths, values, points } = landscape;
  const sources = sourcesOf(landscape);
  const lines = [head, ...paths.map((knob, n) => ({ knob, values: values[n] }))];
  for (const [n, { at, us, ...point }] of points.entries()) {
    const own = paths.flatMap((path, k) => (at[k] < 0 ? [] : [[path, values[k][at[k]]]]));
    const candidate = planner.plan(mappingOfChoices(tools, Object.fromEntries(own)));
    const isSame =
      !tools.isUnplanned(candidate) &&
      candidate.statements === point.statements &&
      sameChoices(choicesOf(candidate), own);
    if (!isSame) return `its point ${n} is planned otherwise by now`;
    const found = us === null ? { us, why: "as it was recorded" } : { us };
    lines.push({
      ...point,
      id: candidate.id,
      from: sources[n],
      choices: choicesOf(candidate),
      ...found,
    });
  }
  return lines;
}

function sameChoices(choices, own) {
  return (
    Object.keys(choices).length === own.length && own.every(([path, v]) => choices[path] === v)
  );
}
