/**
 * Every diagnostic: its data, its text. TC1xxx syntax, TC2xxx names and types, TC3xxx ranges and
 * bounds, TC4xxx loops and in-place updates, TC5xxx limits of devices. Passes give the data; no other file has the words.
 */
import { characterHint, characterText, constantHint, functionHint } from "./other-languages.ts";

export interface ProblemData {
  TC1001: { expected: string; found: string; hint?: string };
  TC1002: { text: string };
  TC1003: { text: string };
  TC1004: { text: string; type: string };
  TC1005: { limit: number };
  TC1006: { name: string; suggestion?: string };
  TC1007: { text: string; expected: string };
  TC1008: Record<never, never>;
  TC1009: { written: string; meant: string };
  TC2001: { name: string; suggestion?: string };
  TC2002: { name: string };
  TC2003: { name: string; what: string };
  TC2004: { name: string; suggestion?: string };
  TC2005: { name: string; expected: string; found: number };
  TC2006: { name: string; rank: number; found: number; given?: true };
  TC2007: { from: string; to: string; name: string };
  TC2008: { expected: string; found: string; where: string };
  TC2009: { type: string; instead: string };
  TC2010: { feature: string };
  TC2011: { name: string; suggestion?: string; known: readonly string[] };
  TC2012: { names: readonly string[] };
  TC2013: { name: string; value: number };
  TC2014: { name: string; dimension: number; text: string; first: number; second: number };
  TC2015: { wanted?: string; known: readonly string[]; suggestion?: string };
  TC2016: { name: string };
  TC2017: { name: string };
  TC2018: { name: string };
  TC2019: { name: string };
  TC2020: { name: string; dimension: number; rank: number };
  TC2021: { text: string };
  TC2022: { name: string };
  TC2023: { cycle: readonly string[] };
  TC2024: { name: string };
  TC2025: { name: string; results: readonly string[]; found: number };
  TC2026: { callee: string; parameter: string; expected: string; found: string };
  TC2027: { callee: string; parameter: string; argument: string };
  TC2028: { callee: string; size: string };
  TC2029: { tensor: string };
  TC3001: { indices: readonly string[] };
  TC3002: { index: string; first: string; second: string };
  TC3003: AccessProblem;
  TC3004: AccessProblem;
  TC3005: { tensor: string; dimension: number; index: string; value: number };
  TC3006: { index: string; range: string };
  TC3007: { index: string };
  TC3008: { tensor: string };
  TC3009: { tensor: string; index: string };
  TC3010: { tensor: string; detail: string };
  TC3011: { index: string; range: string };
  TC3012: { tensor: string };
  TC3013: { type: string };
  TC3014: { tensor: string; dimension: number; value: number; range: string };
  TC4001: { index: string; place: string };
  TC4002: { operator: string; indices: readonly string[] };
  TC4003: Record<never, never>;
  TC4004: Record<never, never>;
  TC4005: { tensor: string };
  TC4006: { tensor: string; operator: string };
  TC4007: { tensor: string };
  TC4008: { index: string };
  TC4009: { index: string };
  TC4010: { index: string; term: string };
  TC5001: { detail: string; profile: string };
}

/** A read or write that leaves its tensor; `named` is a size that stands where an index might. */
interface AccessProblem {
  readonly tensor: string;
  /** Counted from 0. */
  readonly dimension: number;
  readonly size: number;
  /** The index expression as it is written. */
  readonly index: string;
  /** The first value outside `[0, size)` that the index takes. */
  readonly value: number;
  readonly named?: string;
}

export type Code = keyof ProblemData;

/** The texts of one code. */
export interface ProblemText<Data> {
  /** A short name, for lists. */
  readonly title: string;
  /** `error` when absent. */
  readonly severity?: "warning";
  readonly message: (data: Data) => string;
  readonly hint?: (data: Data) => string | undefined;
}

const quoted = (names: readonly string[]): string => names.map((n) => `\`${n}\``).join(", ");

function meant(data: { suggestion?: string }): string | undefined {
  return data.suggestion === undefined ? undefined : `did you mean \`${data.suggestion}\`?`;
}

function leaves(d: AccessProblem, verb: string): string {
  const where = `dimension ${d.dimension} of \`${d.tensor}\` (size ${d.size})`;
  return `${verb} outside ${where}: \`${d.index}\` takes the value ${d.value}`;
}

function namedHint(d: AccessProblem): string | undefined {
  return d.named === undefined
    ? undefined
    : `\`${d.named}\` is a size or a parameter here, not an index; use another name for the index`;
}

