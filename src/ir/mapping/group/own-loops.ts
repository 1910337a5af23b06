/** The loops of the program that run inside of a kernel. */

import { flatMap } from "../../../support/flat-map.ts";
import { remember } from "../../../support/remember.ts";
import { isConstant, subtract } from "../../affine.ts";
import type { Program, ProgramNode, Statement } from "../../program.ts";
import { type Group, statementsIn } from "./group.ts";

/** A loop without others inside of it. */
export interface OwnLoop {
  readonly name: string;
  /** Its iterations; 0 where their number is not the same in all iterations of the loops around it. */
  readonly extent: number;
  readonly statements: readonly Statement[];
}

/** The name of the loop that is left where iterations of a loop are written out. */
export function outerLoop(name: string): string {
  return `${name}.outer`;
}

function innermost(program: Program, node: ProgramNode): readonly OwnLoop[] {
  if (node.kind === "statement") return [];
  const inside = flatMap(node.body, (n) => innermost(program, n));
  if (inside.length > 0) return inside;
  const length = subtract(node.upper, node.lower);
  const extent = isConstant(length) ? length.constant : 0;
  return [{ name: node.name, extent, statements: statementsIn(program, node.body) }];
}

/** The innermost loops of the program in a kernel. */
export const ownLoops: (group: Group) => readonly OwnLoop[] = remember(
  ({ program, nodes }: Group) => flatMap(nodes, (node) => innermost(program, node)),
);
