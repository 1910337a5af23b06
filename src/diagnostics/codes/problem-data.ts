/** The data of every diagnostic, and what a table of texts has for each. */
import type { Span } from "../span.ts";

export interface ProblemData {
  TC1001: { expected: string; found: string; hint?: string };
  /** `before`: what stands before it in its line. */
  TC1002: { text: string; before: string };
  TC1003: { text: string };
  TC1004: { text: string; type: string };
  TC1005: { limit: number };
  TC1006: Misspelt;
  /** `instead`: the text with spaces where the entries have others between them. */
  TC1007: { text: string; expected: string; instead?: string };
  TC1008: Record<never, never>;
  TC1009: { written: string; meant: string };
  TC1010: { what: string; found: number; limit: number };
  TC2001: Misspelt;
  TC2002: { name: string };
  TC2003: { name: string; what: string };
  TC2004: Misspelt;
  TC2005: { name: string; expected: string; found: number };
  TC2006: { name: string; rank: number; found: number; given?: true };
  /** `counts`: arithmetic makes numbers of bools; `target`: the span is what is stored into. */
  TC2007: { from: string; to: string; name: string; counts?: true; target?: true };
  TC2008: { expected: string; found: string; where: string };
  TC2009: { type: string; instead: string };
  TC2011: { name: string; suggestion?: string; known: readonly string[] };
  TC2012: { names: readonly string[] };
  TC2013: { name: string; value: number };
  TC2014: { name: string; dimension: number; text: string; first: number; second: number };
  TC2015: { wanted?: string; known: readonly string[]; suggestion?: string };
  TC2016: { name: string };
  TC2017: { name: string };
  TC2018: Misspelt;
  TC2019: { name: string };
  TC2020: { name: string; dimension: number; rank: number };
  TC2021: { text: string };
  TC2022: { name: string };
  TC2023: { cycle: readonly string[] };
  TC2024: { name: string };
  TC2025: { name: string; results: readonly string[]; found: number };
  TC2026: { callee: string; parameter: string; expected: string; found: string };
  TC2027: { callee: string; parameter: string; argument: string };
  TC2028: { callee: string; size: string };
  TC2029: { tensor: string };
  TC2030: { name: string };
  TC2031: Misspelt & { what: string; known: readonly string[] };
  TC2032: { name: string; statements: number; depth: number };
  TC2033: { chain: string; first: string; second: string };
  TC2034: { difference: string; operand: string };
  TC2035: { index: string; near: string };
  /** `definition`: that of the directive; null where none follows. */
  TC2036: Misspelt & { definition: string | null; known: readonly string[] };
  /** `what`: the first difference, of the alternative and of what it stands for. */
  TC2037: { name: string; of: string; what: string };
  /** `ranges`: what to write for each, `i in 0:N`. */
  TC3001: { indices: readonly string[]; ranges: readonly string[] };
  TC3002: { index: string; first: string; second: string };
  TC3003: AccessProblem;
  TC3004: AccessProblem;
  TC3005: { tensor: string; dimension: number; index: string; value: number; where?: string };
  TC3006: { index: string; range: string };
  TC3007: { index: string };
  /** `own`: the statement that reads it writes it. */
  TC3008: { tensor: string; own: boolean };
  TC3009: { tensor: string; index: string };
  TC3010: { tensor: string; detail: string };
  TC3011: { index: string; range: string };
  TC3012: { tensor: string };
  TC3013: { type: string; named?: string };
  TC3014: { tensor: string; dimension: number; value: number; range: string };
  TC4001: { index: string; place: string };
  TC4002: { operator: string; indices: readonly string[] };
  TC4003: Record<never, never>;
  TC4004: Record<never, never>;
  TC4005: { tensor: string };
  TC4006: { tensor: string; operator: string };
  TC4007: { tensor: string; operator: string };
  TC4008: { index: string };
  TC4009: { index: string };
  TC4010: { indices: readonly string[]; term: string; target: string; sign: 1 | -1 };
  /** `loop`: the statement in a loop. */
  TC4011: { tensor: string; read: string; loop: string };
  TC4012: { tensor: string; operator: string };
  TC5001: { detail: string; profile: string };
  TC5002: TensorSize & {
    type: string;
    bytes: number;
    limit: number;
    profile: string;
    temporary: boolean;
  };
  TC5003: TensorSize & { count: number };
  TC5004: { index: string; value: number };
  TC5005: { names: readonly string[] };
}

/** A read or write that leaves its tensor; `named` is a size that stands where an index might. */
export interface AccessProblem {
  readonly tensor: string;
  /** Counted from 0. */
  readonly dimension: number;
  readonly size: number;
  /** The index expression as it is written. */
  readonly index: string;
  /** The first value outside `[0, size)` that the index takes. */
  readonly value: number;
  readonly named?: string;
}

/** A tensor that is too large. */
interface TensorSize {
  readonly name: string;
  readonly shape: readonly number[];
}

/** A name that nothing has; `ambiguous` when several names are as near as the suggestion. */
interface Misspelt {
  readonly name: string;
  readonly suggestion?: string;
  readonly ambiguous?: boolean;
}

export type Code = keyof ProblemData;

/** The texts of one code. */
export interface ProblemText<Data> {
  /** A short name, for lists. */
  readonly title: string;
  /** `error` when absent. */
  readonly severity?: "warning";
  readonly message: (data: Data) => string;
  readonly hint?: (data: Data) => string | undefined;
  /** What may be written without asking, where the span alone tells it. */
  readonly fix?: (data: Data, span: Span) => Fix | undefined;
}

/** A set of edits that resolves a diagnostic. The spans do not overlap. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly { readonly span: Span; readonly text: string }[];
}

/** The texts of all codes that begin with a prefix. */
export type ProblemTexts<Prefix extends string> = {
  readonly [C in Extract<Code, `${Prefix}${string}`>]: ProblemText<ProblemData[C]>;
};
