/** Indices that 32 bits do not hold. */
import { type Diagnostic, diagnose } from "../diagnostics/diagnostic.ts";
import type { Span } from "../diagnostics/span.ts";
import { flatMap } from "../support/flat-map.ts";
import { elementCount } from "../support/scalar-type.ts";
import { type Affine, intervalOf, printAffine } from "./affine.ts";
import { boundingBox } from "./domain.ts";
import type { Index, Program, Statement } from "./program.ts";

/** The greatest index that kernels compute with. */
const greatest = 2 ** 31 - 1;

/**
 * What of a program needs more than 32 bits to be indexed: tensors with more elements, and affine
 * expressions of dims with greater values. There kernels would wrap around where the reference does
 * not.
 */
export function indexWidthDiagnostics(program: Program): readonly Diagnostic[] {
  const tensors = flatMap(program.tensors, ({ name, shape, span }) => {
    const count = elementCount(shape);
    return count > greatest ? [diagnose("TC5003", { name, shape, count }, span)] : [];
  });
  return [...tensors, ...flatMap(program.statements, statementDiagnostics)];
}

function statementDiagnostics(s: Statement): readonly Diagnostic[] {
  const box = boundingBox(s.domain);
  if (s.domain.dims.some((d) => isEmpty(box.get(d.name)))) return [];
  const rangeOf = (name: string): { lo: number; hi: number } => box.get(name) ?? { lo: 0, hi: 0 };
  for (const affine of affinesOf(s)) {
    const { lo, hi } = intervalOf(affine, rangeOf);
    if (lo >= -greatest && hi <= greatest) continue;
    return [wide(affine, hi > greatest ? hi : lo, s.span)];
  }
  return [];
}

function isEmpty(range: { lo: number; hi: number } | undefined): boolean {
  return range !== undefined && range.hi < range.lo;
}

function wide(affine: Affine, value: number, span: Span): Diagnostic {
  return diagnose("TC5004", { index: printAffine(affine), value }, span);
}

/** All that is computed as an index: bounds, guards, dividends and coordinates. */
function* affinesOf(s: Statement): Generator<Affine> {
  for (const d of s.domain.dims) yield* [d.lower, d.upper];
  for (const c of s.domain.guards) yield c.affine;
  for (const q of s.domain.quotients) yield q.numerator;
  yield* coordinates(s.write.index);
  for (const access of s.reads) {
    yield* coordinates(access.index);
    for (const c of access.guard) yield c.affine;
  }
}

function* coordinates(index: readonly Index[]): Generator<Affine> {
  for (const one of index) if (one.kind === "affine") yield one.affine;
}
