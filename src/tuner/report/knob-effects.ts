/** What each knob did: times of candidates by its values. */
import { flatMap } from "../../support/flat-map.ts";
import type { Choice, Mapping } from "../../support/mapping-file.ts";
import { median } from "../statistics.ts";

/** The candidates that share a value of a knob. */
interface ValueEffect {
  readonly value: Choice;
  /** Those that ran; microseconds of the fastest, and of their median. */
  readonly n: number;
  readonly best: number;
  readonly median: number;
}

export interface KnobEffect {
  readonly path: string;
  /** The fastest first. */
  readonly values: readonly ValueEffect[];
  /** The best time without the best value over the best time with it: at least 1. */
  readonly effect: number;
}

/** What a mapping chooses, by path: `kernels/C/axes/0/workgroup`. */
export function choicesOf({ structure, kernels }: Mapping): Readonly<Record<string, Choice>> {
  const found: Record<string, Choice> = {};
  const visit = (value: unknown, path: string): void => {
    if (typeof value === "object" && value !== null) {
      for (const [name, part] of Object.entries(value)) visit(part, `${path}/${name}`);
    } else if (value !== undefined) found[path] = value as Choice;
  };
  visit(structure, "structure");
  visit(kernels, "kernels");
  return found;
}

/** A candidate as far as knobs are concerned. */
interface Timed {
  readonly us: number | null;
  readonly choices: Readonly<Record<string, Choice>>;
}

/** The knobs of which several values ran, the one with the greatest effect first. */
export function knobEffects(candidates: readonly Timed[]): readonly KnobEffect[] {
  const times = new Map<string, Map<Choice, number[]>>();
  for (const { us, choices } of candidates) {
    if (us === null) continue;
    for (const [path, value] of Object.entries(choices)) {
      const values = times.get(path) ?? new Map<Choice, number[]>();
      times.set(path, values.set(value, [...(values.get(value) ?? []), us]));
    }
  }
  const effects = flatMap([...times], ([path, byValue]): readonly KnobEffect[] => {
    const values = [...byValue]
      .map(([value, us]) => ({ value, n: us.length, best: Math.min(...us), median: median(us) }))
      .sort((a, b) => a.best - b.best || a.median - b.median);
    const [first, second] = values;
    if (first === undefined || second === undefined) return [];
    return [{ path, values, effect: second.best / first.best }];
  });
  return effects.sort((a, b) => b.effect - a.effect || (a.path < b.path ? -1 : 1));
}
