/** The text of programs: for `--emit program`, goldens and failing tests. */
import { printAffine, printConstraint } from "./affine.ts";
import { printDomain } from "./domain.ts";
import { type Expression, printExpression } from "./expression.ts";
import {
  findStatement,
  type Index,
  type Program,
  type ProgramNode,
  type Statement,
  type Tensor,
} from "./program.ts";

function printIndex(statement: Statement, index: Index): string {
  return index.kind === "affine"
    ? printAffine(index.affine)
    : printExpression(index.expression, (n) => printRead(statement, n));
}

/** Read `n` of a statement, as `x(i, k)`. */
export function printRead(statement: Statement, n: number): string {
  const a = statement.reads[n];
  if (a === undefined) return `read${n}`;
  const text = `${a.tensor}(${a.index.map((i) => printIndex(statement, i)).join(", ")})`;
  return a.guard.length === 0
    ? text
    : `(${a.guard.map(printConstraint).join(" and ")} ? ${text} : ${a.fill})`;
}

/** One line: the domain and what each instance does. */
export function printStatement(statement: Statement): string {
  const { write, reduction } = statement;
  const target = `${write.tensor}(${write.index.map((i) => printIndex(statement, i)).join(", ")})`;
  const show = (parts: readonly Expression[]): string => {
    const texts = parts.map((e) => printExpression(e, (n) => printRead(statement, n)));
    return texts.length === 1 ? (texts[0] ?? "") : `<${texts.join(", ")}>`;
  };
  const body = show(statement.body);
  let right = body;
  if (reduction !== null) {
    const inner = `${reduction.monoid.name}[${reduction.dims.join(", ")}] ${body}`;
    const whole = reduction.init === null ? inner : `${show(reduction.init)} with ${inner}`;
    right = reduction.projected ? whole : `state of ${whole}`;
  }
  return `${statement.id}: ${printDomain(statement.domain)} ${target} = ${right}`;
}

function printTensor(t: Tensor): string {
  const type = t.unpacked === undefined ? (t.stored ?? t.components.join("*")) : "word";
  const words = t.unpacked === undefined ? "" : ` of ${t.stored} (${t.unpacked.join(", ")})`;
  const row = t.original === undefined ? "" : ` of (${t.original.join(", ")})`;
  return `${t.role} ${type} ${t.name}(${t.shape.join(", ")})${words}${row}${printLayout(t)}`;
}

function printLayout({ layout }: Tensor): string {
  if (layout === undefined) return "";
  const { strides, offsetMultiple } = layout;
  const offset = offsetMultiple === null ? "" : ` from a multiple of ${offsetMultiple}`;
  return ` strides <${strides.join(", ")}>${offset}`;
}

/** The whole program as text, for `--emit program` and goldens. */
export function printProgram(program: Program): string {
  const lines = [`program ${program.name}`];
  for (const s of program.sizes) lines.push(`size ${s.name} = ${s.value}`);
  for (const t of program.tensors) {
    lines.push(printTensor(t));
  }
  for (const names of program.shared ?? []) lines.push(`one buffer: ${names.join(", ")}`);
  const visit = (nodes: readonly ProgramNode[], indent: string): void => {
    for (const node of nodes) {
      if (node.kind === "loop") {
        lines.push(
          `${indent}for ${node.name} in ${printAffine(node.lower)}..${printAffine(node.upper)}`,
        );
        visit(node.body, `${indent}  `);
      } else {
        const statement = findStatement(program, node.statement);
        lines.push(
          `${indent}${statement === undefined ? node.statement : printStatement(statement)}`,
        );
      }
    }
  };
  visit(program.tree, "");
  return `${lines.join("\n")}\n`;
}
