// One self-contained page: plots and tables, light and dark.

import { sortLines } from "./lines.js";
import { tablesOf } from "./markdown.js";
import { plotsOf } from "./plots.js";
import { newestRuns, summarise, targets } from "./ratios.js";

const style = `
:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #15181c); --card: light-dark(#f5f6f8, #1e2228);
  --ink: light-dark(#1c2128, #dfe3e8); --faint: light-dark(#5b6470, #98a2ad);
  --grid: light-dark(#dde1e6, #343a42); --good: light-dark(#1a7f37, #57c271); --bad: light-dark(#b3261e, #ff8a80);
  --default: light-dark(#0a6ebd, #58b1ff); --tuned: light-dark(#c24e00, #ff9d4d);
  --fuse-none: light-dark(#00806a, #3fd0b2); --naive: light-dark(#7d8590, #8d96a0);
  --jax-js: light-dark(#8e44ad, #cf9bea); --tfjs: light-dark(#9a7400, #e3bf3f);
  --onnxruntime: light-dark(#b8336a, #ff8fb8);
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 66rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; } h2 { font-size: 1.25rem; margin: 2.6rem 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: 1.05rem; margin: 2rem 0 .2rem; } p { margin: .2rem 0 .8rem; color: var(--faint); max-width: 48rem; }
a { color: var(--default); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem; margin: 1rem 0; }
.tile { background: var(--card); border-radius: .6rem; padding: .8rem 1rem; }
.tile b { display: block; font-size: 1.6rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.tile span { display: block; color: var(--faint); font-size: .86rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
figure { margin: 0; overflow-x: auto; } svg { width: 100%; min-width: 34rem; height: auto; display: block; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .86rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th { color: var(--faint); font-weight: 500; } th:first-child, td:first-child, td.text, th.text { text-align: left; }
details { margin: .6rem 0; } summary { cursor: pointer; color: var(--default); }
`;

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** @param {string} text */
export const escapeHtml = (text) => text.replaceAll(/[&<>"]/g, (c) => escapes[c]);

/** A cell that is no number reads from the left. */
const isText = (cell) => cell !== "" && !/^[\d.-]+( ?(x|%|ms|kB|B per run))?( ±\d+ %)?$/.test(cell);

/** @param {import("./markdown.js").Table} table */
function tableHtml({ head, rows }) {
  const texts = head.map((_, column) => rows.some((row) => isText(row[column] ?? "")));
  const cell = (tag) => (text, column) =>
    `<${tag}${texts[column] ? ' class="text"' : ""}>${escapeHtml(text)}</${tag}>`;
  const body = rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`).join("\n");
  const top = `<tr>${head.map(cell("th")).join("")}</tr>`;
  return `<div class="scroll"><table><thead>${top}</thead><tbody>${body}</tbody></table></div>`;
}

/** What is asked most: means and minima. */
function tilesHtml(byCase) {
  const tiles = Object.entries(targets).flatMap(([who, goal]) => {
    const { cases, mean, least, leastCase } = summarise(byCase, who, ["cases"]);
    if (cases === 0) return [];
    const tile = (value, wanted, text) =>
      `<div class="tile"><span>${escapeHtml(text)}</span><b class="${value >= wanted ? "good" : "bad"}">` +
      `${value.toFixed(2)}x</b><span>wanted: ${wanted}x</span></div>`;
    return [
      tile(mean, goal.mean, `${who}, geometric mean of ${cases} cases`),
      tile(least, goal.least, `${who}, least: ${leastCase}`),
    ];
  });
  return tiles.length === 0 ? "" : `<div class="tiles">${tiles.join("")}</div>`;
}

/** Tables that say the most stand open. */
const opened = ["Against the best peer of each case", "Awkward sizes", "Around the kernels"];

/**
 * The page of some lines of --json.
 * @param {readonly any[]} lines
 * @returns {Promise<string>}
 */
export async function page(lines) {
  const runs = newestRuns(sortLines(lines).records);
  const parts = [];
  for (const { adapter, date, tables } of tablesOf(lines)) {
    const byCase = runs.get(adapter) ?? new Map();
    parts.push(`<h2>${escapeHtml(adapter)}</h2><p>${date}</p>${tilesHtml(byCase)}`);
    for (const { title, note, svg } of await plotsOf(byCase)) {
      parts.push(
        `<h3>${title}</h3><p>${escapeHtml(note)}</p><figure aria-label="${title}">${svg}</figure>`,
      );
    }
    for (const table of tables) {
      const open = opened.includes(table.title) ? " open" : "";
      const heading = `<summary>${escapeHtml(table.title)}</summary>`;
      const note = `<p>${escapeHtml(table.note)}</p>`;
      parts.push(`<details${open}>${heading}${note}${tableHtml(table)}</details>`);
    }
  }
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tc-wgsl beside its peers</title>
<style>${style}</style>
</head>
<body>
<h1>tc-wgsl beside its peers</h1>
<p>Wall clock from the first call to completed work, at least ten calls with all results alive, in turns
on one device. Results were checked against float64 first.</p>
${parts.join("\n")}
</body>
</html>
`;
}
