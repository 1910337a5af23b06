/** Expressions of the syntax tree as functions of the current loop and index values. */
import type { Apply, Binary, Definition, Expression } from "../../../src/frontend/syntax/ast.ts";
import {
  arithmetic,
  comparison,
  converted,
  type Element,
  floatFunctions,
  floatTests,
  numberFunctions,
  type Type,
  typeNamed,
  valueType,
  wider,
  wrapped,
} from "./scalars.ts";

/** The current value of a loop or of an index. */
export interface Cell {
  value: number;
}

/** A tensor while the definition is evaluated. */
export interface Tensor {
  readonly name: string;
  readonly rank: number;
  readonly role: "input" | "inout" | "output" | "temporary";
  /** Undefined until it is known. */
  type: Element | undefined;
  /** What is written so far; in the end the shape. Undefined before the first write. */
  shape: readonly number[] | undefined;
  /** True when a declaration says the shape. */
  readonly fixed: boolean;
  /** True when a declaration says the type. */
  readonly typed: boolean;
  /** The dimensions of the declaration. */
  readonly declared: readonly Expression[] | undefined;
  data: Float64Array;
}

/** A scalar that a call passes: an expression of the caller, of the parameter's type. */
export interface Passed {
  readonly value: Expression;
  readonly scope: Scope;
  readonly type: Type;
}

/** What the whole definition shares; each call has a world of its own. */
export interface World {
  /** The definitions of the file. */
  readonly definitions: readonly Definition[];
  /** Of a definition that is called: told anew by each call. */
  readonly sizes: Map<string, number>;
  /** Scalars that the call passes and that read no tensor. */
  readonly passed: ReadonlyMap<string, Passed>;
  readonly tensors: ReadonlyMap<string, Tensor>;
  /** Analysed accesses that left their tensor: none in a definition that was checked well. */
  readonly faults: string[];
}

/** What names mean where an expression stands. */
export interface Scope {
  readonly world: World;
  readonly loops: readonly { readonly name: string; readonly cell: Cell }[];
  /** The statement's own indices. */
  readonly indices: ReadonlyMap<string, Cell>;
  /** `name = value` clauses. */
  readonly lets: ReadonlyMap<string, Expression>;
}

/** An expression: its type (undefined when a tensor's is not known yet) and its value. */
export interface Compiled {
  readonly type: Type | undefined;
  /** A written integer, which takes the type of its operand. */
  readonly adapts?: number;
  /** True for a written real number, which is float16 next to one. */
  readonly real?: boolean;
  readonly run: () => number;
}

const unknown: Compiled = {
  type: undefined,
  run: () => {
    throw new Error("an expression without a type");
  },
};

/** What a name is: an index or loop, a let, a size or a tensor without dimensions. */
export function meaningOf(
  name: string,
  { world, loops, indices, lets }: Scope,
):
  | { readonly kind: "cell"; readonly cell: Cell }
  | { readonly kind: "let"; readonly value: Expression }
  | { readonly kind: "size"; readonly value: number }
  | { readonly kind: "passed"; readonly passed: Passed }
  | { readonly kind: "tensor"; readonly tensor: Tensor }
  | undefined {
  const own = indices.get(name);
  if (own !== undefined) return { kind: "cell", cell: own };
  const value = lets.get(name);
  if (value !== undefined) return { kind: "let", value };
  const loop = [...loops].reverse().find((l) => l.name === name);
  if (loop !== undefined) return { kind: "cell", cell: loop.cell };
  const passed = world.passed.get(name);
  if (passed !== undefined) return { kind: "passed", passed };
  const size = world.sizes.get(name);
  if (size !== undefined) return { kind: "size", value: size };
  const tensor = world.tensors.get(name);
  return tensor === undefined ? undefined : { kind: "tensor", tensor };
}

function literal(value: number, type: Type): Compiled {
  return { type, run: () => value };
}

