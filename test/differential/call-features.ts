/** Which features of calls a source uses. */
import type {
  Call,
  Definition,
  Expression,
  For,
  Module,
  Statement,
} from "../../src/frontend/syntax/ast.ts";
import { eachExpressionNode } from "../../src/frontend/syntax/walk-ast.ts";

/** All features of calls. */
export const callFeatures: readonly string[] = [
  "call",
  "call without parentheses",
  "call of several results",
  "call in a loop",
  "call in a branch",
  "call in a call",
  "call of the same definition again",
  "call of a definition that is in place",
  "call of a definition below",
  "tensor as argument",
  "slice as argument",
  "slice that data choose",
  "constant as argument",
  "expression as argument",
  "loop's index as argument",
  "element as argument",
  "whole target",
  "slice as target",
  "target written before",
];

type Count = (feature: string) => void;

interface Place {
  readonly module: Module;
  readonly definition: Definition;
  readonly loops: readonly For[];
  readonly branch: boolean;
  /** Names of tensors that statements before have written, and of definitions that were called. */
  readonly written: Set<string>;
  readonly called: Set<string>;
  readonly count: Count;
}

function countArgument(e: Expression, dimensions: number | undefined, place: Place): void {
  const { count, loops, definition } = place;
  const scalar = dimensions === undefined;
  const nodes = [...eachExpressionNode(e)];
  const reads = nodes.filter((n) => n.kind === "apply" && n !== e);
  if (!scalar && e.kind === "name") count("tensor as argument");
  if (!scalar && e.kind === "apply") count("slice as argument");
  if (!scalar && reads.length > 0) count("slice that data choose");
  if (!scalar) return;
  if (e.kind === "apply") count("element as argument");
  else if (["integer", "float", "boolean"].includes(e.kind)) count("constant as argument");
  else if (e.kind !== "name") count("expression as argument");
  const indices = loops.map((l) => l.index.name);
  if (nodes.some((n) => n.kind === "name" && indices.includes(n.name))) {
    count("loop's index as argument");
  }
  if (definition.parameters.some((p) => e.kind === "name" && p.name.name === e.name)) {
    count("expression as argument");
  }
}

function countCall(s: Call, place: Place): void {
  const { module, definition, count, written, called } = place;
  const callee = module.definitions.find((d) => d.name.name === s.callee.name);
  if (callee === undefined) return;
  count("call");
  if (s.span.start === s.targets[0]?.name.span.start) count("call without parentheses");
  if (s.targets.length > 1) count("call of several results");
  if (place.loops.length > 0) count("call in a loop");
  if (place.branch) count("call in a branch");
  if (place.called.has(s.callee.name)) count("call of the same definition again");
  if (callee.span.start > definition.span.start) count("call of a definition below");
  const results = new Set(callee.results.map((r) => r.name.name));
  if (callee.parameters.some((p) => results.has(p.name.name))) {
    count("call of a definition that is in place");
  }
  if (callee.body.some((inner) => inner.kind === "call")) count("call in a call");
  for (const [n, argument] of s.arguments.entries()) {
    countArgument(argument, callee.parameters[n]?.type.dimensions?.length, place);
  }
  for (const { name, indices } of s.targets) {
    count(indices.length === 0 ? "whole target" : "slice as target");
    if (written.has(name.name)) count("target written before");
    written.add(name.name);
  }
  called.add(s.callee.name);
}

function countBody(body: readonly Statement[], place: Place): void {
  for (const s of body) {
    if (s.kind === "call") countCall(s, place);
    if (s.kind === "assign") place.written.add(s.target.name.name);
    if (s.kind === "for") countBody(s.body, { ...place, loops: [...place.loops, s] });
    if (s.kind !== "if") continue;
    const inside = { ...place, branch: true };
    for (const branch of s.branches) countBody(branch.body, inside);
    countBody(s.otherwise, inside);
  }
}

/** Counts the features of the calls of a module whose calls are marked. */
export function countCalls(module: Module, count: Count): void {
  for (const definition of module.definitions) {
    const place = { module, definition, loops: [], branch: false, count };
    countBody(definition.body, { ...place, written: new Set(), called: new Set() });
  }
}
