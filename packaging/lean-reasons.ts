/**
 * What is published leaves out the texts that say why a rewrite or a schedule is refused: the compiler
 * asks whether, tests and who works on it read why. What users read is written elsewhere.
 */
import type { Rolldown } from "tsdown";

/** Where such texts are. All texts of several words there are reasons. */
const givesReasons =
  /[/\\]src[/\\]ir[/\\](?:(?:legality|algebraic)[/\\].*|fragment-product|prefetched-copies)\.ts$/;

/** A part of a syntax tree. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** The text of a literal or a template, the values in it left out; undefined for others. */
function textOf(node: Node & { readonly value?: unknown; readonly quasis?: unknown }): unknown {
  if (node.type === "Literal") return node.value;
  if (node.type !== "TemplateLiteral" || !Array.isArray(node.quasis)) return undefined;
  return node.quasis.map((part) => part.value.cooked).join("\0");
}

/** What a tree has of texts with two words side by side, which no name in it has. */
function reasonsIn(tree: unknown): readonly Node[] {
  if (Array.isArray(tree)) return tree.flatMap(reasonsIn);
  if (!isNode(tree)) return [];
  const text = textOf(tree);
  const isReason = typeof text === "string" && /[a-z] [a-z]+/.test(text);
  return isReason ? [tree] : Object.values(tree).flatMap(reasonsIn);
}

/** Bundles the compiler without reasons that nothing in it reads. */
export function leanReasons(): Rolldown.Plugin {
  return {
    name: "lean-reasons",
    transform(code, id) {
      if (!givesReasons.test(id)) return null;
      let lean = code;
      const reasons = reasonsIn(this.parse(code, { lang: "ts" }));
      for (const { start, end } of reasons.toSorted((a, b) => b.start - a.start)) {
        lean = `${lean.slice(0, start)}"?"${lean.slice(end)}`;
      }
      return { code: lean };
    },
  };
}