function written(value: number): Compiled {
  return { type: "int32", adapts: value, run: () => value };
}

/** The values of an expression as values of a type. */
export function as(e: Compiled, type: Element): () => number {
  const { type: from, run, adapts } = e;
  if (from === undefined) return run;
  if (adapts !== undefined) {
    const value = type === "float32" ? Math.fround(adapts) : converted(adapts, "int32", type);
    return () => value;
  }
  return from === type ? run : () => converted(run(), from, type);
}

/** The type that two operands meet in; undefined when one is not known. */
function common(a: Compiled, b: Compiled): Type | undefined {
  if (a.type === undefined || b.type === undefined) return undefined;
  const takes = (e: Compiled, type: Type): boolean => {
    if (e.real === true) return type === "float16";
    if (e.adapts === undefined) return false;
    return type === "float32" || type === "float16" || (type === "uint32" && e.adapts >= 0);
  };
  if (takes(a, b.type)) return b.type;
  if (takes(b, a.type)) return a.type;
  return wider(a.type, b.type);
}

/** Compiles an expression. */
export function compile(e: Expression, scope: Scope): Compiled {
  switch (e.kind) {
    case "integer":
      return written(e.value);
    case "float":
      return { ...literal(Math.fround(e.value), "float32"), real: true };
    case "boolean":
      return literal(e.value ? 1 : 0, "bool");
    case "infinity":
      return { ...literal(Infinity, "float32"), real: true };
    case "name":
      return compileName(e.name, scope);
    case "apply": {
      const tensor = scope.world.tensors.get(e.name.name);
      return tensor === undefined ? compileCall(e, scope) : compileRead(tensor, e.arguments, scope);
    }
    case "cast": {
      const operand = compile(e.operand, scope);
      const type = typeNamed(e.type);
      if (operand.type === undefined) return unknown;
      return { type: valueType(type), run: as(operand, type) };
    }
    case "extent": {
      const tensor = scope.world.tensors.get(e.tensor.name);
      return { type: "int32", run: () => tensor?.shape?.[e.dimension] ?? 0 };
    }
    case "pad":
      return compilePad(e.access, e.value, scope);
    case "unary":
      return e.operator === "-"
        ? negative(compile(e.operand, scope))
        : not(compile(e.operand, scope));
    case "binary":
      return compileBinary(e, scope);
    case "conditional":
      return choice(
        compile(e.condition, scope),
        compile(e.then, scope),
        compile(e.otherwise, scope),
      );
    case "missing":
      throw new Error("a missing expression");
  }
}

function compileName(name: string, scope: Scope): Compiled {
  const meaning = meaningOf(name, scope);
  switch (meaning?.kind) {
    case "cell": {
      const { cell } = meaning;
      return { type: "int32", run: () => cell.value };
    }
    case "let":
      return compile(meaning.value, scope);
    case "size":
      return { type: "int32", run: () => scope.world.sizes.get(name) ?? Number.NaN };
    case "passed": {
      const { value, scope: outer, type } = meaning.passed;
      return { type, run: as(compile(value, outer), type) };
    }
    case "tensor":
      return compileRead(meaning.tensor, [], scope);
    default:
      throw new Error(`nothing is called ${name}`);
  }
}

/** The element, outside of the tensor the value. */
function compilePad(access: Expression, value: Expression | undefined, scope: Scope): Compiled {
  const [name, args] =
    access.kind === "apply"
      ? [access.name.name, access.arguments]
      : [access.kind === "name" ? access.name : "", []];
  const tensor = scope.world.tensors.get(name);
  if (tensor === undefined) throw new Error("pad of something that is no access");
  const outside =
    value === undefined
      ? { ...unknown, type: valued(tensor.type), adapts: 0 }
      : compile(value, scope);
  const place = placeOf(tensor, args, scope);
  const element: Compiled = {
    type: valued(tensor.type),
    run: () => tensor.data[place() ?? 0] ?? 0,
  };
  const type = common(element, outside);
  if (type === undefined) return unknown;
  const [inside, fill] = [as(element, type), as(outside, type)];
  return { type, run: () => (place() === undefined ? fill() : inside()) };
}

