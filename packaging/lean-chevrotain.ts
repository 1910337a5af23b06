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
/** What the lexer says of a character: nobody reads it. */
const lexerErrors = /[/\\]lexer_errors_public\.js$/;
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
    "BACKTRACK_RECORD|cst\\w+|setInitialNodeLocation\\w+|getBaseCst\\w+|" +
    "CONSUME[23]|OPTION3|walkAtLeastOne|visitRepetitionMandatory|create(?:StartOnly|Full)Token|addTokenUsingMemberAccess|handlePayloadNoCustom",
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
 * be; tokens know their offsets alone, so that lines are nothing to the lexer; what the pattern of a
 * keyword may be the beginning of is a plain pattern; and no rule is tried.
 */
const neverTrue = new RegExp(
  [
    String.raw`!isEmpty\(this\.(?:lexerD|d)efinitionErrors\)`,
    String.raw`/(?:full|onlyStart|full\|onlyStart)/i\.test\(this\.config\.positionTracking\)`,
    String.raw`\boptions\.positionTracking !== "onlyOffset"`,
    String.raw`\bthis\.config\.lineTerminator\w+ ===\s+DEFAULT_LEXER_CONFIG\.lineTerminator\w+`,
    String.raw`\blongerAltConfig\.isCustom === true`,
    String.raw`\bthis\.(?:config\.)?skipValidations === false`,
    String.raw`\bthis\.(?:traceInitPerf === true|isBackTracking\(\))`,
    String.raw`\b(?:this\.)?(?:config|options)\.(?:ensureOptimizations|safeMode)\b`,
    String.raw`\btrackLines === true|\bthis\.outputCst\b(?: === true)?`,
    String.raw`\bhas\((?:tokenVocabulary, "modes"|config, "(?:serializedGrammar|ignoredIssues)")\)`,
    String.raw`!ruleToCall \|\| has\(ruleToCall, "ruleName"\) === false|!hasShortKeyProperty\(tokType\)`,
    String.raw`\boriginalError\.KNOWN_RECORDER_ERROR !== true|\btypeof config === "boolean"`,
    String.raw`\bincludes\(this\.definedRulesNames, name\)|\bprod instanceof RepetitionMandatory\b`,
    String.raw`\bhas\(\w+, "(?:MAX_LOOKAHEAD|IGNORE_AMBIGUITIES|GATE)"\)|\bError\.captureStackTrace\b`,
    String.raw`\btraceInitVal === true|\btypeof traceInitVal === "number"`,
  ].join("|"),
  "g",
);
/** Of what is wrong with a grammar or a lexer nobody reads: the tests of this grammar would fail. */
const messages =
  /\b(Error|PRINT_ERROR|PRINT_WARNING)\((?=\s*[`"'])(?:`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\s|\+|,)+\)/g;

/** A text for who prints the pattern of a token that is skipped. */
const skipped = /^(Lexer\.SKIPPED =)[^;]+;/m;
/** Leaves a mode of the lexer, which has one. */
const leaveMode = /^( {8}const pop_mode =) \(popToken\) => \{\n[\s\S]*?^ {8}\};\n/m;
/** What the recorder of grammars says of itself, and methods with numbers that no rule calls. */
const recording =
  /(?<="This I?(?:Token|Object) indicates)[^"]*(?:"\s*\+\s*"[^"]*)*(?=")|^ +originalError\.message =[^;]+;\n|^ +this\[`(?:\w+|AT_LEAST_ONE\$\{idx\})`\] = function \([^)]*\) \{\n[^}]*\};\n|^ +delete that\[`(?:\w+|AT_LEAST_ONE\$\{idx\})`\];\n|^ +forEach\(repetitionMandatory, [\s\S]*?\n +\}\);\n/gm;
/** Names of what is timed. */
const phases = /\b(this\.TRACE_INIT|tracer)\((?:"[^"]*"|`[^`]*(?:\$\{[^}]*\}[^`]*)*`), \(\) =>/g;

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
      if (lexerErrors.test(id))
        return 'export const defaultLexerErrorProvider = { buildUnexpectedCharactersMessage: () => "" };';
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
              .replace(recording, "")
              .replace(/\bPROD_TYPE\[PROD_TYPE\[("\w+")\] = (\d+)\] = \1;/g, "PROD_TYPE[$1] = $2;")
              .replace(/\bgetProductionDslName\(currProd\)/g, "0")
              .replace(/(?<!function )\bareTokenCategoriesNotUsed\(\w+\)/, "true")
              .replace(leaveMode, "$1 0;\n")
              .replace(skipped, '$1 "skipped";')
              .replace(phases, "$1(0, () =>")
              .replace(uncalled, "")
              .replace(idle, "    $1() {}\n"),
            moduleSideEffects: false,
          }
        : null,
  };
}
