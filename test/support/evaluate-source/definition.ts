/** A definition's tensors, their types, and its body as a tree with loop cells. */
import type {
  Assign,
  Definition,
  Expression,
  Module,
  Statement,
  TypeNode,
} from "../../../src/frontend/ast.ts";
import {
  type Cell,
  combined,
  compile,
  type Scope,
  type Tensor,
  type World,
} from "./expressions.ts";
import { letsOf, namesOf } from "./ranges.ts";
import { arithmetic, reductionName, type Type, typeNamed, valueType, wider } from "./scalars.ts";

/** A part of the body and what its names mean. */
export type Node =
  | { readonly kind: "assign"; readonly statement: Assign; readonly scope: Scope }
  | {
      readonly kind: "loop";
      readonly name: string;
      readonly cell: Cell;
      readonly lower: Expression | undefined;
      readonly upper: Expression;
      readonly reversed: boolean;
      /** Of the bounds. */
      readonly scope: Scope;
      readonly body: readonly Node[];
    }
  | {
      readonly kind: "if";
      readonly branches: readonly {
        readonly holds: () => boolean;
        readonly body: readonly Node[];
      }[];
      readonly otherwise: readonly Node[];
    };

/** The sizes that are given, and those of `#! sizes`. */
export function sizesOf(
  module: Module,
  given: Readonly<Record<string, number>>,
): ReadonlyMap<string, number> {
  const directives = module.directives.flatMap((d) =>
    d.kind === "sizes" ? d.sizes.map((s): [string, number] => [s.name.name, s.value]) : [],
  );
  return new Map([...directives, ...Object.entries(given)]);
}

function sizeValue(e: Expression, sizes: ReadonlyMap<string, number>): number {
  if (e.kind === "integer") return e.value;
  if (e.kind === "name") return sizes.get(e.name) ?? Number.NaN;
  if (e.kind === "unary") return -sizeValue(e.operand, sizes);
  if (e.kind !== "binary") return Number.NaN;
  return arithmetic(e.operator, "int32")(sizeValue(e.left, sizes), sizeValue(e.right, sizes));
}

/** The assignments in the order of the text. */
function assignments(body: readonly Statement[]): readonly Assign[] {
  return body.flatMap((s): readonly Assign[] => {
    if (s.kind === "assign") return [s];
    if (s.kind === "for") return assignments(s.body);
    if (s.kind === "call") throw new Error("the evaluator does not know calls");
    return [...s.branches.flatMap((b) => assignments(b.body)), ...assignments(s.otherwise)];
  });
}

/** The tensors of a definition; without types and shapes where no declaration says them. */
export function tensorsOf(
  definition: Definition,
  sizes: ReadonlyMap<string, number>,
): ReadonlyMap<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  const add = (name: string, role: Tensor["role"], rank: number, type?: TypeNode): void => {
    const dims = type?.dimensions?.map((d) => sizeValue(d, sizes));
    const shape = role === "input" || name === "" ? (dims ?? []) : dims;
    tensors.set(name, {
      name,
      role,
      rank: shape?.length ?? rank,
      type: type === undefined ? undefined : typeNamed(type.scalar),
      shape,
      fixed: shape !== undefined,
      data: new Float64Array(),
    });
  };
  for (const { name, type } of definition.parameters) {
    const constant = type.dimensions === undefined && sizes.has(name.name);
    if (!constant) add(name.name, "input", 0, type);
  }
  const writes = assignments(definition.body);
  for (const { name, type } of definition.results) {
    const before = tensors.get(name.name);
    if (before !== undefined) {
      tensors.set(name.name, { ...before, role: "inout" });
      continue;
    }
    const first = writes.find((w) => w.target.name.name === name.name);
    const updates = first !== undefined && first.operator !== "=" && !first.operator.endsWith("!");
    add(name.name, updates ? "inout" : "output", first?.target.indices.length ?? 0, type);
  }
  for (const { target } of writes) {
    if (!tensors.has(target.name.name)) {
      add(target.name.name, "temporary", target.indices.length);
    }
  }
  return tensors;
}

/** The body with a cell for every loop. */
export function nodesOf(body: readonly Statement[], scope: Scope): readonly Node[] {
  return body.map((s) => nodeOf(s, scope));
}

function nodeOf(s: Statement, scope: Scope): Node {
  switch (s.kind) {
    case "assign":
      return { kind: "assign", statement: s, scope };
    case "for": {
      const cell: Cell = { value: 0 };
      const { name } = s.index;
      const inside = { ...scope, loops: [...scope.loops, { name, cell }] };
      const { lower, upper, reversed } = s;
      const inner = nodesOf(s.body, inside);
      return { kind: "loop", name, cell, lower, upper, reversed, scope, body: inner };
    }
    case "if": {
      const branches = s.branches.map((b) => {
        const { run } = compile(b.condition, scope);
        return { holds: () => run() !== 0, body: nodesOf(b.body, scope) };
      });
      return { kind: "if", branches, otherwise: nodesOf(s.otherwise, scope) };
    }
    case "call":
      throw new Error("the evaluator does not know calls");
  }
}

/** The assignments of a tree. */
export function* eachAssign(
  nodes: readonly Node[],
): Generator<Extract<Node, { readonly kind: "assign" }>> {
  for (const node of nodes) {
    if (node.kind === "assign") yield node;
    else if (node.kind === "loop") yield* eachAssign(node.body);
    else {
      for (const branch of node.branches) yield* eachAssign(branch.body);
      yield* eachAssign(node.otherwise);
    }
  }
}

/** Gives every tensor without a declared type the promotion of all that is written to it. */
export function inferTypes(nodes: readonly Node[], world: World): void {
  const open = [...eachAssign(nodes)].filter(
    ({ statement }) => world.tensors.get(statement.target.name.name)?.type === undefined,
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const { statement, scope } of open) {
      const tensor = world.tensors.get(statement.target.name.name);
      const type = contributionOf(statement, scope);
      if (tensor === undefined || type === undefined) continue;
      const after = tensor.type === undefined ? type : wider(valueType(tensor.type), type);
      changed ||= after !== tensor.type;
      tensor.type = after;
    }
  }
  for (const tensor of world.tensors.values()) tensor.type ??= "float32";
}

function contributionOf(statement: Assign, outer: Scope): Type | undefined {
  const name = reductionName(statement.operator);
  if (name.startsWith("arg")) return "int32";
  if (name === "&&" || name === "||") return "bool";
  const indices = new Map([...namesOf(statement, outer).keys()].map((n) => [n, { value: 0 }]));
  const scope: Scope = { ...outer, indices, lets: letsOf(statement) };
  const value = compile(statement.value, scope);
  if (name === "/") {
    const { target } = statement;
    const own: Expression = { kind: "apply", ...target, arguments: target.indices };
    return combined("/", compile(own, scope), value).type;
  }
  // Arithmetic on bools is arithmetic on integers.
  const sums = name === "+" || name === "-" || name === "*";
  return sums && value.type === "bool" ? "int32" : value.type;
}
