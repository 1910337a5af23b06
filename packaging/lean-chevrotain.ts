/**
 * What is published carries Chevrotain inside, without what only serves to write a grammar. This
 * keeps pages small and starts quickly: importing Chevrotain reads some 700 files.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Rolldown } from "tsdown";

const lodash: string = fileURLToPath(new URL("./lodash-es.ts", import.meta.url));

/**
 * Modules that nothing calls, since lexer and parser are made with `skipValidations`, the tokens
 * say what they start with, the parser has messages of its own and builds no concrete syntax tree.
 */
const leftOut =
  /[/\\]chevrotain[/\\]lib[/\\]src[/\\].*[/\\](?:checks|cst_visitor|errors_public|reg_exp)\.js$/;
const noCache = /[/\\]reg_exp_parser\.js$/;
const ofChevrotain = /[/\\]@?chevrotain[/\\]/;

/** A method of a class, indented as Chevrotain is published. */
function method(name: string): RegExp {
  return new RegExp(`^ {4}(${name})\\(.*\\) \\{\\n[^]*?^ {4}\\}\\n`, "gm");
}

/**
 * Nothing calls these; modules that only they use go with them. A rule that has more than three of a
 * kind needs the methods of higher numbers: the test of what is published finds that out.
 */
const uncalled = method(
  "computeContentAssist|getSerializedGastProductions|OVERRIDE_RULE|BACKTRACK|validate\\w*|" +
    "static performSelfAnalysis|[A-Z_]+[4-9]|(?:OR|MANY|MANY_SEP|AT_LEAST_ONE|AT_LEAST_ONE_SEP)[1-3]|" +
    "AT_LEAST_ONE|atLeastOneInternal\\w*|consume|subrule|option|or|many|atLeastOne|" +
    "updateTokenEndLineColumnLocation|handleModes|saveRecogState|reloadRecogState|isBackTracking|" +
    "BACKTRACK_RECORD|cst\\w+|setInitialNodeLocation\\w+|getBaseCst\\w+",
);
/**
 * These build the tree that the parser does not have, change the mode of a lexer that has one, or check
 * and name what is wrong with a grammar.
 */
const idleLines =
  /\bthis\.(?:cst\w+|handleModes)\([^;]*\);|\bassertMethodIdxIsValid\(\w+\);|^ {4}(?:Lexer|Parser)DefinitionErrorType\[.*\n/gm;
const idle = method("initTreeBuilder");
/**
 * Neither grammars nor lexers are checked, or timed while they are made, or optimised less than they can
 * be; tokens know their offsets alone, and no rule is tried.
 */
const neverTrue =
  /\bthis\.(?:(?:config\.)?skipValidations === false|traceInitPerf === true|isBackTracking\(\))|\b(?:this\.)?(?:config|options)\.(?:ensureOptimizations|safeMode)\b|\btrackLines === true|\bthis\.outputCst\b(?: === true)?|\boptions\.positionTracking !== "onlyOffset"/g;
/** Of what is wrong with a grammar or a lexer nobody reads: the tests of this grammar would fail. */
const messages =
  /\b(Error|PRINT_ERROR|PRINT_WARNING)\((?=\s*[`"'])(?:`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\s|\+|,)+\)/g;

/** The same exports: functions that must not be called, and objects without fields. */
function hollow(code: string): string {
  const functions = code.matchAll(/^export function (\w+)/gm);
  const objects = code.matchAll(/^export const (\w+)/gm);
  return [
    'function leftOut() { throw new Error("left out of the bundle"); }',
    ...Array.from(functions, ([, name]) => `export const ${name} = leftOut;`),
    ...Array.from(objects, ([, name]) => `export const ${name} = {};`),
  ].join("\n");
}

/** Bundles Chevrotain without its checks of grammars, and lodash as the language has it. */
export function leanChevrotain(): Rolldown.Plugin {
  return {
    name: "lean-chevrotain",
    resolveId: (source) => (source === "lodash-es" ? lodash : null),
    load(id) {
      if (leftOut.test(id)) return hollow(readFileSync(id, "utf8"));
      if (noCache.test(id))
        return "export function clearRegExpParserCache() {}\nexport function getRegExpAst() {}";
      return null;
    },
    // None of these modules does anything but define what it exports.
    transform: (code, id) =>
      ofChevrotain.test(id)
        ? {
            code: code
              .replace(neverTrue, "false")
              .replace(messages, "$1()")
              .replace(idleLines, "")
              .replace(uncalled, "")
              .replace(idle, "    $1() {}\n"),
            moduleSideEffects: false,
          }
        : null,
  };
}
