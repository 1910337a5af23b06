/** A report as one page of HTML: it loads nothing, runs nothing, and is light or dark as its reader wants. */
import type { Figures } from "../events.ts";
import type { KnobEffect } from "./knob-effects.ts";
import { element, type Markup, type MarkupElement, printMarkup } from "./markup.ts";
import { plot } from "./plot.ts";
import type {
  Environment,
  ReportCandidate,
  ReuseLosses,
  RunReport,
  TuningReport,
} from "./report.ts";
import { type Cell, table } from "./table.ts";

const style = `
:root { color-scheme: light dark; --paper: light-dark(#fff, #15181c); --card: light-dark(#f5f6f8, #1e2228);
  --ink: light-dark(#1c2128, #dfe3e8); --faint: light-dark(#5b6470, #98a2ad); --grid: light-dark(#dde1e6, #343a42);
  --one: light-dark(#0a6ebd, #58b1ff); --two: light-dark(#c24e00, #ff9d4d); }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.6rem; } h3 { margin: 2rem 0 .2rem; }
h1, h2, code { overflow-wrap: anywhere; } p { color: var(--faint); max-width: 48rem; margin: .2rem 0 .8rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: .8rem; }
.tile { background: var(--card); border-radius: .6rem; padding: .8rem 1rem; }
.tile b { display: block; font-size: 1.5rem; } .tile span { color: var(--faint); font-size: .86rem; }
figure { margin: 0; overflow-x: auto; } svg { width: 100%; min-width: 30rem; max-width: 52rem; display: block; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: left; border-bottom: 1px solid var(--grid); vertical-align: top; }
th { color: var(--faint); font-weight: 500; } .number { text-align: right; white-space: nowrap; }
.grid { stroke: var(--grid); } .even { stroke: var(--faint); stroke-dasharray: 4 3; }
.tick, .name { fill: var(--faint); font-size: 12px; } .steps { fill: none; stroke: var(--two); stroke-width: 2; }
.point { fill: var(--one); fill-opacity: .7; } .best { fill: var(--two); fill-opacity: 1; }
pre { background: var(--card); border-radius: .6rem; padding: .8rem 1rem; overflow-x: auto; font-size: .8rem; }
`;

