/** TC1xxx: syntax. */
import { characterHint, characterText } from "../other-languages.ts";
import { meant, replaceBy, suggestedFix } from "./phrases.ts";
import type { ProblemTexts } from "./problem-data.ts";

/** The texts of these codes. */
export const syntaxTexts: ProblemTexts<"TC1"> = {
  TC1001: {
    title: "unexpected token",
    message: (d) => `expected ${d.expected}, found ${d.found}`,
    hint: (d) => d.hint,
  },
  TC1002: {
    title: "illegal character",
    message: (d) => `${characterText(d.text)} is not part of the language`,
    hint: (d) => characterHint(d.text, d.before),
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
    message: (d) => `this nests deeper than ${d.limit} brackets or ${10 * d.limit} operators`,
    hint: () => "split the expression with a temporary tensor",
  },
  TC1006: {
    title: "unknown directive",
    severity: "warning",
    message: (d) => `unknown directive \`${d.name}\``,
    hint: (d) => meant(d) ?? "the directives are `#! sizes`, `#! input` and `#! alternative of`",
    fix: suggestedFix,
  },
  TC1007: {
    title: "malformed directive",
    message: (d) => `expected ${d.expected}, found \`${d.text}\``,
    hint: (d) =>
      d.instead === undefined
        ? undefined
        : `write spaces between the entries, and none around \`=\`: \`${d.instead}\`; or one a line`,
    fix: (d, span) => replaceBy(d.instead, span),
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
  TC1010: {
    title: "too much text",
    message: (d) => `too many ${d.what}: ${d.found}, at most ${d.limit}`,
    hint: () => "split it; indices and loops write many statements as one",
  },
};
