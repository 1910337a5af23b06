/** TC4xxx: loops, reductions and in-place updates. */
import { quoted, replaceBy, resets } from "./phrases.ts";
import type { ProblemTexts } from "./problem-data.ts";

/** The texts of these codes. */
export const loopTexts: ProblemTexts<"TC4"> = {
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
    hint: (d) =>
      resets(d.operator)
        ? `start from the identity with \`${d.operator}!\``
        : "write it first, with `=` in an earlier statement",
    fix: (d, span) => (resets(d.operator) ? replaceBy(`${d.operator}!`, span) : undefined),
  },
  TC4007: {
    title: "scatter with `=`",
    message: (d) =>
      `several instances may write one element of \`${d.tensor}\` with \`${d.operator}\``,
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
      `\`${d.term}\` does not depend on ${quoted(d.indices)}, so it is added once per value of ${
        d.indices.length === 1 ? "it" : "them"
      }`,
    hint: (d) =>
      `add it afterwards, in a statement of its own: \`${d.target} ${d.sign === 1 ? "+" : "-"}= ${d.term}\``,
  },
  TC4011: {
    title: "reads of its own target without a loop",
    severity: "warning",
    message: (d) =>
      `\`${d.read}\` reads \`${d.tensor}\` as it was before the statement, not what the statement writes`,
    hint: (d) => `to read what was just written, write a loop: \`${d.loop}\``,
  },
  TC4012: {
    title: "sum into an input",
    severity: "warning",
    message: (d) =>
      `\`${d.operator}\` combines into what \`${d.tensor}\` holds, so \`${d.tensor}\` becomes an input that every call has to give`,
    hint: (d) =>
      `did you mean \`${d.operator}!\`? To update \`${d.tensor}\` in place, declare it among the parameters too`,
  },
};