/** The text of the page. */
export function reportPage(report: TuningReport): string {
  const names = [...new Set(report.runs.map(({ def }) => def))].join(", ");
  const title = `Tuning of ${names === "" ? "nothing" : names}`;
  const head = element(
    "head",
    {},
    element("meta", { charset: "utf-8" }),
    element("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
    element("title", {}, title),
    element("style", {}),
  );
  const body = element(
    "body",
    {},
    element("h1", {}, title),
    ...report.runs.flatMap(runSection),
    ...reuseSection(report.reuse),
    ...environmentSection(report.environment),
  );
  const text = printMarkup(element("html", { lang: "en" }, head, body));
  // Rules are no text of the page: they are not escaped, and nothing of a run is among them.
  return `<!doctype html>\n${text.replace("<style></style>", () => `<style>${style}</style>`)}\n`;
}

function runSection(run: RunReport): readonly Markup[] {
  const sizes = Object.entries(run.sizes).map(([name, value]) => `${name}=${value}`);
  const steps = run.best.map(({ i, us, atMs }) => ({ i, us, s: atMs / 1000 }));
  const ran = run.candidates.filter(({ us }) => us !== null);
  const best = new Set(run.best.map(({ i }) => i));
  const points = (x: (c: ReportCandidate) => number | null) =>
    ran.map((c) => ({
      ...{ x: x(c) ?? Number.NaN, y: c.us ?? Number.NaN, kind: best.has(c.i) ? "best" : "ok" },
      title: `candidate ${c.i}, ${c.from}: ${micros(c.us)}`,
    }));
  const time = { label: "microseconds", log: true };
  return [
    element("h2", {}, [run.def, ...sizes].join(" ")),
    ...summary(run),
    ...figure(
      "Best so far, over candidates",
      "Every point is a candidate that ran, with its rough time; the line is the best after comparisons in turns.",
      plot({
        title: "time of candidates, and of the best so far, by their number",
        x: { label: "candidate", log: false },
        y: time,
        points: points((c) => c.i),
        steps: steps.map(({ i, us }) => ({ x: i, y: us })),
      }),
    ),
    ...figure(
      "Best so far, over time",
      "The same by seconds since the start.",
      plot({
        title: "time of candidates, and of the best so far, by seconds",
        x: { label: "seconds", log: false },
        y: time,
        points: points((c) => c.atMs / 1000),
        steps: steps.map(({ s, us }) => ({ x: s, y: us })),
      }),
    ),
    ...figure(
      "Estimate against measurement",
      "On the dashed line an estimate is right; what counts is that the order is.",
      plot({
        title: "estimated and measured time of candidates",
        x: { label: "estimated microseconds", log: true },
        y: { label: "measured microseconds", log: true },
        points: points((c) => c.estimateUs),
        diagonal: true,
      }),
    ),
    ...knobSection(run.knobs),
    ...rejectedSection(run.candidates),
    ...optionsSection(run),
  ];
}

function figure(title: string, note: string, drawn: MarkupElement | null): readonly Markup[] {
  if (drawn === null) return [];
  return [element("h3", {}, title), element("p", {}, note), element("figure", {}, drawn)];
}

/** What became of it, and the table of samples, mean, variance, median, min and max. */
function summary(run: RunReport): readonly Markup[] {
  const { result, speedup, clock, adapter } = run;
  const tile = (value: string, words: string): MarkupElement =>
    element("div", { class: "tile" }, element("b", {}, value), element("span", {}, words));
  const tried = result === null ? run.candidates.length : total(result.counts);
  const ok = result?.counts.ok ?? run.candidates.filter((c) => c.status === "ok").length;
  const end = result === null ? "it did not come to an end" : endText(result.why, result.complete);
  return [
    element(
      "p",
      {},
      `${adapter}; effort ${run.effort}, seed ${run.seed}; clock ${clock.kind}, in steps of ${clock.quantumNs} ns`,
    ),
    element(
      "div",
      { class: "tiles" },
      tile(speedup === null ? "unknown" : `${figureText(speedup)}x`, "as fast as the default"),
      tile(micros(result?.tuned?.us ?? null), "tuned, median of the final duel"),
      tile(micros(result?.default?.us ?? null), "default"),
      tile(`${ok} of ${tried}`, "candidates ran and passed"),
      tile(seconds(result?.elapsedMs ?? run.candidates.at(-1)?.atMs ?? 0), end),
    ),
    element("h3", {}, "Samples"),
    table(
      ["", "samples", "mean", "variance", "median", "min", "max", "deviation"],
      [figuresRow("default", result?.default ?? null), figuresRow("tuned", result?.tuned ?? null)],
    ),
    element(
      "p",
      {},
      "Microseconds of one execution, variance in their squares; deviation is the median one from the median.",
    ),
    ...run.notes.map((note) => element("p", {}, `Note: ${note}`)),
  ];
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

function endText(why: string, complete: boolean): string {
  return complete ? `until the end: ${why}` : `not complete: ${why}`;
}

function figuresRow(name: string, f: Figures | null): readonly Cell[] {
  if (f === null) return [name, "not measured"];
  const { n, mean, variance, us, min, max, mad } = f;
  return [name, n, mean, variance, us, min, max, mad];
}

const [mostKnobs, mostRejected] = [24, 200];

function knobSection(knobs: readonly KnobEffect[]): readonly Markup[] {
  if (knobs.length === 0) return [];
  const rows = knobs.slice(0, mostKnobs).map(({ path, effect, values }): readonly Cell[] => {
    const list = values.map((v) => `${v.value}: ${figureText(v.best)} (${v.n})`).join(", ");
    return [path, effect, list];
  });
  return [
    element("h3", {}, "What each knob does"),
    element(
      "p",
      {},
      "Per value the best time in microseconds of candidates that have it, and how many ran. Effect: how much slower " +
        "the best of the others is. Knobs are not chosen independently: this is a view, not a cause.",
    ),
    table(["knob", "effect", "values, the fastest first"], rows),
    left(knobs.length, mostKnobs),
  ];
}

function rejectedSection(candidates: readonly ReportCandidate[]): readonly Markup[] {
  const rejected = candidates.filter(({ status }) => status !== "ok");
  if (rejected.length === 0) return [];
  const rows = rejected
    .slice(0, mostRejected)
    .map(({ i, status, from, why }): readonly Cell[] => [i, status, from, why ?? ""]);
  return [
    element("h3", {}, "Rejected"),
    table(["candidate", "as", "from", "because"], rows),
    left(rejected.length, mostRejected),
  ];
}

/** That not all are shown. */
function left(all: number, shown: number): Markup {
  return all > shown ? element("p", {}, `and ${all - shown} more, in the report as JSON`) : null;
}

function optionsSection({ result }: RunReport): readonly Markup[] {
  if (result === null) return [];
  const algorithm =
    result.alternative === null
      ? []
      : [element("p", {}, `The algorithm is that of ${result.alternative}.`)];
  return [
    element("h3", {}, "Options"),
    ...algorithm,
    element("pre", {}, JSON.stringify(result.options, null, 2)),
  ];
}

function reuseSection(reuse: ReuseLosses | null): readonly Markup[] {
  if (reuse === null) return [];
  const rows = reuse.sizes.map((sizes, n): readonly Cell[] => [
    sizes,
    ...(reuse.losses[n] ?? []).map((loss) => loss ?? "-"),
  ]);
  return [
    element("h2", {}, "Reuse at other sizes"),
    element("p", {}, "Time over the best time known at the size, by the options that were used."),
    table(["sizes", ...reuse.options], rows),
  ];
}

function environmentSection(environment: Environment): readonly Markup[] {
  const rows = Object.entries(environment);
  return rows.length === 0 ? [] : [element("h2", {}, "Environment"), table(["", ""], rows)];
}

function micros(us: number | null): string {
  return us === null ? "unknown" : `${figureText(us)} us`;
}

function seconds(ms: number): string {
  return `${figureText(ms / 1000)} s`;
}

function figureText(value: number): string {
  return String(Number(value.toPrecision(3)));
}
