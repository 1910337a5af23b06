// Plots as SVG text, drawn by Vega-Lite. Colours are variables of the page, for light and dark.
import { parse, View } from "vega";
import { compile } from "vega-lite";
import { ownNames, peerNames } from "../flags.js";
import { bestPeer, peerRatio, perOperationRatio, relativeLimit } from "./ratios.js";

/** @typedef {import("./ratios.js").Record} Record */
/** @typedef {ReadonlyMap<string, readonly Record[]>} ByCase */
/** @typedef {{ title: string, note: string, svg: string }} Plot */

const everybody = [...ownNames, ...peerNames];
/** The page's variable for a contestant. */
const colourOf = (who) => `var(--${who.replaceAll(" ", "-")})`;

const config = {
  background: null,
  font: "system-ui, sans-serif",
  view: { stroke: null },
  axis: {
    labelColor: "var(--ink)",
    titleColor: "var(--faint)",
    titleFontWeight: "normal",
    gridColor: "var(--grid)",
    domainColor: "var(--grid)",
    tickColor: "var(--grid)",
    labelFontSize: 12,
    titleFontSize: 12,
    labelLimit: 280,
  },
  legend: {
    labelColor: "var(--ink)",
    labelFontSize: 12,
    title: null,
    orient: "top",
    symbolSize: 110,
    columnPadding: 14,
  },
  header: { labelColor: "var(--ink)", labelFontSize: 13, title: null, labelFontWeight: 600 },
};

/** One colour per contestant that occurs. */
function whoColour(values) {
  const domain = everybody.filter((who) => values.some((v) => v.who === who));
  return { field: "who", scale: { domain, range: domain.map(colourOf) } };
}

async function draw(spec) {
  const { spec: vega } = compile({ ...spec, config });
  const svg = await new View(parse(vega), { renderer: "none" }).toSVG();
  // The width follows the page; the height follows the width.
  return svg.replace(/ width="([\d.]+)" height="[\d.]+"/, ' style="max-width:$1px"');
}

/** Which case, from the top, in the order of the measurements. */
const caseAxis = {
  field: "case",
  type: "nominal",
  sort: null,
  title: null,
  axis: { labelPadding: 6, labelLimit: 420, ticks: false, domain: false },
};
/** The same for bars, which keep a distance. */
const barAxis = { ...caseAxis, scale: { paddingInner: 0.35 } };

/** A line at a value, with its name at the upper end. */
function rule(value, text, colour = "var(--ink)") {
  return [
    {
      data: { values: [{ at: value }] },
      mark: { type: "rule", color: colour, strokeDash: [4, 3] },
      encoding: { x: { field: "at", type: "quantitative" } },
    },
    {
      data: { values: [{ at: value }] },
      mark: {
        type: "text",
        text,
        color: colour,
        align: "left",
        dx: 4,
        dy: -6,
        baseline: "bottom",
        y: 0,
      },
      encoding: { x: { field: "at", type: "quantitative" } },
    },
  ];
}

/** How many times as fast as the best peer. @param {ByCase} byCase @returns {Promise<Plot[]>} */
async function ratios(byCase) {
  const shown = ["default", "tuned"];
  const values = [...byCase].flatMap(([name, records]) =>
    ["cases", "recurrent"].includes(records[0]?.group ?? "")
      ? shown.flatMap((who) => {
          const ratio = peerRatio(records, who);
          return ratio === undefined ? [] : [{ case: name, who, ratio, one: 1 }];
        })
      : [],
  );
  if (values.length === 0) return [];
  const scale = { type: "log", base: 2, nice: false };
  const svg = await draw({
    width: 560,
    height: { step: 13 },
    data: { values },
    layer: [
      {
        mark: { type: "bar", cornerRadiusEnd: 2 },
        encoding: {
          y: barAxis,
          yOffset: { field: "who", sort: shown },
          x: {
            field: "ratio",
            type: "quantitative",
            scale,
            title: "times as fast as the best peer",
            axis: { format: "~r", grid: true, values: [0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] },
          },
          x2: { field: "one" },
          color: whoColour(values),
        },
      },
      ...rule(1, ""),
    ],
  });
  const title = "Ours against the best peer";
  return [{ title, note: "Logarithmic: bars to the right are faster, to the left slower.", svg }];
}