/** The one table of messages. */
export const problemTexts: { readonly [C in Code]: ProblemText<ProblemData[C]> } = {
  TC1001: {
    title: "unexpected token",
    message: (d) => `expected ${d.expected}, found ${d.found}`,
    hint: (d) => d.hint,
  },
  TC1002: {
    title: "illegal character",
    message: (d) => `${characterText(d.text)} is not part of the language`,
    hint: (d) => characterHint(d.text),
  },
  TC1003: {
    title: "malformed number",
    message: (d) => `\`${d.text}\` is not a number`,
    hint: (d) => {
      if (/^\d+\.\./.test(d.text)) return "ranges are written `LOWER:UPPER`";
      return /^[\d.]+f$/.test(d.text) ? "numbers have no suffix; leave out the `f`" : undefined;
    },
  },
  TC1004: {
    title: "number out of range",
    message: (d) => `\`${d.text}\` does not fit into ${d.type}`,
  },
  TC1005: {
    title: "nested too deeply",
    message: (d) => `this nests deeper than ${d.limit} brackets or ${5 * d.limit} operators`,
    hint: () => "split the expression with a temporary tensor",
  },
  TC1006: {
    title: "unknown directive",
    severity: "warning",
    message: (d) => `unknown directive \`${d.name}\``,
    hint: (d) => meant(d) ?? "the directives are `#! sizes` and `#! input`",
  },
  TC1007: {
    title: "malformed directive",
    message: (d) => `expected ${d.expected}, found \`${d.text}\``,
  },
  TC1008: {
    title: "`<=>` is ignored",
    severity: "warning",
    message: () => "`<=>` is read for compatibility and has no effect",
    hint: () => "leave it out",
  },
  TC1009: {
    title: "spelling of another language",
    message: (d) => `\`${d.written}\` is not part of the language`,
    hint: (d) => d.meant,
  },
  TC2001: {
    title: "unknown name",
    message: (d) => `unknown name \`${d.name}\``,
    hint: (d) =>
      constantHint(d.name) ??
      meant(d) ??
      `an index must occur inside an access or have a range after \`where\`; a number that is no size needs a parameter, \`int ${d.name}\``,
  },
  TC2002: {
    title: "duplicate definition",
    message: (d) => `there is already a definition \`${d.name}\``,
    hint: () => "rename one of them",
  },
  TC2003: {
    title: "duplicate name",
    message: (d) => `\`${d.name}\` is already ${d.what}`,
    hint: () => "rename one of them",
  },
  TC2004: {
    title: "unknown function",
    message: (d) => `unknown function or tensor \`${d.name}\``,
    hint: (d) => functionHint(d.name) ?? meant(d),
  },
  TC2005: {
    title: "wrong number of arguments",
    message: (d) => `\`${d.name}\` takes ${d.expected}, found ${d.found}`,
  },
  TC2006: {
    title: "wrong number of indices",
    message: (d) => {
      const rank = `\`${d.name}\` has rank ${d.rank}, but`;
      if (d.given) return `${rank} what is given for it has rank ${d.found}`;
      return `${rank} is used with ${d.found} ${d.found === 1 ? "index" : "indices"}`;
    },
  },
  TC2007: {
    title: "conversion needs a cast",
    message: (d) => `cannot store ${d.from} in \`${d.name}\`, which is ${d.to}`,
    hint: (d) =>
      d.to === "bool" ? "compare with 0: `e != 0`" : `write \`${d.to}(...)\` around the value`,
  },
  TC2008: {
    title: "wrong type",
    message: (d) => `${d.where} must be ${d.expected}, found ${d.found}`,
    hint: (d) => (d.expected === "bool" ? "compare with 0: `e != 0`" : undefined),
  },
  TC2009: {
    title: "no such type on the device",
    message: (d) => `${d.type} does not exist in WebGPU`,
    hint: (d) => `use ${d.instead}`,
  },
  TC2010: {
    title: "not supported yet",
    message: (d) => `${d.feature} is not supported yet`,
  },
  TC2011: {
    title: "a value for an unknown size",
    message: (d) => `there is no size or compile-time parameter \`${d.name}\``,
    hint: (d) => meant(d) ?? (d.known.length > 0 ? `there are ${quoted(d.known)}` : undefined),
  },
  TC2012: {
    title: "missing size",
    message: (d) => `no value given for ${quoted(d.names)}`,
    hint: (d) => `give one, for example \`--size ${d.names.map((n) => `${n}=64`).join(",")}\``,
  },
  TC2013: {
    title: "bad size",
    message: (d) => {
      const found = `found ${d.value}`;
      if (Math.abs(d.value) >= 2 ** 31) return `\`${d.name}\` must be less than 2^31, ${found}`;
      return `the size \`${d.name}\` must be a positive integer, ${found}`;
    },
  },
  TC2014: {
    title: "contradicting sizes",
    message: (d) => {
      const meaning = d.text === String(d.first) ? "" : `\`${d.text}\` = `;
      const dimension = `dimension ${d.dimension} of \`${d.name}\``;
      return `${dimension} must be ${meaning}${d.first}, but what is given for it has ${d.second}`;
    },
  },
  TC2015: {
    title: "which definition",
    message: (d) => {
      if (d.wanted !== undefined) return `there is no definition \`${d.wanted}\``;
      return d.known.length === 0 ? "the file has no definition" : "which definition is meant?";
    },
    hint: (d) => meant(d) ?? (d.known.length > 0 ? `there are ${quoted(d.known)}` : undefined),
  },
  TC2016: {
    title: "no such function on the device",
    message: (d) => `\`${d.name}\` is not part of the language, although TC had it`,
  },
  TC2017: {
    title: "write to a read-only parameter",
    message: (d) => `\`${d.name}\` is a parameter and read-only`,
    hint: (d) => `return it as well to update it in place: \`-> (${d.name})\``,
  },
  TC2018: {
    title: "result never written",
    message: (d) => `no statement writes the result \`${d.name}\``,
  },
  TC2019: {
    title: "unused parameter",
    severity: "warning",
    message: (d) => `the parameter \`${d.name}\` is never used`,
  },
  TC2020: {
    title: "no such dimension",
    message: (d) => `\`${d.name}\` has rank ${d.rank}, so it has no dimension ${d.dimension}`,
  },
  TC2021: {
    title: "not a size expression",
    message: (d) => `a dimension must be made of sizes and integers, found \`${d.text}\``,
  },
  TC2022: {
    title: "not a tensor",
    message: (d) => `\`${d.name}\` is not a tensor`,
  },
  TC2023: {
    title: "recursive definition",
    message: (d) => `\`${d.cycle[0]}\` calls itself: ${d.cycle.join(" -> ")}`,
    hint: () => "calls are inlined, so that none may lead back; use a `for` loop",
  },
  TC2024: {
    title: "call inside of a statement",
    message: (d) => `\`${d.name}\` is a definition; its call is a statement of its own`,
    hint: (d) =>
      `write \`t = ${d.name}(...)\` before, without indices to range over, and use \`t\` here`,
  },
  TC2025: {
    title: "wrong number of targets",
    message: (d) => {
      const results = `\`${d.name}\` has ${d.results.length} ${d.results.length === 1 ? "result" : "results"}`;
      return `${results}, found ${d.found} ${d.found === 1 ? "target" : "targets"}`;
    },
    hint: (d) => `write \`(${d.results.join(", ")}) = ${d.name}(...)\``,
  },
  TC2026: {
    title: "argument does not fit",
    message: (d) => `\`${d.parameter}\` of \`${d.callee}\` must be ${d.expected}, found ${d.found}`,
  },
  TC2027: {
    title: "argument is updated in place",
    message: (d) =>
      `\`${d.callee}\` updates \`${d.parameter}\` in place, so the target must be the argument`,
    hint: (d) => `write \`${d.argument}\` as the target too; copy it before to keep what it holds`,
  },
  TC2028: {
    title: "size not told by the arguments",
    message: (d) => `no argument tells the size \`${d.size}\` of \`${d.callee}\``,
    hint: (d) => `give \`${d.callee}\` a parameter of which \`${d.size}\` is a dimension`,
  },
  TC2029: {
    title: "target used twice",
    message: (d) => `this call writes \`${d.tensor}\` twice`,
    hint: () => "give each result a target of its own, and copy them after the call",
  },
  TC3001: {
    title: "range cannot be inferred",
    message: (d) => `cannot infer a range for ${quoted(d.indices)}`,
    hint: (d) =>
      `write \`where ${d.indices.map((i) => `${i} in 0:N`).join(", ")}\`; reads in \`pad\` or behind a condition tell no range`,
  },
  TC3002: {
    title: "tensors disagree about an index",
    message: (d) => `\`${d.index}\` has two ranges: ${d.first}, but ${d.second}`,
    hint: (d) => `make the sizes equal, or give \`${d.index}\` a range with \`where\``,
  },
  TC3003: {
    title: "read outside of a tensor",
    message: (d) => leaves(d, "read"),
    hint: (d) =>
      namedHint(d) ?? "narrow an index with `where`, guard the read with `?:`, or use `pad(...)`",
  },
  TC3004: {
    title: "write outside of a tensor",
    message: (d) => leaves(d, "write"),
    hint: (d) => namedHint(d) ?? "narrow an index with `where`",
  },
  TC3005: {
    title: "write below 0",
    message: (d) =>
      `write below 0 in dimension ${d.dimension} of \`${d.tensor}\`: \`${d.index}\` takes the value ${d.value}`,
    hint: () => "indices are coordinates; shift the left side or narrow the range with `where`",
  },
  TC3006: {
    title: "empty range",
    message: (d) => `the range ${d.range} of \`${d.index}\` is always empty`,
    hint: () => "ranges are `lower:upper`, the upper end not included",
  },
  TC3007: {
    title: "bound not affine",
    message: (d) => `the range of \`${d.index}\` must be affine in sizes and earlier indices`,
  },
  TC3008: {
    title: "read before any write",
    message: (d) => `\`${d.tensor}\` is read here, but nothing has written it yet`,
    hint: () => "write it in an earlier statement",
  },
  TC3009: {
    title: "two instances write one element",
    message: (d) =>
      `several values of \`${d.index}\` write one element of \`${d.tensor}\` with \`=\``,
    hint: () => "use every index on the left side, or combine with an operator such as `+=!`",
  },
  TC3010: {
    title: "result not fully written",
    severity: "warning",
    message: (d) => `elements of \`${d.tensor}\` that no statement writes are 0: ${d.detail}`,
  },
  TC3011: {
    title: "statement never runs",
    severity: "warning",
    message: (d) =>
      `this never runs: the range ${d.range} of \`${d.index}\` is empty for these sizes`,
  },
  TC3012: {
    title: "shape unknown",
    message: (d) => `nothing gives \`${d.tensor}\` a shape before this statement writes into it`,
    hint: (d) => `declare it in the results, for example \`float(N) ${d.tensor}\``,
  },
  TC3013: {
    title: "index not an integer",
    message: (d) => `an index must be an integer, found ${d.type}`,
    hint: () => "write `int32(...)` around it",
  },
  TC3014: {
    title: "read of elements that nothing writes",
    message: (d) =>
      `this reads \`${d.tensor}\` at ${d.value} in dimension ${d.dimension}, but only ${d.range} is ever written`,
    hint: () => "write them first, or leave them out with a guard or a `where`",
  },
  TC4001: {
    title: "reduction without an operator",
    message: (d) =>
      `\`${d.index}\` occurs only ${d.place}, so \`=\` would write many values into one element`,
    hint: () => "sum over it with `+=!`",
  },
  TC4002: {
    title: "arg reduction needs one index",
    message: (d) =>
      `\`${d.operator}\` needs exactly one reduction index, found ${d.indices.length === 0 ? "none" : quoted(d.indices)}`,
  },
  TC4003: {
    title: "`if` on data",
    message: () => "the condition of an `if` may not read tensors",
    hint: () => "choose the value with `condition ? a : b`",
  },
  TC4004: {
    title: "condition not affine",
    message: () =>
      "the condition of an `if` must compare affine expressions of loop indices and sizes",
  },
  TC4005: {
    title: "ranges never settle",
    message: (d) => `each round of the loop makes \`${d.tensor}\` larger`,
    hint: () => "give the index a range with `where`, or declare the shape of the tensor",
  },
  TC4006: {
    title: "temporary never initialised",
    message: (d) =>
      `\`${d.operator}\` combines into \`${d.tensor}\`, which nothing has written yet`,
    hint: (d) => `start from the identity with \`${d.operator}!\``,
  },
  TC4007: {
    title: "scatter with `=`",
    message: (d) => `several instances may write one element of \`${d.tensor}\` with \`=\``,
    hint: () => "combine them with an operator such as `+=` or `max=`",
  },
  TC4008: {
    title: "`/=` with a reduction index",
    message: (d) => `\`/=\` takes no reduction index, found \`${d.index}\``,
    hint: () => "compute the divisor into a temporary first",
  },
  TC4009: {
    title: "loop bound not affine",
    message: (d) =>
      `the range of the loop over \`${d.index}\` must be affine in sizes and outer loops`,
  },
  TC4010: {
    title: "term independent of a reduction index",
    severity: "warning",
    message: (d) =>
      `\`${d.term}\` does not depend on \`${d.index}\`, so it is added once per value of it`,
    hint: () => "add it in a statement of its own",
  },
  TC5001: {
    title: "over a limit of the device",
    message: (d) => `the compiled kernel is over a limit of profile \`${d.profile}\`: ${d.detail}`,
    hint: () => "split the definition, choose smaller sizes, or compile for another profile",
  },
};
