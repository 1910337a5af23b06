import { flatMap } from "../support/flat-map.ts";
import { listOf } from "../support/list-of.ts";
import type { SizeSymbol } from "./sizes.ts";
import type { Definition } from "./syntax/ast.ts";
import { eachAstStatement, eachExpressionNode, statementExpressions } from "./syntax/walk-ast.ts";

/** Values of all sizes that have none. */
export type SizeSet = Readonly<Record<string, number>>;

const mostSets = 24;
/** Symbols that are tried as the only large and the only small one. */
const mostLarge = 6;
const primes = [61, 53, 47, 43, 41, 37, 31, 29, 23, 19, 17, 13, 11, 7, 5, 3, 2];

/**
 * Sets of sizes that a definition may be tried with, those first that most likely make sense: all
 * equal, 1, 2, one beyond the literals of the source, primes and powers of two in both orders, one
 * large and the others small and the other way. Parameters, which are strides, widths and counts
 * more often than sizes, stay small in the first ones.
 */
export function trialSizes(
  symbols: readonly SizeSymbol[],
  definition: Definition,
): readonly SizeSet[] {
  const literal = Math.min(1 << 20, greatestLiteral(definition));
  const all = (size: number, parameter: number): SizeSet =>
    setOf(symbols, ({ kind }) => (kind === "size" ? size : parameter));
  const prime = (n: number): number => primes[n % primes.length] ?? 1;
  const last = symbols.length - 1;
  const power = (n: number): number => 2 ** Math.min(20, n + 1);
  const sets = [
    all(64, 2),
    all(1, 1),
    all(2, 2),
    all(64, 1),
    all(64, 0),
    setOf(symbols, (_, n) => prime(n)),
    setOf(symbols, (_, n) => prime(last - n)),
    all(literal, 1),
    all(literal + 1, literal + 1),
    all(4 * literal + 3, 3),
    all(7, 7),
    setOf(symbols, (_, n) => power(last - n)),
    setOf(symbols, (_, n) => power(n)),
    ...flatMap(
      listOf(Math.min(mostLarge, symbols.length), (n) => n),
      (large) => [
        setOf(symbols, (_, n) => (n === large ? 1000 : 2)),
        setOf(symbols, (_, n) => (n === large ? 2 : 1000)),
      ],
    ),
  ];
  const texts = new Set<string>();
  return sets
    .filter((set) => {
      const text = JSON.stringify(set);
      return !texts.has(text) && texts.add(text);
    })
    .slice(0, mostSets);
}

function setOf(
  symbols: readonly SizeSymbol[],
  choose: (symbol: SizeSymbol, n: number) => number,
): SizeSet {
  return Object.fromEntries(symbols.map((symbol, n) => [symbol.name, choose(symbol, n)]));
}

/** The greatest integer that the definition writes, at least 3. */
function greatestLiteral({ parameters, results, body }: Definition): number {
  const types = flatMap([...parameters, ...results], ({ type }) => type?.dimensions ?? []);
  const expressions = [...types, ...flatMap(eachAstStatement(body), statementExpressions)];
  let greatest = 3;
  for (const node of flatMap(expressions, eachExpressionNode)) {
    if (node.kind === "integer" && node.value > greatest) greatest = node.value;
  }
  return greatest;
}
