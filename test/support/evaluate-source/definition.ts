/** A definition's tensors, their types, and its body as a tree with loop cells. */
import type {
  Assign,
  Call,
  Definition,
  Expression,
  Module,
  Statement,
  TypeNode,
} from "../../../src/frontend/syntax/ast.ts";
import {
  type Cell,
  combined,
  compile,
  meaningOf,
  operandsOf,
  type Passed,
  type Scope,
  type Tensor,
  type World,
} from "./expressions.ts";
import { letsOf, namesOf } from "./ranges.ts";
import {
  arithmetic,
  type Element,
  reductionName,
  type Type,
  typeNamed,
  valueType,
  wider,
} from "./scalars.ts";

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
    }
  | {
      readonly kind: "call";
      /** Of the arguments and targets. */
      readonly scope: Scope;
      /** Of the body. */
      readonly world: World;
      /** The tensors of the body. */
      readonly own: readonly Tensor[];
      readonly transfers: readonly Transfer[];
      readonly body: readonly Node[];
    };

/** A tensor of a call and the expressions of the caller that it is copied from and to. */
export interface Transfer {
  readonly tensor: Tensor;
  /** A tensor, its leading indices given, or a scalar; undefined: it starts as 0. */
  readonly from: Expression | undefined;
  /** A tensor, its leading indices given. */
  readonly to: Expression | undefined;
}

/** The sizes that are given, and those of `#! sizes`. */
export function sizesOf(
  module: Module,
  given: Readonly<Record<string, number>>,
): Map<string, number> {
  const directives = module.directives.flatMap((d) =>
    d.kind === "sizes" ? d.sizes.map((s): [string, number] => [s.name.name, s.value]) : [],
  );
  return new Map([...directives, ...Object.entries(given)]);
}

export function sizeValue(e: Expression, sizes: ReadonlyMap<string, number>): number {
  if (e.kind === "integer") return e.value;
  if (e.kind === "name") return sizes.get(e.name) ?? Number.NaN;
  if (e.kind === "unary") return -sizeValue(e.operand, sizes);
  if (e.kind !== "binary") return Number.NaN;
  const [left, right] = [sizeValue(e.left, sizes), sizeValue(e.right, sizes)];
  const known = !Number.isNaN(left) && !Number.isNaN(right);
  return known ? arithmetic(e.operator, "int32")(left, right) : Number.NaN;
}

/** What the text says about the first write of a tensor. */
interface Write {
  readonly name: string;
  readonly rank: number;
  /** True when it combines with what the tensor holds. */
  readonly updates: boolean;
  /** Of what a call gives. */
  readonly type?: Element | undefined;
}

/** The writes in the order of the text. */
function writesOf(
  body: readonly Statement[],
  definitions: readonly Definition[],
): readonly Write[] {
  return body.flatMap((s): readonly Write[] => {
    if (s.kind === "for") return writesOf(s.body, definitions);
    if (s.kind === "if") {
      const bodies = [...s.branches.map((b) => b.body), s.otherwise];
      return bodies.flatMap((inner) => writesOf(inner, definitions));
    }
    const call = callIn(s, definitions);
    if (call === undefined && s.kind === "assign") {
      const updates = s.operator !== "=" && !s.operator.endsWith("!");
      return [{ name: s.target.name.name, rank: s.target.indices.length, updates }];
    }
    const callee = definitions.find((d) => d.name.name === call?.callee.name);
    if (callee === undefined || call === undefined) throw new Error("a call of nothing");
    const { world } = openWorld(callee, definitions, new Map(), new Map(), []);
    return call.targets.flatMap((target, n): readonly Write[] => {
      const result = world.tensors.get(callee.results[n]?.name.name ?? "");
      if (result === undefined) throw new Error("a target without a result");
      const { rank, role, type } = result;
      const full = target.indices.length + rank;
      return [{ name: target.name.name, rank: full, updates: role === "inout", type }];
    });
  });
}

