/** `run --find-nonfinite`: what made the first NaN or infinity. */
import type { CompileRequest, HostTensors, NonfiniteElements, NonfiniteOrigin } from "./api.ts";
import type { Context } from "./context.ts";
import { plural } from "./reporter.ts";

/** Searches, and tells what was found. `outputs` are those of the run. */
export function tellNonfinite(
  { line, report, tools }: Context,
  source: string,
  request: CompileRequest,
  inputs: HostTensors,
  outputs: HostTensors,
): void {
  const budget = line.verifyBudgetMs;
  const found = tools.findNonfinite(source, inputs, outputs, request, budget);
  const origins = [found.infinity, found.nan].map((origin) =>
    origin === null ? null : { ...origin, ...positionOf(source, origin.span.start) },
  );
  const [infinity = null, nan = null] = origins;
  const { inputs: given, outputs: made, searched } = found;
  report.record("nonfinite", {
    inputs: given,
    outputs: made,
    ...(infinity === null ? {} : { infinity }),
    ...(nan === null ? {} : { nan }),
    searched,
  });
  const lines = [
    ...found.inputs.map((one) => `input ${countText(one)}`),
    ...found.outputs.map((one) => `output ${countText(one)}`),
    ...(found.infinity === null
      ? []
      : originText("infinity", found.infinity, source, request.file)),
    ...(found.nan === null ? [] : originText("NaN", found.nan, source, request.file)),
  ];
  const nothing = found.infinity === null && found.nan === null;
  const seconds = budget / 1000;
  if (found.searched === "nothing") {
    lines.push(
      `the search takes longer than ${seconds} s: nothing was searched`,
      "  next: give more time with --verify-budget, or smaller sizes",
    );
  } else if (nothing && found.outputs.length > 0 && found.inputs.length > 0) {
    lines.push(
      "no operation makes one of finite numbers: those of the outputs come from the inputs",
      "  next: see where the inputs have them from, or leave them out with a condition",
    );
  } else if (nothing && found.outputs.length > 0) {
    lines.push(
      "no operation makes one in float32, in the order of the program: the device's order, range or functions do",
      "  next: see which statement it is with --dump, or run it with --options naive",
    );
  } else if (nothing) {
    lines.push("no NaN and no infinity is made, in float32 and in the order of the program");
  }
  if (found.searched === "element" && !nothing) {
    lines.push(
      `(what ${placeText(found.outputs[0])} needs was searched; all takes longer than ${seconds} s)`,
    );
  }
  report.data(`\n${lines.join("\n")}\n`);
}

function placeText(one: NonfiniteElements | undefined): string {
  return one === undefined ? "it" : elementText(one.tensor, one.index);
}

function countText({ tensor, count, index, value }: NonfiniteElements): string {
  const first = `${elementText(tensor, index)} = ${numberText(value)}`;
  return `${tensor}: ${plural(count, "element")} not finite, the first ${first}`;
}

function elementText(tensor: string, index: readonly number[]): string {
  return `${tensor}(${index.join(", ")})`;
}

function originText(
  what: string,
  { tensor, index, at, operation, value, operands, span }: NonfiniteOrigin,
  source: string,
  file: string,
): readonly string[] {
  const { line, column } = positionOf(source, span.start);
  const where = Object.entries(at).map(([name, n]) => `${name} = ${n}`);
  return [
    `first ${what}: in ${elementText(tensor, index)}${where.length === 0 ? "" : `, at ${where.join(", ")}`}`,
    `  ${file}:${line}:${column}: ${source.slice(span.start, span.end).split("\n")[0] ?? ""}`,
    `  ${operation} = ${numberText(value)}`,
    ...operands.map((one) => `    ${one.text} = ${numberText(one.value)}`),
  ];
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e9 || size < 1e-4)) {
    return value.toExponential(8).replace(/\.?0+e/, "e");
  }
  return String(Number(value.toPrecision(9)));
}

/** Line and column from 1. */
function positionOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
