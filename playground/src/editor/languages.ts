/** Highlighting of the texts that the page shows, by their words: no parser is loaded for it. */
import { StreamLanguage, type StringStream } from "@codemirror/language";
import type { Extension } from "@codemirror/state";

/** The texts that there are. */
export type LanguageName = "tc" | "wgsl" | "js" | "ir" | "json";

/** What a piece of text is, where the pattern matches; the first rule that does wins. */
type Rule = readonly [pattern: RegExp, style: string];

/** One of some words, as a whole word. */
function wordsOf(text: string): RegExp {
  return new RegExp(`^(?:${text.trim().split(/\s+/).join("|")})(?![\\w$])`);
}

const numberRule: Rule = [/^(?:0x[\da-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[iufh]?/, "number"];
const stringRule: Rule = [/^"(?:[^"\\]|\\.)*"?/, "string"];
const nameRules: readonly Rule[] = [
  [/^[A-Za-z_$][\w$]*(?=\s*\()/, "variableName.function"],
  [/^[A-Za-z_$][\w$]*/, "variableName"],
];

/** TC's scalar types, those that it refuses included. */
const scalarRule: Rule = [
  /^(?:float(?:16|32|64)?|half|double|u?int(?:8|16|32|64)|int|bool)\b/,
  "typeName",
];

const rules: Readonly<Record<LanguageName, readonly Rule[]>> = {
  tc: [
    [/^#!.*/, "meta"],
    [/^#.*/, "comment"],
    [/^(?:arg(?:min|max)|min|max|\+|\*|&&|\|\|)=!?/, "operatorKeyword"],
    [wordsOf("def where in exists for if else reversed pad"), "keyword"],
    scalarRule,
    [wordsOf("true false inf"), "atom"],
    numberRule,
    ...nameRules,
  ],
  wgsl: [
    [/^\/\/.*/, "comment"],
    [/^@[A-Za-z_]+/, "meta"],
    [
      wordsOf(`fn let var const override struct if else for while loop break continue return switch case
        default enable requires alias workgroup storage uniform function private read read_write`),
      "keyword",
    ],
    [/^(?:[fiu]32|f16|bool|vec[234][fiuh]?|mat[234]x[234][fh]?|array|atomic|ptr)\b/, "typeName"],
    [wordsOf("true false"), "atom"],
    numberRule,
    ...nameRules,
  ],
  js: [
    [/^\/\/.*/, "comment"],
    stringRule,
    [/^`[^`]*`?/, "string"],
    [
      wordsOf(`export import from const let function async await return if else for of in new throw class
        type interface readonly extends typeof while switch case default try catch finally declare`),
      "keyword",
    ],
    [/^(?:string|number|boolean|void|unknown|never|GPU\w+|Promise|\w+Array)\b/, "typeName"],
    [wordsOf("true false null undefined"), "atom"],
    numberRule,
    ...nameRules,
  ],
  ir: [
    [
      wordsOf(`grid workgroup subgroup lane vector fragment unroll serial host sequence place in at private
        storage scratch`),
      "keyword",
    ],
    numberRule,
    // Names of loops have dots and marks in them.
    [/^[A-Za-z_][\w.#]*(?=\()/, "variableName.function"],
    [/^[A-Za-z_][\w.#]*/, "variableName"],
  ],
  json: [
    [/^"(?:[^"\\]|\\.)*"(?=\s*:)/, "propertyName"],
    stringRule,
    [wordsOf("true false null"), "atom"],
    numberRule,
  ],
};

interface State {
  /** Inside of a comment over several lines. */
  block: boolean;
}

function tokenOf(own: readonly Rule[], stream: StringStream, state: State): string | null {
  if (stream.eatSpace()) return null;
  if (state.block || stream.match(/^\/\*/)) {
    state.block = !stream.match(/^.*?\*\//);
    if (state.block) stream.skipToEnd();
    return "comment";
  }
  const found = own.find(([pattern]) => stream.match(pattern));
  if (found === undefined) stream.next();
  return found?.[1] ?? null;
}

/** The highlighting of a language. */
export function languageOf(name: LanguageName): Extension {
  return StreamLanguage.define<State>({
    name,
    startState: () => ({ block: false }),
    token: (stream, state) => tokenOf(rules[name], stream, state),
    languageData: {
      commentTokens: { line: name === "tc" ? "#" : "//" },
      closeBrackets: { brackets: ["(", "{", "["] },
    },
  });
}