/** The call that a statement is: `(t, u) = f(a)`, or `t = f(a)` with `f` a definition. */
function callIn(s: Statement, definitions: readonly Definition[]): Call | undefined {
  if (s.kind === "call") return s;
  if (s.kind !== "assign" || s.value.kind !== "apply") return undefined;
  const { name: callee, arguments: passed } = s.value;
  const plain = s.operator === "=" && s.clauses.length === 0;
  if (!plain || !definitions.some((d) => d.name.name === callee.name)) return undefined;
  return { kind: "call", targets: [s.target], callee, arguments: passed, span: s.span };
}

/** The definitions whose names no tensor of this one has. */
function visibleIn(
  definition: Definition,
  definitions: readonly Definition[],
): readonly Definition[] {
  const targets = (body: readonly Statement[]): readonly string[] =>
    body.flatMap((s): readonly string[] => {
      if (s.kind === "for") return targets(s.body);
      if (s.kind === "if") return [...s.branches.map((b) => b.body), s.otherwise].flatMap(targets);
      return (s.kind === "call" ? s.targets : [s.target]).map((target) => target.name.name);
    });
  const hidden = new Set([
    ...definition.parameters.map((p) => p.name.name),
    ...definition.results.map((r) => r.name.name),
    ...targets(definition.body),
  ]);
  return definitions.filter((d) => !hidden.has(d.name.name));
}

/** The tensors of a definition; without types and shapes where no declaration says them. */
function tensorsOf(
  definition: Definition,
  definitions: readonly Definition[],
  sizes: ReadonlyMap<string, number>,
  passed: World["passed"],
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
      typed: type !== undefined,
      declared: type?.dimensions,
      data: new Float64Array(),
    });
  };
  for (const { name, type } of tensorParameters(definition, sizes, passed)) {
    add(name.name, "input", 0, type);
  }
  const writes = writesOf(definition.body, visibleIn(definition, definitions));
  for (const { name, type } of definition.results) {
    const before = tensors.get(name.name);
    if (before !== undefined) {
      tensors.set(name.name, { ...before, role: "inout" });
      continue;
    }
    const first = writes.find((w) => w.name === name.name);
    add(name.name, first?.updates === true ? "inout" : "output", first?.rank ?? 0, type);
  }
  for (const { name, rank } of writes) {
    if (!tensors.has(name)) add(name, "temporary", rank);
  }
  widenByCalls(tensors, writes);
  return tensors;
}

/** The parameters that are no constants. */
function tensorParameters(
  definition: Definition,
  sizes: ReadonlyMap<string, number>,
  passed: World["passed"],
): Definition["parameters"] {
  return definition.parameters.filter(({ name, type }) => {
    const constant = sizes.has(name.name) || passed.has(name.name);
    return type.dimensions !== undefined || !constant;
  });
}

/** Tensors without a declared type hold what calls give them, narrow integers as int32 or uint32. */
function widenByCalls(tensors: ReadonlyMap<string, Tensor>, writes: readonly Write[]): void {
  for (const { name, type } of writes) {
    const tensor = tensors.get(name);
    if (tensor === undefined || type === undefined || tensor.typed) continue;
    const given = valueType(type);
    tensor.type = tensor.type === undefined ? given : wider(valueType(tensor.type), given);
  }
}

/** A definition's names, and its body as a tree, with all types known. */
export function openWorld(
  definition: Definition,
  definitions: readonly Definition[],
  sizes: ReadonlyMap<string, number>,
  passed: World["passed"],
  faults: string[],
): { readonly world: World; readonly nodes: readonly Node[] } {
  const known = new Map(sizes);
  for (const { type } of definition.parameters) {
    for (const name of (type.dimensions ?? []).flatMap(namesIn)) {
      if (!known.has(name) && !passed.has(name)) known.set(name, Number.NaN);
    }
  }
  const tensors = tensorsOf(definition, definitions, known, passed);
  const world: World = {
    definitions: visibleIn(definition, definitions),
    sizes: known,
    passed,
    tensors,
    faults,
  };
  const nodes = nodesOf(definition.body, { world, loops: [], indices: new Map(), lets: new Map() });
  inferTypes(nodes, world);
  return { world, nodes };
}

