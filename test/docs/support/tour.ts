/** The texts of every stage of one compilation, for the tour of ARCHITECTURE.md. */

import { printStage } from "../../../src/api/print-stage.ts";
import { printPlan } from "../../../src/codegen/print-plan.ts";
import { type Compiled, type CompileRequest, compile } from "../../../src/compile.ts";
import { type Dependence, dependences } from "../../../src/ir/dependences/dependences.ts";
import { type Value, valuesOf } from "../../../src/ir/dependences/values.ts";
import type { BarrierSite } from "../../../src/ir/legality/place-barriers.ts";
import { synchronise } from "../../../src/ir/legality/synchronise.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { eachLeaf, printSchedule, type ScheduleNode } from "../../../src/ir/schedule.ts";

export const tourStages = [
  "program",
  "values",
  "dependences",
  "decisions",
  "schedule",
  "default-schedule",
  "rewritten",
  "barriers",
  "kernel",
  "wgsl",
  "plan",
  "default-plan",
] as const;

export type TourStage = (typeof tourStages)[number];

/** Whether a word names a stage of the tour. */
export function isTourStage(word: string): word is TourStage {
  return tourStages.some((stage) => stage === word);
}

function compiled(source: string, request: CompileRequest): Compiled {
  const result = compile(source, request);
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  return result;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, c) => Math.max(...rows.map((row) => row[c]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]): string =>
    row
      .map((cell, c) => cell.padEnd(widths[c] ?? 0))
      .join("  ")
      .trimEnd();
  return `${rows.map(line).join("\n")}\n`;
}

function origin({ origin: o }: Value): string {
  switch (o.kind) {
    case "start":
      return "what it holds at the start";
    case "statement":
      return `written by ${o.statement}`;
    case "phi":
      return `at the start of an iteration of ${o.loop}; then ${o.carried}`;
  }
}

function printValues(program: Program): string {
  return columns(
    valuesOf(program).values.map((v) => [
      v.id,
      origin(v),
      v.prev === null ? "" : `after ${v.prev}`,
    ]),
  );
}

function printDependences(found: readonly Dependence[]): string {
  const end = ({ statement, access }: Dependence["from"]): string =>
    `${statement}.${access === "write" ? access : `read${access}`}`;
  return columns(
    found.map((d) => [
      d.kind,
      d.tensor,
      `${end(d.from)} -> ${end(d.to)}`,
      d.level === "independent" ? "no loop carries it" : `carried by loop ${d.level}`,
      d.exact ? "exact" : "conservative",
    ]),
  );
}

/** The first leaf in a node, for saying where a barrier stands. */
function firstLeaf(node: ScheduleNode | undefined): string {
  const [first] = node === undefined ? [] : eachLeaf(node);
  return first === undefined ? "" : `${first.leaf.statement}.${first.leaf.phase}`;
}

function printBarriers(barriers: readonly BarrierSite[]): string {
  const lines = barriers.map((site) =>
    site.kind === "loop-end"
      ? `barrier(${site.memory}) at the end of each iteration of ${site.loop}`
      : `barrier(${site.memory}) before ${firstLeaf(site.sequence.children[site.child])}`,
  );
  return `${lines.join("\n")}\n`;
}

function printDecisions({ decisions }: Compiled): string {
  return columns(
    decisions.map(({ path, values, value }) => {
      const all = values.length > 8 ? [...values.slice(0, 4), "...", values.at(-1)] : values;
      return [path, all.join(" | "), String(value)];
    }),
  );
}

/** The steps and buffers of a plan, without its kernels. */
function planHead(plan: Compiled["plan"]): string {
  return `${printPlan(plan).split("\n\n")[0] ?? ""}\n`;
}

/** The text of every stage: with the request's options, and by default. */
export function tourTexts(
  source: string,
  request: CompileRequest,
): Readonly<Record<TourStage, string>> {
  const tuned = compiled(source, request);
  const plain = compiled(source, { ...request, options: "default" });
  const stages: Record<string, string> = {};
  compile(source, { ...request, onStage: (made) => (stages[made.stage] = printStage(made)) });
  const { program, schedule } = tuned.mapped;
  return {
    program: printProgram(tuned.program),
    values: printValues(tuned.program),
    dependences: printDependences(dependences(tuned.program)),
    decisions: printDecisions(tuned),
    rewritten: printProgram(program),
    "default-schedule": printSchedule(plain.mapped.schedule),
    schedule: printSchedule(schedule),
    barriers: printBarriers(synchronise(program, schedule)),
    kernel: stages["kernel"] ?? "",
    wgsl: stages["wgsl"] ?? "",
    plan: planHead(tuned.plan),
    "default-plan": planHead(plain.plan),
  };
}
