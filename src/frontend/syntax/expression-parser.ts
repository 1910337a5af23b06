import { EmbeddedActionsParser, type IToken, type ParserMethod } from "chevrotain";
import { coverSpans, type Span } from "../../diagnostics/span.ts";
import type { BinaryOperator, Expression, Identifier, ScalarName } from "./ast.ts";
import { expectationMessages } from "./syntax-errors.ts";
import * as t from "./tokens.ts";

/** A grammar rule that gives a `T`. */
export type Rule<T> = ParserMethod<[], T>;

/** The span of a token; tokens that recovery inserted have none and get the place of `near`. */
export function tokenSpan(token: IToken, near?: IToken): Span {
  if (Number.isFinite(token.startOffset) && token.startOffset >= 0) {
    return { start: token.startOffset, end: t.tokenEnd(token) };
  }
  const place = near === undefined ? 0 : t.tokenEnd(near);
  return Number.isFinite(place) ? { start: place, end: place } : { start: 0, end: 0 };
}

/** How a parser behaves. */
export interface ParserSettings {
  /** Whether it goes on after an error. */
  readonly recovers: boolean;
  /** Whether it checks its grammar when it is made; what is published cannot. */
  readonly validates?: boolean;
}

/**
 * The grammar of expressions (see ast.ts), with error recovery. Rules build their nodes in
 * `ACTION`, which Chevrotain skips while it records the grammar. Expressions that recovery gives
 * up are `missing`. The subclass calls `performSelfAnalysis`.
 */
export class ExpressionParser extends EmbeddedActionsParser {
  constructor({ recovers, validates = false }: ParserSettings) {
    super([...t.allTokens], {
      recoveryEnabled: recovers,
      maxLookahead: 2,
      // A test does this.
      skipValidations: !validates,
      errorMessageProvider: expectationMessages,
    });
  }

  /** A guessed name would only lead to further errors. */
  protected override canTokenTypeBeInsertedInRecovery(type: { name: string }): boolean {
    return type.name !== t.identifier.name && type.name !== t.scalarType.name;
  }

  protected since(start: Span | undefined): Span {
    const last = this.LA(0);
    const end = tokenSpan(last, last);
    return start === undefined || start.start > end.end ? end : coverSpans(start, end);
  }

  protected here(): Span {
    return tokenSpan(this.LA(1), this.LA(0));
  }

  protected named(token: IToken): Identifier {
    return { name: token.image, span: tokenSpan(token) };
  }

  /** `(e, ...)`, possibly empty. */
  protected readonly list: Rule<Expression[]> = this.RULE("list", () => {
    const items: Expression[] = [];
    this.CONSUME(t.leftParen);
    this.MANY_SEP({ SEP: t.comma, DEF: () => items.push(this.SUBRULE(this.expression)) });
    this.CONSUME(t.rightParen);
    return items;
  });

  protected readonly expression: Rule<Expression> = this.expressionRule("expression", () => {
    const start = this.here();
    const condition = this.SUBRULE(this.disjunction);
    let result = condition;
    this.OPTION(() => {
      this.CONSUME(t.question);
      const then = this.SUBRULE(this.expression);
      this.CONSUME(t.colon);
      const otherwise = this.SUBRULE1(this.expression);
      result = this.ACTION(() => ({
        kind: "conditional",
        condition,
        then,
        otherwise,
        span: this.since(start),
      }));
    });
    return result;
  });

  private readonly disjunction: Rule<Expression> = this.expressionRule("disjunction", () => {
    const start = this.here();
    let left = this.SUBRULE(this.conjunction);
    this.MANY(() => {
      const sign = this.CONSUME(t.orSign);
      left = this.binary(start, left, sign, this.SUBRULE1(this.conjunction));
    });
    return left;
  });

