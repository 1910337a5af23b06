import type { IToken } from "chevrotain";
import type {
  Assign,
  AssignOperator,
  Branch,
  Clause,
  Definition,
  Expression,
  Parameter,
  Result,
  ScalarName,
  Statement,
  Target,
  TypeNode,
} from "./ast.ts";
import {
  ExpressionParser,
  type ParserSettings,
  type Rule,
  tokenSpan,
} from "./expression-parser.ts";
import * as t from "./tokens.ts";

/** What a parse gave: nodes, and the exceptions that Chevrotain recovered from. */
export interface ParserOutput {
  readonly definitions: readonly Definition[];
  readonly errors: TcParser["errors"];
}

/**
 * The grammar of definitions and statements. Statements that recovery gives up are undefined.
 */
export class TcParser extends ExpressionParser {
  constructor(settings: ParserSettings) {
    super(settings);
    this.performSelfAnalysis();
  }

  public program: Rule<Definition[]> = this.RULE("program", () => {
    const definitions: Definition[] = [];
    this.MANY(() => {
      const found = this.SUBRULE(this.definition);
      if (found !== undefined) definitions.push(found);
    });
    return definitions;
  });

  private readonly definition: Rule<Definition | undefined> = this.RULE("definition", () => {
    const parameters: Parameter[] = [];
    const results: Result[] = [];
    const start = tokenSpan(this.CONSUME(t.defWord));
    const name = this.named(this.CONSUME(t.identifier));
    this.CONSUME(t.leftParen);
    this.MANY_SEP({
      SEP: t.comma,
      DEF: () => {
        const found = this.SUBRULE(this.parameter);
        if (found !== undefined) parameters.push(found);
      },
    });
    this.CONSUME(t.rightParen);
    this.CONSUME(t.arrow);
    this.CONSUME1(t.leftParen);
    this.AT_LEAST_ONE_SEP({ SEP: t.comma, DEF: () => results.push(this.SUBRULE(this.result)) });
    this.CONSUME1(t.rightParen);
    const body = this.SUBRULE(this.block);
    return this.ACTION(() => ({
      name,
      parameters,
      results: results.filter((r) => r !== undefined),
      body: body ?? [],
      span: this.since(start),
    }));
  });

  private readonly parameter: Rule<Parameter | undefined> = this.RULE("parameter", () => {
    const type = this.SUBRULE(this.type);
    const name = this.named(this.CONSUME(t.identifier));
    return this.ACTION(() =>
      type === undefined ? undefined : { type, name, span: this.since(type.span) },
    );
  });

  private readonly result: Rule<Result> = this.RULE("result", () => {
    const start = this.here();
    const type = this.OPTION(() => this.SUBRULE(this.type));
    const name = this.named(this.CONSUME(t.identifier));
    return this.ACTION(() => ({
      ...(type === undefined ? {} : { type }),
      name,
      span: this.since(start),
    }));
  });

  private readonly type: Rule<TypeNode | undefined> = this.RULE("type", () => {
    const word = this.CONSUME(t.scalarType);
    const dimensions = this.OPTION(() => this.SUBRULE(this.list));
    return this.ACTION(() => ({
      scalar: word.image as ScalarName,
      ...(dimensions === undefined ? {} : { dimensions }),
      span: this.since(tokenSpan(word)),
    }));
  });

  private readonly block: Rule<Statement[]> = this.RULE("block", () => {
    const statements: Statement[] = [];
    this.CONSUME(t.leftBrace);
    this.MANY(() => {
      const found = this.SUBRULE(this.statement);
      if (found !== undefined) statements.push(found);
    });
    this.CONSUME(t.rightBrace);
    return statements;
  });

  private readonly statement: Rule<Statement | undefined> = this.RULE("statement", () =>
    this.OR([
      { ALT: () => this.SUBRULE(this.assign) },
      { ALT: () => this.SUBRULE(this.forLoop) },
      { ALT: () => this.SUBRULE(this.conditional) },
      { ALT: () => this.SUBRULE(this.call) },
    ]),
  );

  private readonly assign: Rule<Assign | undefined> = this.RULE("assign", () => {
    const clauses: Clause[] = [];
    const target = this.SUBRULE(this.target);
    const operator = this.OR([
      { ALT: () => this.CONSUME(t.equals) },
      { ALT: () => this.CONSUME(t.combineOperator) },
    ]);
    const value = this.SUBRULE(this.expression);
    this.OPTION(() => this.SUBRULE(this.equivalence));
    this.OPTION1(() => {
      this.CONSUME(t.whereWord);
      this.AT_LEAST_ONE_SEP({
        SEP: t.comma,
        DEF: () => {
          const clause = this.SUBRULE(this.clause);
          if (clause !== undefined) clauses.push(clause);
        },
      });
      this.OPTION2(() => this.SUBRULE1(this.equivalence));
    });
    return this.ACTION((): Assign | undefined => {
      if (target === undefined || operator === undefined) return undefined;
      return {
        kind: "assign",
        target,
        operator: operator.image as AssignOperator,
        operatorSpan: tokenSpan(operator),
        value,
        clauses,
        span: this.since(target.span),
      };
    });
  });

  private readonly equivalence: Rule<void> = this.RULE("equivalence", () => {
    this.CONSUME(t.equivalent);
    this.CONSUME(t.identifier);
    this.OPTION(() => this.SUBRULE(this.list));
  });

