/** Questions about the structure of a mapping: rewrites, kernels, and where loops of the program run. */

import type { Choice } from "../../../support/mapping-file.ts";
import type { Program, ProgramNode } from "../../program.ts";
import type { Axis } from "../group/axes.ts";
import type { Run } from "../group/group.ts";
import type { Rewritable } from "./offers.ts";

/** What a question is about. */
export type Subject =
  | Rewritable
  /** How reads of what a statement of a loop overwrites get the old value. */
  | {
      readonly family: "own";
      /** It reads elements of its tensor that other points of it write, which is not safe as it is. */
      readonly needed: boolean;
      /** The part of its tensor that the statement writes in an iteration, at most. */
      readonly share: number;
      /** Those who read the old value and it would share a kernel, whose workgroups read across rows of each other. */
      readonly parts: boolean;
      /** Of the tensor. */
      readonly elements: number;
    }
  /** Whether a node runs in the kernel of the nodes before it. */
  | {
      readonly family: "with";
      readonly before: Run;
      readonly axes: readonly Axis[];
      readonly next: ProgramNode;
      /** The axes of all together, and of the next node alone; null where that is no kernel. */
      readonly shared: readonly Axis[];
      readonly alone: () => readonly Axis[] | null;
    }
  /** Where a loop of the program runs. */
  | {
      readonly family: "loop";
      readonly run: Run;
      /** As one kernel; null where it is none. */
      readonly axes: readonly Axis[] | null;
    };

/** A question about a program: a path in the mapping's structure, and the values that are legal. */
export interface StructureQuestion {
  readonly path: string;
  readonly values: readonly Choice[];
  readonly subject: Subject;
  /** As it is now. */
  readonly program: Program;
}

/** Chooses one of the values of each question; hears of what was chosen and turned out not to be legal. */
export interface Chooser {
  choose(question: StructureQuestion): Choice;
  refused(path: string, asked: Choice, used: Choice): void;
}
