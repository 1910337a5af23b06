import fc from "fast-check";
import type {
  Clause,
  Definition,
  Directive,
  Expression,
  Identifier,
  Module,
  Statement,
  Target,
  TypeNode,
} from "../../src/frontend/syntax/ast.ts";

const span = { start: 0, end: 0 };
const names = [
  "A",
  "B",
  "_x",
  "var",
  "fn",
  "array",
  "i",
  "j",
  "texture",
  "reverse",
  "minimum",
  "e1",
];

const identifier: fc.Arbitrary<Identifier> = fc
  .constantFrom(...names)
  .map((name) => ({ name, span }));

const { expression } = fc.letrec<{ expression: Expression }>((tie) => {
  const inner = tie("expression");
  const list = fc.array(inner, { maxLength: 3 });
  const operator = fc.constantFrom(
    ...(["||", "&&", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "%"] as const),
  );
  return {
    expression: fc.oneof<fc.MaybeWeightedArbitrary<Expression>[]>(
      { maxDepth: 5, depthIdentifier: "expression", withCrossShrink: true },
      identifier.map(({ name }) => ({ kind: "name", name, span })),
      fc.nat({ max: 0xffffffff }).map((value) => ({ kind: "integer", value, span })),
      fc
        .float({ min: 0, noNaN: true, noDefaultInfinity: true })
        .map((value) => ({ kind: "float", value: Math.abs(value), span })),
      fc.boolean().map((value) => ({ kind: "boolean", value, span })),
      fc.constant<Expression>({ kind: "infinity", span }),
      fc.record({
        kind: fc.constant("apply" as const),
        name: identifier,
        arguments: list,
        span: fc.constant(span),
      }),
      list
        .filter((l) => l.length > 0)
        .map((args) => ({ kind: "apply", name: { name: "max", span }, arguments: args, span })),
      fc
        .tuple(fc.constantFrom("float" as const, "int8" as const, "bool" as const), inner)
        .map(([type, operand]) => ({ kind: "cast", type, operand, span })),
      fc
        .tuple(identifier, fc.nat({ max: 12 }))
        .map(([tensor, dimension]) => ({ kind: "extent", tensor, dimension, span })),
      inner.map((access) => ({ kind: "pad", access, span })),
      fc.tuple(inner, inner).map(([access, value]) => ({ kind: "pad", access, value, span })),
      fc
        .tuple(fc.constantFrom("-" as const, "!" as const), inner)
        .map(([op, operand]) => ({ kind: "unary", operator: op, operand, span })),
      fc
        .tuple(operator, inner, inner)
        .map(([op, left, right]) => ({ kind: "binary", operator: op, left, right, span })),
      fc.tuple(inner, inner, inner).map(([condition, then, otherwise]) => ({
        kind: "conditional",
        condition,
        then,
        otherwise,
        span,
      })),
    ),
  };
});

const target: fc.Arbitrary<Target> = fc
  .tuple(identifier, fc.array(expression, { maxLength: 2 }))
  .map(([name, indices]) => ({ name, indices, span }));

const clause: fc.Arbitrary<Clause> = fc.oneof(
  fc
    .tuple(identifier, expression, expression)
    .map(([name, lower, upper]) => ({ kind: "range" as const, name, lower, upper, span })),
  fc
    .tuple(identifier, expression)
    .map(([name, value]) => ({ kind: "let" as const, name, value, span })),
  expression.map((access) => ({ kind: "exists" as const, access, span })),
);

const operators = fc.constantFrom(
  ...(["=", "-=", "/=", "+=", "+=!", "*=", "*=!", "min=", "min=!", "max=", "max=!"] as const),
  ...(["&&=", "&&=!", "||=", "||=!", "argmin=!", "argmax=!"] as const),
);

const { statement } = fc.letrec<{ statement: Statement }>((tie) => {
  const body = fc.array(tie("statement"), { maxLength: 3 });
  const branch = fc.record({ condition: expression, body });
  return {
    statement: fc.oneof<fc.MaybeWeightedArbitrary<Statement>[]>(
      { maxDepth: 2, depthIdentifier: "statement" },
      fc
        .tuple(target, operators, expression, fc.array(clause, { maxLength: 2 }))
        .map(([to, operator, value, clauses]) => ({
          kind: "assign",
          target: to,
          operator,
          operatorSpan: span,
          value,
          clauses,
          span,
        })),
      fc
        .tuple(identifier, fc.option(expression, { nil: undefined }), expression, body)
        .map(([index, lower, upper, inner]) => ({
          kind: "for",
          index,
          ...(lower === undefined ? {} : { lower }),
          upper,
          reversed: false,
          body: inner,
          span,
        })),
      fc.tuple(identifier, expression, expression, body).map(([index, lower, upper, inner]) => ({
        kind: "for",
        index,
        lower,
        upper,
        reversed: true,
        body: inner,
        span,
      })),
      fc
        .tuple(fc.array(branch, { minLength: 1, maxLength: 3 }), body)
        .map(([branches, otherwise]) => ({ kind: "if", branches, otherwise, span })),
      fc
        .tuple(
          fc.array(target, { minLength: 1, maxLength: 3 }),
          identifier,
          fc.array(expression, { maxLength: 2 }),
        )
        .map(([targets, callee, args]) => ({
          kind: "call",
          targets,
          callee,
          arguments: args,
          span,
        })),
    ),
  };
});

const type: fc.Arbitrary<TypeNode> = fc
  .tuple(
    fc.constantFrom("float" as const, "half" as const, "uint8" as const, "double" as const),
    fc.option(fc.array(expression, { maxLength: 2 }), { nil: undefined }),
  )
  .map(([scalar, dimensions]) => ({
    scalar,
    ...(dimensions === undefined ? {} : { dimensions }),
    span,
  }));

const definition: fc.Arbitrary<Definition> = fc.record({
  name: identifier,
  parameters: fc.array(fc.record({ type, name: identifier, span: fc.constant(span) }), {
    maxLength: 2,
  }),
  results: fc.array(
    fc
      .tuple(fc.option(type, { nil: undefined }), identifier)
      .map(([t, name]) => ({ ...(t === undefined ? {} : { type: t }), name, span })),
    { minLength: 1, maxLength: 2 },
  ),
  body: fc.array(statement, { maxLength: 3 }),
  span: fc.constant(span),
});

const directive: fc.Arbitrary<Directive> = fc.oneof(
  fc
    .array(fc.record({ name: identifier, value: fc.nat({ max: 99 }) }), {
      minLength: 1,
      maxLength: 2,
    })
    .map((sizes) => ({ kind: "sizes" as const, sizes, span })),
  fc.tuple(identifier, fc.array(fc.nat({ max: 9 }), { maxLength: 1 })).map(([tensor, args]) => ({
    kind: "input" as const,
    tensor,
    source: { kind: "generator" as const, name: "randn", arguments: args },
    span,
  })),
  fc.tuple(identifier, fc.boolean()).map(([of, approximate]) => ({
    kind: "alternative" as const,
    of,
    approximate,
    span,
  })),
);

/** Any module that can be written, whether or not it means anything. All spans are empty. */
export const arbitraryModule: fc.Arbitrary<Module> = fc.record({
  definitions: fc.array(definition, { maxLength: 2 }),
  directives: fc.array(directive, { maxLength: 2 }),
});