/** The position of an element in a tensor's data; undefined outside of the tensor. */
export function placeOf(
  tensor: Tensor,
  args: readonly Expression[],
  scope: Scope,
): () => number | undefined {
  const indices = args.map((a) => as(compile(a, scope), "int32"));
  return () => {
    let place = 0;
    for (const [d, index] of indices.entries()) {
      const at = index();
      const size = tensor.shape?.[d] ?? 0;
      if (at < 0 || at >= size) return undefined;
      place = place * size + at;
    }
    return place;
  };
}

function valued(element: Element | undefined): Type | undefined {
  return element === undefined ? undefined : valueType(element);
}

/** The element; 0 outside of the tensor, which is a fault when all indices are analysed. */
function compileRead(tensor: Tensor, args: readonly Expression[], scope: Scope): Compiled {
  const { name } = tensor;
  const type = valued(tensor.type);
  const place = placeOf(tensor, args, scope);
  if (type === undefined) return unknown;
  const checked = args.every((a) => isAnalysed(a, scope));
  const run = (): number => {
    const at = place();
    if (at !== undefined) return tensor.data[at] ?? 0;
    if (checked) scope.world.faults.push(`a read of ${name} is outside of ${tensor.shape}`);
    return 0;
  };
  return { type, run };
}

/** True for indices whose bounds are checked: affine ones, and `min`, `max`, `clamp` of such. */
function isAnalysed(e: Expression, scope: Scope): boolean {
  const extremum = e.kind === "apply" && ["min", "max", "clamp"].includes(e.name.name);
  if (extremum && !scope.world.tensors.has(e.name.name))
    return e.arguments.every((a) => isAnalysed(a, scope));
  return isAffine(e, scope);
}

/** True for affine functions of indices, with `/` and `%` by constants. */
export function isAffine(e: Expression, scope: Scope): boolean {
  switch (e.kind) {
    case "integer":
    case "extent":
      return true;
    case "name": {
      const meaning = meaningOf(e.name, scope);
      if (meaning?.kind === "let") return isAffine(meaning.value, scope);
      if (meaning?.kind === "passed") return isAffine(meaning.passed.value, meaning.passed.scope);
      return meaning?.kind === "cell" || meaning?.kind === "size";
    }
    case "unary":
      return e.operator === "-" && isAffine(e.operand, scope);
    case "binary":
      return isAffine(e.left, scope) && isAffine(e.right, scope) && keepsAffine(e, scope);
    default:
      return false;
  }
}

/** Whether an operator makes an affine function of affine functions. */
function keepsAffine(e: Binary, scope: Scope): boolean {
  const constant = (part: Expression): boolean => cellsOf(part, scope).size === 0;
  if (e.operator === "*") return constant(e.left) || constant(e.right);
  if (e.operator === "/" || e.operator === "%") return constant(e.right);
  return e.operator === "+" || e.operator === "-";
}

/** The loops and indices in an expression, through lets and passed scalars. */
export function cellsOf(e: Expression, scope: Scope): ReadonlySet<Cell> {
  const found = new Set<Cell>();
  const visit = (part: Expression, where: Scope): void => {
    if (part.kind === "name") {
      const meaning = meaningOf(part.name, where);
      if (meaning?.kind === "cell") found.add(meaning.cell);
      if (meaning?.kind === "let") visit(meaning.value, where);
      if (meaning?.kind === "passed") visit(meaning.passed.value, meaning.passed.scope);
    }
    for (const inner of operandsOf(part)) visit(inner, where);
  };
  visit(e, scope);
  return found;
}

