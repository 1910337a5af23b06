/**
 * The abstract syntax of the language, as written: nothing is resolved yet.
 *
 * ```
 * module     := definition* directive*
 * definition := name parameter* result* statement*
 * parameter  := type name            result := type? name
 * type       := scalar (expression*)?
 * statement  := assign(target, operator, expression, clause*)
 *             | for(name, range, statement*)
 *             | if((condition, statement*)+, statement*)
 *             | call(target+, name, expression*)
 * clause     := range(name, lower, upper) | let(name, expression) | exists(expression)
 * expression := integer | float | boolean | infinity | name | apply(name, expression*)
 *             | cast(scalar, expression) | extent(name, dimension) | pad(expression, expression?)
 *             | unary | binary | conditional | missing
 * ```
 * `apply` is a tensor access, a function call, or a call of a definition: names decide later.
 * `missing` stands where recovery found no expression; a tree with one comes with an error.
 */
import type { Span } from "../../diagnostics/span.ts";

/** A source file. */
export interface Module {
  readonly definitions: readonly Definition[];
  readonly directives: readonly Directive[];
}

/** A name where it is written. */
export interface Identifier {
  readonly name: string;
  readonly span: Span;
}

/** `def name(parameters) -> (results) { body }`. */
export interface Definition {
  readonly name: Identifier;
  readonly parameters: readonly Parameter[];
  readonly results: readonly Result[];
  readonly body: readonly Statement[];
  readonly span: Span;
}

/** `type name`. */
export interface Parameter {
  readonly type: TypeNode;
  readonly name: Identifier;
  readonly span: Span;
}

/** `[type] name`. */
export interface Result {
  readonly type?: TypeNode;
  readonly name: Identifier;
  readonly span: Span;
}

/** A scalar type, with dimensions when it is a tensor's; `float` alone has none. */
export interface TypeNode {
  readonly scalar: ScalarName;
  readonly dimensions?: readonly Expression[];
  readonly span: Span;
}

/** The scalar types as they may be written. */
export type ScalarName =
  | "float"
  | "float16"
  | "float32"
  | "float64"
  | "half"
  | "double"
  | "int"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "bool";

export type Statement = Assign | For | If | Call;

/** `target operator value where clauses`. */
export interface Assign {
  readonly kind: "assign";
  readonly target: Target;
  readonly operator: AssignOperator;
  readonly operatorSpan: Span;
  readonly value: Expression;
  readonly clauses: readonly Clause[];
  readonly span: Span;
}

/** The left side of an assignment: a tensor and its indices, none for a scalar. */
export interface Target {
  readonly name: Identifier;
  readonly indices: readonly Expression[];
  readonly span: Span;
}

export type AssignOperator =
  | "="
  | "-="
  | "/="
  | `${"+" | "*" | "min" | "max" | "&&" | "||"}=${"" | "!"}`
  | "argmin=!"
  | "argmax=!";

export type Clause = RangeClause | LetClause | ExistsClause;

/** `name in lower:upper`, half-open. */
export interface RangeClause {
  readonly kind: "range";
  readonly name: Identifier;
  readonly lower: Expression;
  readonly upper: Expression;
  readonly span: Span;
}

/** `name = value`. */
export interface LetClause {
  readonly kind: "let";
  readonly name: Identifier;
  readonly value: Expression;
  readonly span: Span;
}

/** `exists access`: ranges as if the access were read. */
interface ExistsClause {
  readonly kind: "exists";
  readonly access: Expression;
  readonly span: Span;
}

/** `for index in range { body }`; without `lower` the range starts at 0. */
export interface For {
  readonly kind: "for";
  readonly index: Identifier;
  readonly lower?: Expression;
  readonly upper: Expression;
  readonly reversed: boolean;
  readonly body: readonly Statement[];
  readonly span: Span;
}

/** `if c { .. } else if c { .. } else { .. }`; `otherwise` is empty without an `else`. */
export interface If {
  readonly kind: "if";
  readonly branches: readonly Branch[];
  readonly otherwise: readonly Statement[];
  readonly span: Span;
}