  private readonly conjunction: Rule<Expression> = this.expressionRule("conjunction", () => {
    const start = this.here();
    let left = this.SUBRULE(this.relation);
    this.MANY(() => {
      const sign = this.CONSUME(t.andSign);
      left = this.binary(start, left, sign, this.SUBRULE1(this.relation));
    });
    return left;
  });

  private readonly relation: Rule<Expression> = this.expressionRule("relation", () => {
    const start = this.here();
    let left = this.SUBRULE(this.sum);
    this.MANY(() => {
      const sign = this.CONSUME(t.comparison);
      left = this.binary(start, left, sign, this.SUBRULE1(this.sum));
    });
    return left;
  });

  private readonly sum: Rule<Expression> = this.expressionRule("sum", () => {
    const start = this.here();
    let left = this.SUBRULE(this.product);
    this.MANY(() => {
      const sign = this.CONSUME(t.additive);
      left = this.binary(start, left, sign, this.SUBRULE1(this.product));
    });
    return left;
  });

  private readonly product: Rule<Expression> = this.expressionRule("product", () => {
    const start = this.here();
    let left = this.SUBRULE(this.prefixed);
    this.MANY(() => {
      const sign = this.CONSUME(t.multiplicative);
      left = this.binary(start, left, sign, this.SUBRULE1(this.prefixed));
    });
    return left;
  });

  /** Its span has the parentheses of its operands, if they have any. */
  private binary(start: Span, left: Expression, sign: IToken, right: Expression): Expression {
    return this.ACTION(() => ({
      kind: "binary",
      operator: sign.image as BinaryOperator,
      left,
      right,
      span: this.since(start),
    }));
  }

  /** `-` and `!` before a primary; a loop, so that long chains do not recurse. */
  private readonly prefixed: Rule<Expression> = this.expressionRule("prefixed", () => {
    const signs: IToken[] = [];
    this.MANY({
      GATE: () => this.LA(1).image !== "+",
      DEF: () =>
        signs.push(
          this.OR([{ ALT: () => this.CONSUME(t.additive) }, { ALT: () => this.CONSUME(t.bang) }]),
        ),
    });
    const operand = this.SUBRULE(this.primary);
    return this.ACTION(() =>
      signs.reduceRight<Expression>((inner, sign) => {
        const span = this.since(tokenSpan(sign));
        return { kind: "unary", operator: sign.image === "!" ? "!" : "-", operand: inner, span };
      }, operand),
    );
  });

  private readonly primary: Rule<Expression> = this.expressionRule("primary", () =>
    this.OR([
      { ALT: () => this.SUBRULE(this.literal) },
      { GATE: () => !this.atStatement(), ALT: () => this.SUBRULE(this.reference) },
      { ALT: () => this.SUBRULE(this.extremum) },
      { ALT: () => this.SUBRULE(this.cast) },
      { ALT: () => this.SUBRULE(this.padded) },
      { ALT: () => this.SUBRULE(this.parenthesized) },
    ]),
  );

  private readonly literal: Rule<Expression> = this.expressionRule("literal", () => {
    const token = this.OR([
      { ALT: () => this.CONSUME(t.integerLiteral) },
      { ALT: () => this.CONSUME(t.floatLiteral) },
      { ALT: () => this.CONSUME(t.trueWord) },
      { ALT: () => this.CONSUME(t.falseWord) },
      { ALT: () => this.CONSUME(t.infWord) },
    ]);
    return this.ACTION((): Expression => {
      const span = tokenSpan(token, this.LA(0));
      if (token.tokenType === t.integerLiteral)
        return { kind: "integer", value: Number(token.image), span };
      if (token.tokenType === t.floatLiteral)
        return { kind: "float", value: Number(token.image), span };
      if (token.tokenType === t.infWord) return { kind: "infinity", span };
      return { kind: "boolean", value: token.tokenType === t.trueWord, span };
    });
  });

