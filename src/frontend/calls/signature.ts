import type { Span } from "../../diagnostics/span.ts";
import type { ElementType } from "../../support/scalar-type.ts";
import type { Expression } from "../syntax/ast.ts";

/** What a call of a definition has to know about it. */
export interface Signature {
  readonly name: string;
  readonly parameters: readonly SignatureParameter[];
  readonly results: readonly SignatureResult[];
  readonly span: Span;
}

/** A parameter as a call sees it. */
export interface SignatureParameter {
  readonly name: string;
  readonly type: ElementType;
  /** None for a scalar. */
  readonly dimensions: readonly Expression[];
  /** True for a scalar that an index, a range or a shape uses: its value must be known. */
  readonly compileTime: boolean;
  /** True when it is also a result: the call writes into the argument. */
  readonly inPlace: boolean;
  readonly span: Span;
}

/** A result as a call sees it. */
export interface SignatureResult {
  readonly name: string;
  readonly type: ElementType;
  /** Undefined when a mistake hides it. */
  readonly rank: number | undefined;
  /** The declared shape. */
  readonly dimensions: readonly Expression[] | undefined;
  /** `parameter` and `updated`: the call combines into what the target holds. */
  readonly kind: "new" | "updated" | "parameter";
  readonly span: Span;
}

/** The definitions of a file by name; undefined for those with a mistake that hides the rest. */
export type Signatures = ReadonlyMap<string, Signature | undefined>;