/** A condition and what it leads to. */
export interface Branch {
  readonly condition: Expression;
  readonly body: readonly Statement[];
}

/** `(targets) = callee(arguments)`. One target without parentheses parses as an assignment. */
export interface Call {
  readonly kind: "call";
  readonly targets: readonly Target[];
  readonly callee: Identifier;
  readonly arguments: readonly Expression[];
  readonly span: Span;
}

export type Expression =
  | IntegerLiteral
  | FloatLiteral
  | BooleanLiteral
  | Infinity
  | Name
  | Apply
  | Cast
  | Extent
  | Pad
  | Unary
  | Binary
  | Conditional
  | Missing;

interface IntegerLiteral {
  readonly kind: "integer";
  readonly value: number;
  readonly span: Span;
}

interface FloatLiteral {
  readonly kind: "float";
  readonly value: number;
  readonly span: Span;
}

interface BooleanLiteral {
  readonly kind: "boolean";
  readonly value: boolean;
  readonly span: Span;
}

/** `inf`. */
interface Infinity {
  readonly kind: "infinity";
  readonly span: Span;
}

/** An identifier alone. */
interface Name {
  readonly kind: "name";
  readonly name: string;
  readonly span: Span;
}

/** `name(arguments)`: an access, or a call. */
export interface Apply {
  readonly kind: "apply";
  readonly name: Identifier;
  readonly arguments: readonly Expression[];
  readonly span: Span;
}

/** `scalar(operand)`. */
interface Cast {
  readonly kind: "cast";
  readonly type: ScalarName;
  readonly operand: Expression;
  readonly span: Span;
}

/** `tensor.dimension`, the size of a dimension. */
export interface Extent {
  readonly kind: "extent";
  readonly tensor: Identifier;
  readonly dimension: number;
  readonly span: Span;
}

/** `pad(access)` or `pad(access, value)`. */
export interface Pad {
  readonly kind: "pad";
  readonly access: Expression;
  readonly value?: Expression;
  readonly span: Span;
}

export interface Unary {
  readonly kind: "unary";
  readonly operator: "-" | "!";
  readonly operand: Expression;
  readonly span: Span;
}

export interface Binary {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
  readonly span: Span;
}

export type BinaryOperator =
  | "||"
  | "&&"
  | "<"
  | "<="
  | ">"
  | ">="
  | "=="
  | "!="
  | "+"
  | "-"
  | "*"
  | "/"
  | "%";

/** `condition ? then : otherwise`. */
export interface Conditional {
  readonly kind: "conditional";
  readonly condition: Expression;
  readonly then: Expression;
  readonly otherwise: Expression;
  readonly span: Span;
}

/** Where an expression should stand. */
interface Missing {
  readonly kind: "missing";
  readonly span: Span;
}

/** A `#!` comment: what makes a file runnable by itself. */
export type Directive = SizesDirective | InputDirective | AlternativeDirective;

/** `#! sizes M=512 N=512`. */
interface SizesDirective {
  readonly kind: "sizes";
  readonly sizes: readonly { readonly name: Identifier; readonly value: number }[];
  readonly span: Span;
}

/** `#! input A=randn(1)`: where an input's values come from. */
interface InputDirective {
  readonly kind: "input";
  readonly tensor: Identifier;
  readonly source: InputSource;
  readonly span: Span;
}

/** `#! alternative of conv2d approximate`: the definition after it computes what another one does. */
export interface AlternativeDirective {
  readonly kind: "alternative";
  readonly of: Identifier;
  /** Its results may differ by more than the order of sums explains. */
  readonly approximate: boolean;
  readonly span: Span;
}

/** A generator with its numeric arguments, a number for a scalar, or a path to a `.npy` file. */
export type InputSource =
  | { readonly kind: "generator"; readonly name: string; readonly arguments: readonly number[] }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "file"; readonly path: string };
