// The tables as Markdown, and as rows of cells for the page.
import { ownNames, peerNames } from "../flags.js";
import { sortLines } from "./lines.js";
import {
  bestPeer,
  newestRuns,
  peerRatio,
  perOperationRatio,
  relativeLimit,
  summarise,
  targets,
  timeRatio,
} from "./ratios.js";

/** @typedef {import("./ratios.js").Record} Record */
/** @typedef {{ title: string, note: string, head: string[], rows: string[][] }} Table */

const times = (ratio) => (ratio === undefined ? "" : `${ratio.toFixed(2)}x`);
const ms = (record) => {
  if (record?.medianMs === undefined) return "";
  return record.medianMs < 100 ? record.medianMs.toPrecision(3) : record.medianMs.toFixed(0);
};
/** With the spread: the median distance from the median. */
const spreadMs = (record) => {
  if (record?.medianMs === undefined) return "";
  const spread = (100 * (record.madMs ?? 0)) / record.medianMs;
  return `${ms(record)} ±${spread.toFixed(0)} %`;
};
const percent = (record) =>
  record?.ceiling === undefined ? "" : `${(100 * record.ceiling).toFixed(0)} %`;

/**
 * All tables by adapter.
 * @param {readonly any[]} lines
 * @returns {{ adapter: string, date: string, tables: Table[] }[]}
 */
export function tablesOf(lines) {
  const { records, figures } = sortLines(lines);
  const adapters = newestRuns(records);
  for (const { adapter } of figures) if (!adapters.has(adapter)) adapters.set(adapter, new Map());
  return [...adapters].map(([adapter, byCase]) => {
    const mine = figures.filter((f) => f.adapter === adapter);
    const tables = [
      meansTable(byCase),
      casesTable(byCase, "cases", "Cases"),
      casesTable(byCase, "recurrent", "Recurrent layers"),
      relativesTable(byCase),
      cliffTable(byCase),
      scalingTable(byCase),
      timesTable(byCase),
      notesTable(byCase),
      figuresTable(mine),
    ];
    const dates = [...byCase.values()].flat().concat(mine);
    const date =
      dates
        .map((r) => r.date.slice(0, 10))
        .sort()
        .at(-1) ?? "";
    return {
      adapter,
      date,
      tables: tables.filter((table) => table.rows.length > 0).map(withoutEmpty),
    };
  });
}

/** Without the columns in which nothing stands. @param {Table} table @returns {Table} */
function withoutEmpty({ title, note, head, rows }) {
  const filled = head.map((_, column) => rows.some((row) => row[column] !== ""));
  const keep = (row) => row.filter((_, column) => filled[column]);
  return { title, note, head: keep(head), rows: rows.map(keep) };
}

/** @param {ReadonlyMap<string, readonly Record[]>} byCase @returns {Table} */
function meansTable(byCase) {
  const rows = ["cases", "recurrent"].flatMap((group) =>
    ownNames.flatMap((who) => {
      const { cases, mean, least, leastCase } = summarise(byCase, who, [group]);
      if (cases === 0) return [];
      const goal = targets[who];
      const wanted = goal === undefined ? "" : `${goal.mean}x, none below ${goal.least}x`;
      return [[group, who, String(cases), times(mean), times(least), leastCase, wanted]];
    }),
  );
  return {
    title: "Against the best peer of each case",
    note: "Geometric means; each ratio counts at most 4. Peers that compute elsewhere do not count.",
    head: ["group", "ours", "cases", "mean", "least", "of", "target"],
    rows,
  };
}

/** @returns {Table} */
function casesTable(byCase, group, title) {
  const rows = [...byCase].flatMap(([name, records]) => {
    if (records[0]?.group !== group) return [];
    const find = (who) => records.find((r) => r.who === who);
    return [
      [
        name,
        bestPeer(records)?.who ?? "",
        ...ownNames.map((who) => times(peerRatio(records, who))),
        times(timeRatio(records, "default", "fuse none")),
        String(find("default")?.dispatches ?? ""),
        percent(find("default")),
        percent(find("tuned")),
      ],
    ];
  });
  return {
    title,
    note: "How many times as fast as the best peer; dispatches and parts of the ceiling are ours.",
    head: [
      "case",
      "best peer",
      ...ownNames,
      "default's time / fuse none's",
      "dispatches",
      "ceiling, default",
      "ceiling, tuned",
    ],
    rows,
  };
}