  /** A name, an access, a call, or `T.0`, which the lexer splits into `T` and `.0`. */
  private readonly reference: Rule<Expression> = this.expressionRule("reference", () => {
    const name = this.named(this.CONSUME(t.identifier));
    let result: Expression = { kind: "name", name: name.name, span: name.span };
    this.OPTION({
      // Parentheses that are assigned to are the targets of a call statement: `(a, b) = f(..)`.
      GATE: () => !this.assignedParentheses(1),
      DEF: () => {
        const passed = this.SUBRULE(this.list);
        result = this.ACTION(() => ({
          kind: "apply",
          name,
          arguments: passed ?? [],
          span: this.since(name.span),
        }));
      },
    });
    this.OPTION1({
      // The size of a dimension is that of a tensor, not of an element.
      GATE: () => result.kind === "name" && /^\.\d+$/.test(this.LA(1).image),
      DEF: () => {
        const dot = this.CONSUME(t.floatLiteral);
        const dimension = Number(dot.image.slice(1));
        result = { kind: "extent", tensor: name, dimension, span: this.since(name.span) };
      },
    });
    return result;
  });

  /** Whether the name ahead is the target of the next statement: `a = b + c(i) = 1`. */
  private atStatement(): boolean {
    const [name, paren] = [this.LA(1), this.LA(2)];
    const touches = paren.startOffset === name.startOffset + name.image.length;
    return name.tokenType === t.identifier && touches && this.assignedParentheses(2);
  }

  /** Whether token `first` ahead opens parentheses that an assignment operator follows. */
  private assignedParentheses(first: number): boolean {
    let depth = 0;
    for (let k = first; ; k++) {
      const type = this.LA(k).tokenType;
      if (type === t.leftParen) depth++;
      else if (type === t.rightParen) depth--;
      else if (depth === 0 || type.name === "EOF") return false;
      if (depth === 0) {
        const next = this.LA(k + 1).tokenType;
        return next === t.equals || next === t.combineOperator;
      }
    }
  }

  private readonly extremum: Rule<Expression> = this.expressionRule("extremum", () => {
    const word = this.OR([
      { ALT: () => this.CONSUME(t.minWord) },
      { ALT: () => this.CONSUME(t.maxWord) },
    ]);
    const passed = this.SUBRULE(this.list);
    return this.ACTION(() => {
      const name = this.named(word);
      return { kind: "apply", name, arguments: passed ?? [], span: this.since(name.span) };
    });
  });

  private readonly cast: Rule<Expression> = this.expressionRule("cast", () => {
    const word = this.CONSUME(t.scalarType);
    this.CONSUME(t.leftParen);
    const operand = this.SUBRULE(this.expression);
    this.CONSUME(t.rightParen);
    return this.ACTION(() => {
      const span = this.since(tokenSpan(word));
      return { kind: "cast", type: word.image as ScalarName, operand, span };
    });
  });

  private readonly padded: Rule<Expression> = this.expressionRule("padded", () => {
    const start = tokenSpan(this.CONSUME(t.padWord));
    this.CONSUME(t.leftParen);
    const access = this.SUBRULE(this.expression);
    const value = this.OPTION(() => {
      this.CONSUME(t.comma);
      return this.SUBRULE1(this.expression);
    });
    this.CONSUME(t.rightParen);
    return this.ACTION(() => {
      const span = this.since(start);
      return { kind: "pad", access, ...(value === undefined ? {} : { value }), span };
    });
  });

  private readonly parenthesized: Rule<Expression> = this.expressionRule("parenthesized", () => {
    this.CONSUME(t.leftParen);
    const inner = this.SUBRULE(this.expression);
    this.CONSUME(t.rightParen);
    return inner;
  });

  private expressionRule(name: string, implementation: () => Expression): Rule<Expression> {
    return this.RULE(name, implementation, {
      recoveryValueFunc: (): Expression => ({ kind: "missing", span: { start: 0, end: 0 } }),
    });
  }
}
