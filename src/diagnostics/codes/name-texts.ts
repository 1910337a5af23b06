/** TC2xxx: names and types. */
import { constantHint, constantOf, functionHint } from "../other-languages.ts";
import { castFix, meant, quoted, replaceBy, suggestedFix, wrap } from "./phrases.ts";
import type { ProblemTexts } from "./problem-data.ts";

/** The texts of these codes. */
export const nameTexts: ProblemTexts<"TC2"> = {
  TC2001: {
    title: "unknown name",
    message: (d) => `unknown name \`${d.name}\``,
    hint: (d) =>
      constantHint(d.name) ??
      meant(d) ??
      `an index must occur inside an access or have a range after \`where\`; a number that is no size needs a parameter, \`int ${d.name}\``,
    fix: (d, span) =>
      constantHint(d.name) === undefined
        ? suggestedFix(d, span)
        : replaceBy(constantOf(d.name), span),
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
    fix: (d, span) => (functionHint(d.name) === undefined ? suggestedFix(d, span) : undefined),
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
    hint: (d) => {
      if (d.given || d.rank === 0) return undefined;
      const names = [..."ijklmn"].slice(0, d.rank);
      return d.rank > names.length
        ? "write an index for each dimension"
        : `write an index for each dimension: \`${d.name}(${names.join(", ")})\``;
    },
  },
  TC2007: {
    title: "conversion needs a cast",
    message: (d) => `cannot store ${d.from} in \`${d.name}\`, which is ${d.to}`,
    hint: (d) => {
      if (d.counts) return "combine bools with `||=!` or `&&=!`, or declare the target as `int`";
      if (d.target) return `take a target of another name, and convert it: \`${d.to}(...)\``;
      return d.to === "bool"
        ? "compare with 0: `e != 0`"
        : `write \`${d.to}(...)\` around the value`;
    },
    fix: (d, span) => (d.counts || d.target ? undefined : castFix(d.to, span)),
  },
  TC2008: {
    title: "wrong type",
    message: (d) => `${d.where} must be ${d.expected}, found ${d.found}`,
    hint: (d) => (d.expected === "bool" ? "compare with 0: `e != 0`" : undefined),
    fix: (d, span) => {
      if (d.expected !== "bool" || d.where.startsWith("the target")) return undefined;
      // `!` takes what stands next to it.
      return d.where.includes("`!`") ? wrap("((", span, ") != 0)") : castFix("bool", span);
    },
  },
  TC2009: {
    title: "no such type on the device",
    message: (d) => `${d.type} does not exist in WebGPU`,
    hint: (d) => `use ${d.instead}`,
    fix: (d, span) => replaceBy(d.instead, span),
  },
  TC2011: {
    title: "a value for an unknown size",
    message: (d) => `there is no size or compile-time parameter \`${d.name}\``,
    hint: (d) => meant(d) ?? (d.known.length > 0 ? `there are ${quoted(d.known)}` : undefined),
  },
  TC2012: {
    title: "missing size",
    message: (d) => `no value given for ${quoted(d.names)}`,
    hint: (d) => {
      const directive = `#! sizes ${d.names.map((n) => `${n}=64`).join(" ")}`;
      const flag = `--size ${d.names.map((n) => `${n}=64`).join(",")}`;
      const option = `sizes: { ${d.names.map((n) => `${n}: 64`).join(", ")} }`;
      return `write \`${directive}\` in the file, or give it: \`${flag}\`, \`${option}\``;
    },
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
    hint: (d) =>
      d.suggestion === undefined
        ? `write it, \`${d.name}(...) = ...\`, or leave it out`
        : `a statement writes \`${d.suggestion}\`; is that the same?`,
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
  TC2030: {
    title: "index of a slice",
    message: (d) => `\`${d.name}\` has no value here`,
    hint: () =>
      "a slice gives its leading indices: loop indices, sizes, constants; leave out those to range over",
  },
  TC2031: {
    title: "unknown name in a directive",
    severity: "warning",
    message: (d) => `no definition has ${d.what} \`${d.name}\``,
    hint: (d) => meant(d) ?? (d.known.length > 0 ? `there are ${quoted(d.known)}` : "leave it out"),
    fix: suggestedFix,
  },
  TC2032: {
    title: "calls grow too large",
    message: (d) =>
      `the call of \`${d.name}\` brings more than ${d.statements} statements, or calls within calls deeper than ${d.depth}`,
    hint: () => "a call puts the whole body in its place; repeat with a `for` loop instead",
  },
  TC2033: {
    title: "chained comparison",
    severity: "warning",
    message: (d) => `\`${d.chain}\` compares \`${d.first}\`, which is true or false, with a number`,
    hint: (d) => `write \`${d.first} && ${d.second}\``,
  },
  TC2034: {
    title: "unsigned difference made a float",
    severity: "warning",
    message: (d) =>
      `\`${d.difference}\` is unsigned: below 0 it wraps to numbers near 2^32 before it becomes a float`,
    hint: (d) =>
      `convert before the difference: \`int32(${d.operand})\`, or \`float(${d.operand})\``,
  },
  TC2035: {
    title: "index used once beside a similar one",
    severity: "warning",
    message: (d) =>
      `nothing but this read uses \`${d.index}\`, so all its values are summed up alone`,
    hint: (d) =>
      `did you mean \`${d.near}\`? If not, give \`${d.index}\` a range of its own with \`where\``,
  },
  TC2036: {
    title: "alternative of nothing",
    message: (d) => {
      if (d.definition === null) return `no definition follows \`#! alternative of ${d.name}\``;
      if (d.definition === d.name) return `\`${d.name}\` cannot be an alternative of itself`;
      return `there is no definition \`${d.name}\` that \`${d.definition}\` could be an alternative of`;
    },
    hint: (d) => {
      if (d.definition === null) return "write it on the line before the `def` of the alternative";
      return meant(d) ?? (d.known.length > 0 ? `there are ${quoted(d.known)}` : undefined);
    },
    fix: suggestedFix,
  },
  TC2037: {
    title: "alternative with other inputs or outputs",
    message: (d) => `\`${d.name}\` cannot be an alternative of \`${d.of}\`: ${d.what}`,
    hint: (d) => `declare the inputs and results of \`${d.of}\`, in the same order`,
  },
};