/** The direct operands. */
export function operandsOf(e: Expression): readonly Expression[] {
  switch (e.kind) {
    case "apply":
      return e.arguments;
    case "cast":
    case "unary":
      return [e.operand];
    case "pad":
      return e.value === undefined ? [e.access] : [e.access, e.value];
    case "binary":
      return [e.left, e.right];
    case "conditional":
      return [e.condition, e.then, e.otherwise];
    default:
      return [];
  }
}

function not(operand: Compiled): Compiled {
  return { type: "bool", run: () => (operand.run() === 0 ? 1 : 0) };
}

function negative(operand: Compiled): Compiled {
  if (operand.adapts !== undefined) return written(0 - operand.adapts);
  if (operand.type === undefined) return unknown;
  const type = operand.type === "bool" ? "int32" : operand.type;
  const run = as(operand, type);
  const real = operand.real === undefined ? {} : { real: operand.real };
  return { type, ...real, run: () => wrapped(0 - run(), type) };
}

function choice(condition: Compiled, then: Compiled, otherwise: Compiled): Compiled {
  const type = common(then, otherwise);
  if (type === undefined) return unknown;
  const [yes, no] = [as(then, type), as(otherwise, type)];
  return { type, run: () => (condition.run() === 0 ? no() : yes()) };
}

function compileBinary(e: Binary, scope: Scope): Compiled {
  const [left, right] = [compile(e.left, scope), compile(e.right, scope)];
  if (e.operator === "&&") {
    return { type: "bool", run: () => (left.run() !== 0 && right.run() !== 0 ? 1 : 0) };
  }
  if (e.operator === "||") {
    return { type: "bool", run: () => (left.run() !== 0 || right.run() !== 0 ? 1 : 0) };
  }
  return combined(e.operator, left, right);
}

/** A comparison or arithmetic in the common type of the operands. */
export function combined(operator: Binary["operator"], left: Compiled, right: Compiled): Compiled {
  const meet = common(left, right);
  if (meet === undefined) return unknown;
  const compares = comparison(operator);
  if (compares !== undefined) {
    const [a, b] = [as(left, meet), as(right, meet)];
    return { type: "bool", run: () => (compares(a(), b()) ? 1 : 0) };
  }
  const type = meet === "bool" ? "int32" : meet;
  const compute = arithmetic(operator, type);
  if (left.adapts !== undefined && right.adapts !== undefined) {
    return written(compute(left.adapts, right.adapts));
  }
  const [a, b] = [as(left, type), as(right, type)];
  return { type, run: () => compute(a(), b()) };
}

/** A call of a builtin function. */
function compileCall(e: Apply, scope: Scope): Compiled {
  const { name } = e.name;
  const args = e.arguments.map((a) => compile(a, scope));
  if (name === "select") {
    const [no = unknown, yes = unknown, condition = unknown] = args;
    return choice(condition, yes, no);
  }
  if (args.some((a) => a.type === undefined)) return unknown;
  const float = floatFunctions[name];
  const test = floatTests[name];
  if (float !== undefined || test !== undefined) {
    const values = args.map((a) => as(a, "float32"));
    const widest = args.reduce((a, b) => ({ ...unknown, type: common(a, b) }));
    const type = widest.type === "float16" ? "float16" : "float32";
    if (float !== undefined) return { type, run: () => float(...values.map((v) => v())) };
    return { type: "bool", run: () => (test?.(values[0]?.() ?? 0) === true ? 1 : 0) };
  }
  const number = numberFunctions[name];
  if (number === undefined) throw new Error(`no function is called ${name}`);
  const [first = unknown, ...rest] = args;
  let widest = first;
  for (const next of rest) {
    const type = common(widest, next);
    if (type !== widest.type || widest.adapts !== undefined) widest = next;
  }
  const { type: meet } = widest;
  const type = meet === undefined || meet === "bool" ? "int32" : meet;
  const values = args.map((a) => as(a, type));
  return { type, run: () => wrapped(number(...values.map((v) => v())), type) };
}
