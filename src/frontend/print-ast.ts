import { assertNever } from "../support/assert.ts";
import type {
  Assign,
  Clause,
  Definition,
  Directive,
  Expression,
  InputSource,
  Module,
  Statement,
  Target,
  TypeNode,
} from "./ast.ts";

/** The module as source text that parses to an equal tree (spans aside); two spaces an indent. */
export function printModule(module: Module): string {
  const directives = module.directives.map((d) => `${printDirective(d)}\n`).join("");
  const definitions = module.definitions.map(printDefinition).join("\n");
  return directives + (directives !== "" && definitions !== "" ? "\n" : "") + definitions;
}

/** One definition, ending with a newline. */
function printDefinition(definition: Definition): string {
  const parameters = definition.parameters.map((p) => `${printType(p.type)} ${p.name.name}`);
  const results = definition.results.map((r) =>
    r.type === undefined ? r.name.name : `${printType(r.type)} ${r.name.name}`,
  );
  const head = `def ${definition.name.name}(${parameters.join(", ")}) -> (${results.join(", ")})`;
  return `${head} {\n${printBlock(definition.body, "  ")}}\n`;
}

function printBlock(body: readonly Statement[], indent: string): string {
  return body.map((s) => printStatement(s, indent)).join("");
}

function printStatement(statement: Statement, indent: string): string {
  switch (statement.kind) {
    case "assign":
      return `${indent}${printAssign(statement)}\n`;
    case "for": {
      const upper = printExpression(statement.upper);
      const plain =
        statement.lower === undefined ? upper : `${printRangeBound(statement.lower)}:${upper}`;
      const range = statement.reversed ? `reversed(${plain})` : plain;
      const body = printBlock(statement.body, `${indent}  `);
      return `${indent}for ${statement.index.name} in ${range} {\n${body}${indent}}\n`;
    }
    case "if": {
      const branches = statement.branches.map((b) => {
        const body = printBlock(b.body, `${indent}  `);
        return `if ${printExpression(b.condition)} {\n${body}${indent}}`;
      });
      const otherwise = printBlock(statement.otherwise, `${indent}  `);
      const tail = otherwise === "" ? "" : ` else {\n${otherwise}${indent}}`;
      return `${indent}${branches.join(" else ")}${tail}\n`;
    }
    case "call": {
      const targets = statement.targets.map(printTarget).join(", ");
      return `${indent}(${targets}) = ${statement.callee.name}${printList(statement.arguments)}\n`;
    }
    default:
      return assertNever(statement);
  }
}

function printAssign(assign: Assign): string {
  const clauses = assign.clauses.map(printClause).join(", ");
  const tail = clauses === "" ? "" : ` where ${clauses}`;
  const value = printExpression(assign.value);
  return `${printTarget(assign.target)} ${assign.operator} ${value}${tail}`;
}

function printTarget(target: Target): string {
  const indices = target.indices.length === 0 ? "" : printList(target.indices);
  return target.name.name + indices;
}

function printClause(clause: Clause): string {
  switch (clause.kind) {
    case "range": {
      const range = `${printRangeBound(clause.lower)}:${printExpression(clause.upper)}`;
      return `${clause.name.name} in ${range}`;
    }
    case "let":
      return `${clause.name.name} = ${printExpression(clause.value)}`;
    case "exists":
      return `exists ${printExpression(clause.access)}`;
    default:
      return assertNever(clause);
  }
}

/** A lower bound: the colon after it must not be taken for that of a `?:`. */
function printRangeBound(expression: Expression): string {
  return print(expression, levels.or);
}

/** A type, for example `float(M, K)`. */
function printType(type: TypeNode): string {
  return type.scalar + (type.dimensions === undefined ? "" : printList(type.dimensions));
}

function printList(items: readonly Expression[]): string {
  return `(${items.map(printExpression).join(", ")})`;
}

/** The binding strength of what an expression starts with. */
const levels = { conditional: 0, or: 1, and: 2, comparison: 3, sum: 4, product: 5, prefix: 6 };

const binaryLevels: Readonly<Record<string, number>> = {
  "||": levels.or,
  "&&": levels.and,
  "+": levels.sum,
  "-": levels.sum,
  "*": levels.product,
  "/": levels.product,
  "%": levels.product,
};

/** An expression with the fewest parentheses. */
export function printExpression(expression: Expression): string {
  return print(expression, levels.conditional);
}

function print(e: Expression, level: number): string {
  switch (e.kind) {
    case "integer":
      return String(e.value);
    case "float":
      return printFloat(e.value);
    case "boolean":
      return String(e.value);
    case "infinity":
      return "inf";
    case "name":
      return e.name;
    case "apply":
      return e.name.name + printList(e.arguments);
    case "cast":
      return `${e.type}(${printExpression(e.operand)})`;
    case "extent":
      return `${e.tensor.name}.${e.dimension}`;
    case "pad":
      return `pad${printList(e.value === undefined ? [e.access] : [e.access, e.value])}`;
    case "unary":
      return wrap(e.operator + print(e.operand, levels.prefix), levels.prefix, level);
    case "binary": {
      const own = binaryLevels[e.operator] ?? levels.comparison;
      const text = `${print(e.left, own)} ${e.operator} ${print(e.right, own + 1)}`;
      return wrap(text, own, level);
    }
    case "conditional": {
      const condition = print(e.condition, levels.or);
      const text = `${condition} ? ${printExpression(e.then)} : ${printExpression(e.otherwise)}`;
      return wrap(text, levels.conditional, level);
    }
    case "missing":
      return "";
    default:
      return assertNever(e);
  }
}

function wrap(text: string, own: number, level: number): string {
  return own < level ? `(${text})` : text;
}

/** The shortest decimal that reads as this float, with a point or an exponent. */
function printFloat(value: number): string {
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function printDirective(directive: Directive): string {
  switch (directive.kind) {
    case "sizes":
      return `#! sizes ${directive.sizes.map((s) => `${s.name.name}=${s.value}`).join(" ")}`;
    case "input":
      return `#! input ${directive.tensor.name}=${printInputSource(directive.source)}`;
    default:
      return assertNever(directive);
  }
}

/** An input's source as it is written after `=`: `randn(1)`. */
export function printInputSource(source: InputSource): string {
  switch (source.kind) {
    case "file":
      return source.path;
    case "number":
      return String(source.value);
    case "generator":
      return source.arguments.length === 0
        ? source.name
        : `${source.name}(${source.arguments.join(",")})`;
    default:
      return assertNever(source);
  }
}
