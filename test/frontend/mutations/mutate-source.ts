/** Makes broken programs of good ones. */
import type { Random } from "../../../src/support/random.ts";

/** Signs and words that the language knows or that people from elsewhere write. */
const strayTokens: readonly string[] = [
  ..."( ) { } [ ] , : ; = == != < <= > >= + - * / % ** ^ ! && || & | ? . .. -> => <=> := +=! +=".split(
    " ",
  ),
  ..."*=! min=! max= argmax=! argmin=! -= /= &&=! || # #! // /* */ \" ' ` @ $ ~ \\".split(" "),
  ..."def where in exists for if else elif reversed pad min max true false inf and or not".split(
    " ",
  ),
  ..."float float16 half int int8 uint8 bool double int64 return sum range i N a x".split(" "),
  ..."0 1 -1 7 2.5 .5 1e-5 1e400 0x1F 0x 3.0f 0..3 1.2.3 99999999999 2147483648".split(" "),
  "\n",
  "\t",
  "\r\n",
  "\u0000",
  "\ufeff",
  "\u00a0",
  "\u2264",
  "\u03b1",
  "\ud83d\ude00",
  "\ud800",
  "\u202e",
];

/** Words, blanks and single signs: a splitting that shares nothing with the compiler's. */
export function roughTokens(source: string): readonly string[] {
  return source.match(/\s+|[A-Za-z0-9_.]+|[^\sA-Za-z0-9_.]/g) ?? [];
}

type Mutation = (tokens: readonly string[], random: Random, corpus: readonly string[]) => string[];

const mutations: readonly Mutation[] = [
  function remove(tokens, random) {
    const at = random.integer(0, tokens.length);
    return [...tokens.slice(0, at), ...tokens.slice(at + random.integer(1, 4))];
  },
  function repeat(tokens, random) {
    const at = random.integer(0, tokens.length);
    const part = tokens.slice(at, at + random.integer(1, 6));
    return [...tokens.slice(0, at), ...part, ...tokens.slice(at)];
  },
  function swap(tokens, random) {
    const [a, b] = [random.integer(0, tokens.length), random.integer(0, tokens.length)];
    const changed = [...tokens];
    [changed[a], changed[b]] = [tokens[b] ?? "", tokens[a] ?? ""];
    return changed;
  },
  function replace(tokens, random, corpus) {
    const at = random.integer(0, tokens.length);
    const other = random.chance(0.5)
      ? random.pick(strayTokens)
      : (roughTokens(random.pick(corpus))[random.integer(0, 40)] ?? "");
    return [...tokens.slice(0, at), other, ...tokens.slice(at + 1)];
  },
  function insert(tokens, random) {
    const at = random.integer(0, tokens.length + 1);
    return [...tokens.slice(0, at), random.pick(strayTokens), ...tokens.slice(at)];
  },
  function rename(tokens, random) {
    const names = tokens.filter((token) => /^[A-Za-z_]\w*$/.test(token));
    if (names.length === 0) return [...tokens];
    const [from, to] = [random.pick(names), random.pick(names)];
    const everywhere = random.chance(0.5);
    const first = tokens.indexOf(from);
    return tokens.map((t, n) => (t === from && (everywhere || n === first) ? to : t));
  },
  function number(tokens, random) {
    const value = random.pick(["0", "1", "2", "-1", "1000000", "2147483647", "4294967295", "0.5"]);
    const places = [...tokens.keys()].filter((n) => /^\d/.test(tokens[n] ?? ""));
    if (places.length === 0) return [...tokens];
    const at = random.pick(places);
    return [...tokens.slice(0, at), value, ...tokens.slice(at + 1)];
  },
  function misspell(tokens, random) {
    const at = random.integer(0, tokens.length);
    const word = tokens[at] ?? "";
    const cut = random.integer(0, word.length + 1);
    const letter = random.pick([..."aeNx_1"]);
    const spelt = random.chance(0.5)
      ? `${word.slice(0, cut)}${letter}${word.slice(cut)}`
      : `${word.slice(0, cut)}${word.slice(cut + 1)}`;
    return [...tokens.slice(0, at), spelt, ...tokens.slice(at + 1)];
  },
  function splice(tokens, random, corpus) {
    const other = roughTokens(random.pick(corpus));
    const [a, b] = [random.integer(0, tokens.length), random.integer(0, other.length)];
    return [...tokens.slice(0, a), ...other.slice(b)];
  },
  function graft(tokens, random, corpus) {
    const lines = random.pick(corpus).split("\n");
    const at = random.integer(0, tokens.length);
    return [...tokens.slice(0, at), `\n${random.pick(lines)}\n`, ...tokens.slice(at)];
  },
  function noise(tokens, random) {
    const text = tokens.join("");
    const at = random.integer(0, text.length + 1);
    const bytes = Array.from({ length: random.integer(1, 5) }, () =>
      String.fromCharCode(random.chance(0.8) ? random.integer(0, 256) : random.integer(0, 65536)),
    );
    return [text.slice(0, at), ...bytes, text.slice(at + random.integer(0, 3))];
  },
  function cut(tokens, random) {
    const at = random.integer(0, tokens.length);
    return random.chance(0.5) ? tokens.slice(0, at) : tokens.slice(at);
  },
  function endings(tokens, random) {
    const ending = random.pick(["\r\n", "\r", " "]);
    return tokens.map((t) => t.replaceAll("\n", ending));
  },
];

/** A program of the corpus after one to four mutations. */
export function mutateSource(corpus: readonly string[], random: Random): string {
  let tokens: readonly string[] = roughTokens(random.pick(corpus));
  const count = random.chance(0.5) ? 1 : random.integer(2, 5);
  for (let n = 0; n < count; n++) {
    if (tokens.length === 0) break;
    tokens = roughTokens(random.pick(mutations)(tokens, random, corpus).join(""));
  }
  return tokens.join("");
}