/** The names in an expression. */
export function namesIn(e: Expression): readonly string[] {
  return [...(e.kind === "name" ? [e.name] : []), ...operandsOf(e).flatMap(namesIn)];
}

/** The body with a cell for every loop. */
function nodesOf(body: readonly Statement[], scope: Scope): readonly Node[] {
  return body.map((s) => nodeOf(s, scope));
}

function nodeOf(s: Statement, scope: Scope): Node {
  const call = callIn(s, scope.world.definitions);
  if (call !== undefined) return callOf(call, scope);
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
      throw new Error("a call of nothing");
  }
}

/** A call: every tensor is copied in, every result copied out. */
function callOf({ callee, arguments: passed, targets }: Call, scope: Scope): Node {
  const { definitions, faults } = scope.world;
  const definition = definitions.find((d) => d.name.name === callee.name);
  if (definition === undefined) throw new Error(`no definition is called ${callee.name}`);
  const values = passedValues(definition, passed, scope);
  const { world, nodes } = openWorld(definition, definitions, new Map(), values, faults);
  const transfers = new Map<string, Transfer>();
  for (const [n, { name }] of definition.parameters.entries()) {
    const [tensor, from] = [world.tensors.get(name.name), passed[n]];
    if (tensor !== undefined && from !== undefined) {
      transfers.set(name.name, { tensor, from, to: undefined });
    }
  }
  for (const [n, { name }] of definition.results.entries()) {
    const [tensor, to] = [world.tensors.get(name.name), targets[n]];
    if (tensor === undefined || to === undefined) throw new Error("a result without a target");
    const target: Expression = { kind: "apply", ...to, arguments: to.indices };
    const before = transfers.get(name.name)?.from;
    const from = before ?? (tensor.role === "inout" ? target : undefined);
    transfers.set(name.name, { tensor, from, to: target });
  }
  const own = [...world.tensors.values()];
  return { kind: "call", scope, world, own, transfers: [...transfers.values()], body: nodes };
}

/** The scalars among the arguments that read no tensor. */
function passedValues(
  definition: Definition,
  passed: readonly Expression[],
  scope: Scope,
): ReadonlyMap<string, Passed> {
  const values = new Map<string, Passed>();
  for (const [n, { name, type }] of definition.parameters.entries()) {
    const value = passed[n];
    if (value === undefined) throw new Error(`${definition.name.name} needs more arguments`);
    if (type.dimensions !== undefined || readsTensors(value, scope)) continue;
    values.set(name.name, { value, scope, type: valueType(typeNamed(type.scalar)) });
  }
  return values;
}

function readsTensors(e: Expression, scope: Scope): boolean {
  const named = e.kind === "name" ? e.name : e.kind === "apply" ? e.name.name : undefined;
  const meaning = named === undefined ? undefined : meaningOf(named, scope);
  return meaning?.kind === "tensor" || operandsOf(e).some((part) => readsTensors(part, scope));
}

/** The assignments of a tree. */
function* eachAssign(
  nodes: readonly Node[],
): Generator<Extract<Node, { readonly kind: "assign" }>> {
  for (const node of nodes) {
    if (node.kind === "assign") yield node;
    else if (node.kind === "loop") yield* eachAssign(node.body);
    else if (node.kind === "if") {
      for (const branch of node.branches) yield* eachAssign(branch.body);
      yield* eachAssign(node.otherwise);
    }
  }
}

/** Gives every tensor without a declared type the promotion of all that is written to it. */
function inferTypes(nodes: readonly Node[], world: World): void {
  const open = [...eachAssign(nodes)].filter(
    ({ statement }) => world.tensors.get(statement.target.name.name)?.typed === false,
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