/** Fractions of the ceiling. @param {ByCase} byCase @returns {Promise<Plot[]>} */
async function ceilings(byCase) {
  const values = [...byCase].flatMap(([name, records]) => {
    if (!["cases", "recurrent"].includes(records[0]?.group ?? "")) return [];
    const shown = records.filter((r) => r.who === "default" || r.who === "tuned");
    const best = bestPeer(records);
    return [...shown, ...(best === undefined ? [] : [best])].flatMap(({ who, ceiling }) =>
      ceiling === undefined ? [] : [{ case: name, who, part: ceiling }],
    );
  });
  if (values.length === 0) return [];
  const svg = await draw({
    width: 560,
    height: { step: 22 },
    data: { values },
    layer: [
      {
        mark: { type: "point", filled: true, size: 80, opacity: 0.9 },
        encoding: {
          y: { ...caseAxis, axis: { ...caseAxis.axis, grid: true } },
          x: {
            field: "part",
            type: "quantitative",
            title: "part of the adapter's ceiling",
            axis: { format: "~%" },
          },
          color: whoColour(values),
        },
      },
    ],
  });
  const note = "100 % is what measured multiply-adds, or a measured copy, would take.";
  return [{ title: "Of the ceiling: default, tuned and the best peer", note, svg }];
}

/** Time against size. @param {ByCase} byCase @returns {Promise<Plot[]>} */
async function curves(byCase) {
  const values = [...byCase.values()]
    .flat()
    .flatMap(({ curve, size, who, medianMs }) =>
      curve === undefined || medianMs === undefined ? [] : [{ curve, size, who, ms: medianMs }],
    );
  if (values.length === 0) return [];
  const log = { type: "log", nice: false };
  const svg = await draw({
    data: { values },
    facet: { field: "curve", type: "nominal", sort: null, columns: 3 },
    columns: 3,
    resolve: { scale: { x: "independent", y: "independent" } },
    spec: {
      width: 210,
      height: 210,
      layer: [
        {
          mark: { type: "line", point: { size: 28, filled: true }, strokeWidth: 2 },
          encoding: {
            x: {
              field: "size",
              type: "quantitative",
              scale: { ...log, base: 2 },
              title: "size",
              axis: { format: ".3~s", tickCount: 4 },
            },
            y: {
              field: "ms",
              type: "quantitative",
              scale: log,
              title: "ms of a call",
              axis: { format: "~g", tickCount: 4 },
            },
            color: whoColour(values),
          },
        },
      ],
    },
  });
  return [{ title: "Time against size", note: "Both axes are logarithmic.", svg }];
}

/** Relatives. @param {ByCase} byCase @returns {Promise<Plot[]>} */
async function relatives(byCase) {
  const values = [...byCase].flatMap(([name, records]) => {
    const { relative, group } = records[0] ?? {};
    if (relative === undefined || group !== "relatives") return [];
    const ratio = perOperationRatio(byCase, name, relative, "default");
    return ratio === undefined ? [] : [{ case: name, who: "default", ratio }];
  });
  if (values.length === 0) return [];
  const svg = await draw({
    width: 480,
    height: { step: 24 },
    data: { values },
    layer: [
      {
        mark: { type: "bar", cornerRadiusEnd: 2 },
        encoding: {
          y: barAxis,
          x: {
            field: "ratio",
            type: "quantitative",
            title: "time per operation over that of the plain case",
          },
          color: { ...whoColour(values), legend: null },
        },
      },
      ...rule(relativeLimit, `${relativeLimit}x`),
    ],
  });
  return [{ title: "Relatives that nobody tuned for", note: "Shorter is faster.", svg }];
}

/** All plots of an adapter. @param {ByCase} byCase @returns {Promise<Plot[]>} */
export async function plotsOf(byCase) {
  const drawn = [];
  for (const plot of [ratios, ceilings, curves, relatives]) drawn.push(...(await plot(byCase)));
  return drawn;
}