/** Median and spread of each. @returns {Table} */
function timesTable(byCase) {
  const members = [...byCase.values()].filter((records) => records[0]?.curve === undefined);
  const everybody = [...ownNames, ...peerNames];
  return {
    title: "All times",
    note: "Milliseconds of a call: the median of the rounds, and the median distance from it.",
    head: ["case", ...everybody],
    rows: members.map((records) => [
      records[0].case,
      ...everybody.map((who) => spreadMs(records.find((r) => r.who === who))),
    ]),
  };
}

/** @returns {Table} */
function relativesTable(byCase) {
  const rows = [...byCase].flatMap(([name, records]) => {
    const [{ relative, group }] = records;
    if (relative === undefined || group !== "relatives") return [];
    const mine = records.find((r) => r.who === "default");
    const ratio = perOperationRatio(byCase, name, relative, "default");
    const verdict = ratio === undefined ? "" : ratio <= relativeLimit ? "yes" : "no";
    return [[name, relative, ms(mine), String(mine?.dispatches ?? ""), times(ratio), verdict]];
  });
  return {
    title: "Relatives that nobody tuned for",
    note: `Time per operation over that of the plain case, default options; at most ${relativeLimit}x is wanted.`,
    head: ["case", "plain case", "ms", "dispatches", "per operation", `within ${relativeLimit}x`],
    rows,
  };
}

/** @returns {Table} */
function cliffTable(byCase) {
  const rows = [...ownNames, ...peerNames].flatMap((who) => {
    const ratio = perOperationRatio(byCase, "matmul 509", "matmul 512", who);
    return ratio === undefined ? [] : [[who, times(ratio)]];
  });
  return {
    title: "Awkward sizes",
    note: "Matmul 509 over 512, time per operation; at most 1.15x is wanted of default.",
    head: ["who", "509 over 512"],
    rows,
  };
}

/** @returns {Table} */
function scalingTable(byCase) {
  const points = [...byCase.values()].filter((records) => records[0]?.curve !== undefined);
  const everybody = [...new Set(points.flat().map((r) => r.who))];
  return {
    title: "Time against size",
    note: "Milliseconds of a call.",
    head: ["case", ...everybody],
    rows: points.map((records) => [
      records[0].case,
      ...everybody.map((who) => ms(records.find((r) => r.who === who))),
    ]),
  };
}

/** Who could not, or is not ranked. @returns {Table} */
function notesTable(byCase) {
  const rows = [...byCase].flatMap(([name, records]) =>
    records.flatMap(({ who, group, unsupported, unranked }) => {
      const quiet = group === "relatives" && !ownNames.includes(who);
      if (quiet || (unsupported ?? unranked) === undefined) return [];
      return [
        [
          name,
          who,
          unsupported === undefined ? "unranked" : "unsupported",
          unsupported ?? unranked,
        ],
      ];
    }),
  );
  return { title: "Without a rank", note: "", head: ["case", "who", "", "why"], rows };
}

/** @returns {Table} */
function figuresTable(figures) {
  const rows = figures.map(({ figure, of, value, unit, target }) => [
    figure,
    of,
    `${Number(value.toPrecision(3))} ${unit}`.trim(),
    target === undefined ? "" : `${target} ${unit}`.trim(),
  ]);
  return {
    title: "Around the kernels",
    note: "",
    head: ["figure", "of", "value", "at most"],
    rows,
  };
}

/** @param {readonly any[]} lines */
export function markdownTables(lines) {
  return tablesOf(lines)
    .map(({ adapter, date, tables }) => {
      const parts = tables.map(({ title, note, head, rows }) => {
        const line = (cells) => `| ${cells.join(" | ")} |\n`;
        const table = line(head) + line(head.map(() => "---")) + rows.map(line).join("");
        return `### ${title}\n\n${note === "" ? "" : `${note}\n\n`}${table}`;
      });
      return `## ${date}, ${adapter}\n\n${parts.join("\n")}`;
    })
    .join("\n");
}
