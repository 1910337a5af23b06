/**
 * The reference: what a program means, computed in float64 by plain loops in program order.
 *
 * Requires a program without faults (see `verifyProgram`). A statement reads every tensor as it was
 * before it began; a reduction combines in ascending order of its dims; integers wrap at 32 bits.
 */
import { assertNever, defined } from "../../support/assert.ts";
import { findStatement, type Program, type ProgramNode } from "../program.ts";
import { compileStatement, type StatementContext } from "./compile-statement.ts";
import { compileAffine, createFrame, slotOf } from "./frame.ts";
import type { Budget } from "./nest.ts";
import { createStorage, type NumericArray } from "./storage.ts";

export type { NumericArray } from "./storage.ts";

export interface InterpretOptions {
  /** Stops after about that many loop iterations; no limit by default. */
  readonly maxPoints?: number;
  /** Returns temporaries too. */
  readonly temporaries?: boolean;
}

/** The final contents of a tensor, row-major. */
export interface InterpretedTensor {
  /** The only component, or the first. Integers are exact, bools 0 and 1. */
  readonly data: Float64Array;
  /** All components, the first included; more than one for temporaries only. */
  readonly components: readonly Float64Array[];
}

export interface Interpretation {
  /** Outputs and inouts, temporaries on request. */
  readonly tensors: ReadonlyMap<string, InterpretedTensor>;
  /** What is wrong with the inputs; nothing was computed unless it is empty. */
  readonly faults: readonly string[];
  /** False when the budget ended before the program did: the contents are then unfinished. */
  readonly complete: boolean;
}

function compileNodes(
  program: Program,
  nodes: readonly ProgramNode[],
  context: StatementContext,
): () => void {
  const parts = nodes.map((node) => compileNode(program, node, context));
  return () => {
    for (const part of parts) part();
  };
}

function compileNode(program: Program, node: ProgramNode, context: StatementContext): () => void {
  switch (node.kind) {
    case "statement": {
      const found = findStatement(program, node.statement);
      return compileStatement(defined(found, `statement ${node.statement}`), context);
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

/**
 * Runs a program on inputs, one array for each `input` and `inout` tensor. Inputs are made values of
 * their types first (a float64 input is rounded to float32).
 */
export function interpret(
  program: Program,
  inputs: Readonly<Record<string, NumericArray>>,
  options: InterpretOptions = {},
): Interpretation {
  const { storage, faults } = createStorage(program, inputs, false);
  if (faults.length > 0) return { tensors: new Map(), faults, complete: false };
  const budget: Budget = { left: options.maxPoints ?? Infinity };
  const context: StatementContext = { frame: createFrame(program), storage, budget };
  compileNodes(program, program.tree, context)();
  const tensors = new Map<string, InterpretedTensor>();
  for (const { tensor, data } of storage.values()) {
    const wanted = tensor.role === "temporary" ? options.temporaries === true : true;
    if (!wanted || tensor.role === "input") continue;
    const first = defined(data[0], `component of ${tensor.name}`);
    tensors.set(tensor.name, { data: first, components: data });
  }
  return { tensors, faults: [], complete: budget.left >= 0 };
}
