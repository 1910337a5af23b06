/**
 * Purpose: the smallest definition, sizes and options that still fail the same way.
 *
 * Delta debugging by greedy steps: a step that keeps the failure is taken, until none does or the
 * budget of attempts is spent.
 */

import type { Definition, Module } from "../../../src/frontend/syntax/ast.ts";
import { parse } from "../../../src/frontend/syntax/parse.ts";
import { printModule } from "../../../src/frontend/syntax/print-ast.ts";
import { mappingOf, pathsOf } from "../../../src/ir/mapping/mapping.ts";
import type { TcCase } from "../generate-tc.ts";
import type { Way } from "../variants.ts";
import { fewerArguments } from "./fewer-arguments.ts";
import { smallerDefinitions } from "./smaller-definitions.ts";

/** What is shrunk: a definition and how it is mapped. */
export interface Subject {
  readonly tcCase: TcCase;
  readonly mapping: Way;
}

/** Whether a subject still fails as the first one did. */
export type StillFails = (subject: Subject) => Promise<boolean>;

/** Sizes made smaller: to 1, to half, by one. */
function* smallerSizes(tcCase: TcCase): Generator<TcCase> {
  for (const [name, value] of Object.entries(tcCase.sizes)) {
    for (const next of new Set([1, Math.floor(value / 2), value - 1])) {
      if (next >= 1 && next < value) yield { ...tcCase, sizes: { ...tcCase.sizes, [name]: next } };
    }
  }
}

/** The sizes that the source still mentions. */
function withoutUnusedSizes(tcCase: TcCase): TcCase {
  const used = Object.entries(tcCase.sizes).filter(([name]) =>
    new RegExp(`\\b${name}\\b`).test(tcCase.source),
  );
  return { ...tcCase, sizes: Object.fromEntries(used) };
}

/** One definition left out, or made smaller. */
function* smallerModules({ definitions }: Module): Generator<readonly Definition[]> {
  if (definitions.length > 1) yield* fewerArguments(definitions);
  for (const [n, definition] of definitions.entries()) {
    if (definitions.length > 1) yield definitions.toSpliced(n, 1);
    for (const smaller of smallerDefinitions(definition)) yield definitions.with(n, smaller);
  }
}

function* smallerSources(tcCase: TcCase): Generator<TcCase> {
  const { module } = parse(tcCase.source);
  for (const definitions of smallerModules(module)) {
    const source = printModule({ ...module, definitions });
    if (source !== tcCase.source) yield withoutUnusedSizes({ ...tcCase, source });
  }
}

/** Mappings with fewer choices. */
function* smallerMappings(mapping: Way): Generator<Way> {
  if (mapping.kind !== "options") return;
  const choices = [...pathsOf(mapping.options)];
  const half = Math.floor(choices.length / 2);
  const made = (kept: typeof choices): Way => ({
    kind: "options",
    options: mappingOf(kept, mapping.options.policy ?? "default"),
  });
  if (half > 0) {
    yield made(choices.slice(half));
    yield made(choices.slice(0, half));
  }
  for (const [n] of choices.entries()) yield made(choices.toSpliced(n, 1));
}

function* smallerSubjects({ tcCase, mapping }: Subject): Generator<Subject> {
  for (const smaller of smallerMappings(mapping)) yield { tcCase, mapping: smaller };
  for (const smaller of smallerSources(tcCase)) yield { tcCase: smaller, mapping };
  for (const smaller of smallerSizes(tcCase)) yield { tcCase: smaller, mapping };
}

/**
 * Shrinks a failing subject with at most `budget` attempts. The result fails as the subject does;
 * its source is printed anew.
 */
export async function shrink(
  subject: Subject,
  stillFails: StillFails,
  budget: number,
): Promise<Subject> {
  let best = subject;
  let left = budget;
  const tried = new Set<string>();
  for (;;) {
    let progress = false;
    for (const smaller of smallerSubjects(best)) {
      const key = JSON.stringify(smaller);
      if (tried.has(key)) continue;
      tried.add(key);
      if (left-- <= 0) return best;
      if (!(await stillFails(smaller))) continue;
      best = smaller;
      progress = true;
      break;
    }
    if (!progress) return best;
  }
}
