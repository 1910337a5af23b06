/** TC3xxx: ranges and bounds. */
import { leaves, namedHint, quoted } from "./phrases.ts";
import type { ProblemTexts } from "./problem-data.ts";

/** The texts of these codes. */
export const rangeTexts: ProblemTexts<"TC3"> = {
  TC3001: {
    title: "range cannot be inferred",
    message: (d) => `cannot infer a range for ${quoted(d.indices)}`,
    hint: (d) =>
      `write \`where ${d.ranges.join(", ")}\`; reads in \`pad\` or behind a condition tell no range`,
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
    hint: (d) => {
      const narrow =
        d.where === undefined ? "narrow the range with `where`" : `write \`where ${d.where}\``;
      return `indices are coordinates; shift the left side, or ${narrow}`;
    },
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
    hint: (d) =>
      d.own
        ? `a statement reads what \`${d.tensor}\` held before it: write the first elements in an earlier one, and those that follow from them in a \`for\``
        : "write it in an earlier statement",
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
    hint: (d) =>
      d.named === undefined
        ? "write `int32(...)` around it"
        : `\`${d.named}\` is a parameter or a tensor here, not an index; use another name for the index`,
  },
  TC3014: {
    title: "read of elements that nothing writes",
    message: (d) =>
      `this reads \`${d.tensor}\` at ${d.value} in dimension ${d.dimension}, but only ${d.range} is ever written`,
    hint: () => "write them first, or leave them out with a guard or a `where`",
  },
};
