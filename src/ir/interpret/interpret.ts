/**
 * The reference: what a program means, computed in float64 by plain loops in program order.
 *
 * Requires a program without faults (see `verifyProgram`). A statement reads every tensor as it was
 * before it began; a reduction combines in ascending order of its dims; integers wrap at 32 bits.
 */
import { assertNever, defined } from "../../support/assert.ts";
import { roundedSteps } from "../algebraic/own-loop.ts";
import { findStatement, type Program, type ProgramNode, type Statement } from "../program.ts";
import { compileBoundedStatement } from "./bounded-statement.ts";
import { compileStatement, type StatementContext } from "./compile-statement.ts";
import { compileAffine, createFrame, slotOf } from "./frame.ts";
import type { Budget } from "./nest.ts";
import { randomRounding } from "./random-rounding.ts";
import { callerElements, createStorage, type NumericArray, type TensorStorage } from "./storage.ts";

export type { NumericArray } from "./storage.ts";

export interface InterpretOptions {
  /** Stops after about that many loop iterations; no limit by default. */
  readonly maxPoints?: number;
  /** Computes error bounds beside the values; takes several times as long. */
  readonly bounds?: boolean;
  /** Computes in float32, rounded at random from this seed (random-rounding.ts); without bounds. */
  readonly roundingSeed?: number;
  /** Returns temporaries too. */
  readonly temporaries?: boolean;
}

/** The final contents of a tensor, row-major. */
export interface InterpretedTensor {
  /** The only component, or the first. Integers are exact, bools 0 and 1. */
  readonly data: Float64Array;
  /** All components, the first included; more than one for temporaries only. */
  readonly components: readonly Float64Array[];
  /**
   * With `bounds`: how far a float32 device may be from each element of `data`, absolute. Infinite
   * where rounding may decide otherwise (or overflow) and nothing can be said; 0 where exact.
   */
  readonly bound?: Float64Array;
  /** The number of infinite bounds; 0 without bounds. */
  readonly ambiguous: number;
}

export interface Interpretation {
  /** Outputs and inouts, temporaries on request. */
  readonly tensors: ReadonlyMap<string, InterpretedTensor>;
  /** The number of infinite bounds in all tensors returned. */
  readonly ambiguous: number;
  /** What is wrong with the inputs; nothing was computed unless it is empty. */
  readonly faults: readonly string[];
  /** False when the budget ended before the program did: the contents are then unfinished. */
  readonly complete: boolean;
  /** The loop iterations that were executed. */
  readonly points: number;
}

type CompileStatement = (statement: Statement, context: StatementContext) => () => void;

/** What a program is compiled against. */
export interface TreeContext extends StatementContext {
  readonly compile: CompileStatement;
}

/** Compiles a part of a program's tree to a closure that runs its statements in order. */
export function compileNodes(
  program: Program,
  nodes: readonly ProgramNode[],
  context: TreeContext,
): () => void {
  const parts = nodes.map((node) => compileNode(program, node, context));
  return () => {
    for (const part of parts) part();
  };
}

function compileNode(program: Program, node: ProgramNode, context: TreeContext): () => void {
  switch (node.kind) {
    case "statement": {
      const found = findStatement(program, node.statement);
      return context.compile(defined(found, "statement", node.statement), context);
    }
    case "loop": {
      const { frame, budget } = context;
      const slot = slotOf(frame, node.name);
      const lower = compileAffine(node.lower, frame);
      const upper = compileAffine(node.upper, frame);
      const body = compileNodes(program, node.body, context);
      return () => {
        const hi = upper();
        for (let v = lower(); v < hi && budget.left >= 0; v++) {
          budget.left--;
          frame.values[slot] = v;
          body();
        }
      };
    }
    default:
      return assertNever(node);
  }
}

function resultOf({ tensor, data, bounds }: TensorStorage): InterpretedTensor {
  const first = callerElements(tensor, data);
  const components = tensor.unpacked === undefined ? data : [first];
  if (bounds.length === 0) return { data: first, components, ambiguous: 0 };
  const bound = callerElements(tensor, bounds);
  let ambiguous = 0;
  for (const b of bound) if (b === Infinity) ambiguous++;
  return { data: first, components, bound, ambiguous };
}

/**
 * Runs a program on inputs, one array for each `input` and `inout` tensor. Inputs are made values of
 * their types first (a float64 input is rounded to float32).
 */
export function interpret(
  program: Program,
  inputs: Readonly<Record<string, NumericArray>>,
  options: InterpretOptions = {},
): Interpretation {
  const withBounds = options.bounds === true;
  const { storage, faults } = createStorage(program, inputs, withBounds);
  if (faults.length > 0) {
    return { tensors: new Map(), ambiguous: 0, faults, complete: false, points: 0 };
  }
  const budget: Budget = { left: options.maxPoints ?? Number.MAX_SAFE_INTEGER };
  const { left } = budget;
  const compile = withBounds ? compileBoundedStatement : compileStatement;
  const rounding = options.roundingSeed === undefined ? null : randomRounding(options.roundingSeed);
  const frame = createFrame(program);
  const steps = withBounds ? { steps: roundedSteps(program) } : {};
  compileNodes(program, program.tree, { frame, storage, budget, rounding, compile, ...steps })();
  const tensors = new Map<string, InterpretedTensor>();
  let ambiguous = 0;
  for (const contents of storage.values()) {
    const { role, name } = contents.tensor;
    if (role === "input" || (role === "temporary" && options.temporaries !== true)) continue;
    const result = resultOf(contents);
    tensors.set(name, result);
    ambiguous += result.ambiguous;
  }
  const points = left - budget.left;
  return { tensors, ambiguous, faults: [], complete: budget.left >= 0, points };
}