  private readonly target: Rule<Target> = this.RULE("target", () => {
    const name = this.named(this.CONSUME(t.identifier));
    const indices = this.OPTION(() => this.SUBRULE(this.list));
    return this.ACTION(() => ({ name, indices: indices ?? [], span: this.since(name.span) }));
  });

  private readonly clause: Rule<Clause | undefined> = this.RULE("clause", () =>
    this.OR([
      {
        ALT: () => {
          const name = this.named(this.CONSUME(t.identifier));
          this.CONSUME(t.inWord);
          const lower = this.SUBRULE(this.expression);
          this.CONSUME(t.colon);
          const upper = this.SUBRULE1(this.expression);
          return this.ACTION(() => ({
            kind: "range" as const,
            name,
            lower,
            upper,
            span: this.since(name.span),
          }));
        },
      },
      {
        ALT: () => {
          const name = this.named(this.CONSUME1(t.identifier));
          this.CONSUME(t.equals);
          const value = this.SUBRULE2(this.expression);
          return this.ACTION(() => ({
            kind: "let" as const,
            name,
            value,
            span: this.since(name.span),
          }));
        },
      },
      {
        ALT: () => {
          const start = tokenSpan(this.CONSUME(t.existsWord));
          const access = this.SUBRULE3(this.expression);
          return this.ACTION(() => ({ kind: "exists" as const, access, span: this.since(start) }));
        },
      },
    ]),
  );

  private readonly forLoop: Rule<Statement | undefined> = this.RULE("forLoop", () => {
    const start = tokenSpan(this.CONSUME(t.forWord));
    const index = this.named(this.CONSUME(t.identifier));
    this.CONSUME(t.inWord);
    const range = this.OR([
      { ALT: () => this.SUBRULE(this.reversedRange) },
      { ALT: () => this.SUBRULE(this.plainRange) },
    ]);
    const body = this.SUBRULE(this.block);
    return this.ACTION((): Statement | undefined => {
      if (range === undefined) return undefined;
      return { kind: "for", index, ...range, body: body ?? [], span: this.since(start) };
    });
  });

  private readonly reversedRange: Rule<LoopRange> = this.RULE("reversedRange", () => {
    this.CONSUME(t.reversedWord);
    this.CONSUME(t.leftParen);
    const lower = this.SUBRULE(this.expression);
    this.CONSUME(t.colon);
    const upper = this.SUBRULE1(this.expression);
    this.CONSUME(t.rightParen);
    return { lower, upper, reversed: true };
  });

  private readonly plainRange: Rule<LoopRange> = this.RULE("plainRange", () => {
    const first = this.SUBRULE(this.expression);
    const second = this.OPTION(() => {
      this.CONSUME(t.colon);
      return this.SUBRULE1(this.expression);
    });
    if (second === undefined) return { upper: first, reversed: false };
    return { lower: first, upper: second, reversed: false };
  });

  private readonly conditional: Rule<Statement | undefined> = this.RULE("conditional", () => {
    const branches: Branch[] = [];
    const start = this.here();
    branches.push(this.SUBRULE(this.branch));
    let otherwise: readonly Statement[] = [];
    this.MANY({
      GATE: () => this.LA(2).tokenType === t.ifWord,
      DEF: () => {
        this.CONSUME(t.elseWord);
        branches.push(this.SUBRULE1(this.branch));
      },
    });
    this.OPTION(() => {
      this.CONSUME1(t.elseWord);
      otherwise = this.SUBRULE2(this.block);
    });
    return this.ACTION(
      (): Statement => ({
        kind: "if",
        branches: branches.filter((b) => b !== undefined),
        otherwise: otherwise ?? [],
        span: this.since(start),
      }),
    );
  });

  private readonly branch: Rule<Branch> = this.RULE("branch", () => {
    this.CONSUME(t.ifWord);
    const condition = this.SUBRULE(this.expression);
    const body = this.SUBRULE(this.block);
    return { condition, body: body ?? [] };
  });

  private readonly call: Rule<Statement | undefined> = this.RULE("call", () => {
    const targets: Target[] = [];
    const start = tokenSpan(this.CONSUME(t.leftParen));
    this.AT_LEAST_ONE_SEP({ SEP: t.comma, DEF: () => targets.push(this.SUBRULE(this.target)) });
    this.CONSUME(t.rightParen);
    this.CONSUME(t.equals);
    const callee = this.named(this.CONSUME(t.identifier));
    const passed = this.SUBRULE(this.list);
    return this.ACTION(
      (): Statement => ({
        kind: "call",
        targets: targets.filter((target) => target !== undefined),
        callee,
        arguments: passed ?? [],
        span: this.since(start),
      }),
    );
  });
}

interface LoopRange {
  readonly lower?: Expression;
  readonly upper: Expression;
  readonly reversed: boolean;
}

// Building a Chevrotain parser analyses the grammar, which takes longer than most parses, so
// there is one for all; setting `input` clears what the last parse left.
const parser = new TcParser({ recovers: true });

/**
 * Parses tokens; the definitions are those that recovery could complete. Recovery takes much of the
 * stack where it begins deep inside: if that runs out, there is only the first error.
 */
export function parseTokens(tokens: readonly IToken[]): ParserOutput {
  try {
    return run(parser, tokens);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return run(new TcParser({ recovers: false }), tokens);
  }
}

function run(by: TcParser, tokens: readonly IToken[]): ParserOutput {
  by.input = [...tokens];
  const definitions = by.program() ?? [];
  return { definitions, errors: [...by.errors] };
}
