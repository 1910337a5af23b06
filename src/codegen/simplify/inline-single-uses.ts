/**
 * Purpose: puts named values back where they are used once.
 *
 * Requires: names are unique; each given name is an immutable variable whose value reads no memory
 * that the kernel writes. Ensures: the kernel computes the same, and nothing more often.
 */
import { flatMap } from "../../support/flat-map.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import { innerStatements, visitOwnExpressions } from "../walk-kernel.ts";

type Body = readonly KernelStatement[];

/** How often a name is used, and whether that is in a loop that its declaration is not in. */
interface Uses {
  readonly value: KernelExpression;
  readonly depth: number;
  count: number;
  repeated: boolean;
}

/** Notes the uses in a statement itself, which stands in that many loops. */
function countOwn(s: KernelStatement, depth: number, uses: ReadonlyMap<string, Uses>): void {
  visitOwnExpressions(s, (e) => {
    const use = e.kind === "variable" ? uses.get(e.name) : undefined;
    if (use === undefined) return;
    use.count += 1;
    // The text of a loop computes its end in each iteration.
    if (depth > use.depth || s.kind === "loop") use.repeated = true;
  });
}

function countUses(
  body: Body,
  depth: number,
  uses: Map<string, Uses>,
  names: ReadonlySet<string>,
): void {
  for (const s of body) {
    countOwn(s, depth, uses);
    if (s.kind === "declare" && names.has(s.name)) {
      uses.set(s.name, { value: s.value, depth, count: 0, repeated: false });
    }
    countUses(innerStatements(s), s.kind === "loop" ? depth + 1 : depth, uses, names);
  }
}

/** Replaces those of the given names that are used once, as often as they are computed. */
export function inlineSingleUses(body: Body, given: ReadonlySet<string>): Body {
  const uses = new Map<string, Uses>();
  countUses(body, 0, uses, given);
  const once = new Map<string, KernelExpression>();
  const mapExpression = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) => (node.kind === "variable" ? once.get(node.name) : undefined));
  const inline = (list: Body): Body =>
    flatMap(list, (s): Body => {
      const own = mapOwnExpressions(s, mapExpression);
      if (own.kind === "declare") {
        const use = uses.get(own.name);
        if (use !== undefined && use.count <= 1 && !use.repeated) {
          once.set(own.name, own.value);
          return [];
        }
      }
      if (own.kind === "loop") return [{ ...own, body: inline(own.body) }];
      if (own.kind !== "if") return [own];
      return [{ ...own, then: inline(own.then), else: inline(own.else) }];
    });
  return inline(body);
}
