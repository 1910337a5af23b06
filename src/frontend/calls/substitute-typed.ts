import { flatMap } from "../../support/flat-map.ts";
import type {
  SizeBinding,
  Typed,
  TypedInlined,
  TypedLoop,
  TypedNode,
  TypedResult,
  TypedStatement,
  TypedView,
} from "../names/typed.ts";

/** What the names of a definition are in the place of a call. */
export interface Substitution {
  /** A tensor as a part of another, or as one of its own. */
  readonly viewOf: (tensor: string) => PassedTensor;
  /** The value of a scalar that is passed by value; undefined for other names. */
  readonly valueOf: (name: string) => Typed | undefined;
  readonly sizeOf: (name: string) => string;
  readonly loopOf: (name: string) => string;
  /** The loops around the call: no index may have their names. */
  readonly around: readonly string[];
}

/** What a tensor of a definition is in the place of a call. */
export interface PassedTensor extends Pick<TypedView, "tensor" | "leading"> {
  /** True when the call has it for itself. */
  readonly own: boolean;
}

/** An expression with other names; `indices` are those of its statement that change. */
export function substituteTyped(
  e: Typed,
  by: Substitution,
  indices: ReadonlyMap<string, string>,
): Typed {
  const down = (part: Typed): Typed => substituteTyped(part, by, indices);
  switch (e.kind) {
    case "literal":
    case "error":
      return e;
    case "index":
      return { ...e, name: indices.get(e.name) ?? by.loopOf(e.name) };
    case "size":
      return by.valueOf(e.name) ?? { ...e, name: by.sizeOf(e.name) };
    case "extent": {
      const { tensor, leading } = by.viewOf(e.tensor);
      return { ...e, tensor, dimension: leading.length + e.dimension };
    }
    case "access": {
      const value = by.valueOf(e.tensor);
      if (value !== undefined) return value;
      const { tensor, leading } = by.viewOf(e.tensor);
      return { ...e, tensor, indices: [...leading, ...e.indices.map(down)] };
    }
    case "unary":
    case "cast":
      return { ...e, operand: down(e.operand) };
    case "binary":
      return { ...e, left: down(e.left), right: down(e.right) };
    case "select":
      return {
        ...e,
        condition: down(e.condition),
        whenTrue: down(e.whenTrue),
        whenFalse: down(e.whenFalse),
      };
    case "call":
      return { ...e, arguments: e.arguments.map(down) };
  }
}

/** Nodes without calls, with other names. */
export function substituteNodes(
  nodes: readonly TypedNode[],
  by: Substitution,
): readonly TypedNode[] {
  return nodes.map((node) => substituteNode(node, by));
}

function substituteNode(node: TypedNode, by: Substitution): TypedNode {
  switch (node.kind) {
    case "statement":
      return substituteStatement(node, by);
    case "loop":
      return substituteLoop(node, by);
    case "if":
      return {
        ...node,
        branches: node.branches.map(({ condition, body }) => ({
          condition: substituteTyped(condition, by, noIndices),
          body: substituteNodes(body, by),
        })),
        otherwise: substituteNodes(node.otherwise, by),
      };
    case "inlined":
      return substituteInlined(node, by);
    case "mistake":
      return { ...node, tensors: node.tensors.map((name) => by.viewOf(name).tensor) };
    case "call":
      return node;
  }
}

const noIndices: ReadonlyMap<string, string> = new Map();

function substituteLoop(node: TypedLoop, by: Substitution): TypedLoop {
  const name = by.loopOf(node.name);
  return {
    ...node,
    name,
    lower: substituteTyped(node.lower, by, noIndices),
    upper: substituteTyped(node.upper, by, noIndices),
    body: substituteNodes(node.body, { ...by, around: [...by.around, name] }),
  };
}

function substituteStatement(node: TypedStatement, by: Substitution): TypedStatement {
  const taken = new Set([...by.around, ...node.indices.map((i) => i.name)]);
  const indices = new Map(
    node.indices.map(({ name }) => {
      let fresh = name;
      while (by.around.includes(fresh) || (fresh !== name && taken.has(fresh))) fresh += "_";
      return [name, fresh] as const;
    }),
  );
  const down = (e: Typed): Typed => substituteTyped(e, by, indices);
  const { tensor, leading, own } = by.viewOf(node.target);
  const passed = !own || node.given !== undefined;
  return {
    ...node,
    target: tensor,
    left: [...leading, ...node.left.map(down)],
    ...(passed ? { given: leading.length + (node.given ?? 0) } : {}),
    indices: node.indices.map((i) => ({ ...i, name: indices.get(i.name) ?? i.name })),
    clauses: node.clauses.map((c) => ({
      ...c,
      index: indices.get(c.index) ?? c.index,
      lower: down(c.lower),
      upper: down(c.upper),
    })),
    exists: node.exists.map(down),
    value: down(node.value),
  };
}

function substituteView(view: TypedView, by: Substitution): TypedView {
  const { tensor, leading } = by.viewOf(view.tensor);
  const own = view.leading.map((index) => substituteTyped(index, by, noIndices));
  return { ...view, tensor, leading: [...leading, ...own] };
}

function substituteInlined(node: TypedInlined, by: Substitution): TypedInlined {
  const { binding } = node;
  const bound: SizeBinding = {
    ...binding,
    sizes: new Map([...binding.sizes].map(([name, here]) => [name, by.sizeOf(here)])),
    values: new Map(
      [...binding.values].map(([name, value]) => [name, substituteTyped(value, by, noIndices)]),
    ),
    // A scalar that is passed on is a value by now.
    parameters: flatMap(binding.parameters, (p) =>
      by.valueOf(p.view.tensor) === undefined ? [{ ...p, view: substituteView(p.view, by) }] : [],
    ),
    shapes: binding.shapes.map((s) => ({ ...s, tensor: by.viewOf(s.tensor).tensor })),
  };
  return {
    ...node,
    before: node.before.map((s) => substituteStatement(s, by)),
    binding: bound,
    body: substituteNodes(node.body, by),
    results: node.results.map(
      (result): TypedResult => ({
        temporary: by.viewOf(result.temporary).tensor,
        target: substituteView(result.target, by),
        copy: substituteStatement(result.copy, by),
      }),
    ),
    own: new Map([...node.own].map(([name, source]) => [by.viewOf(name).tensor, source])),
  };
}
