import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { flatMap } from "../support/flat-map.ts";
import type { ProvedOutside } from "./checks/prove-outside.ts";
import type { SizeSet } from "./trial-sizes.ts";

/** How a definition without all sizes is looked at. */
export interface MissingSizes {
  /** What the missing sizes may be, those first that most likely make sense. */
  readonly sets: readonly SizeSet[];
  /** What is known without sizes. */
  readonly known: readonly Diagnostic[];
  /** What is wrong with the definition for some sizes. */
  readonly analyse: (sizes: SizeSet) => readonly Diagnostic[];
  /** What is wrong for all sizes; those that the trials do not find are left out. */
  readonly proved: () => readonly ProvedOutside[];
  /** How large the definition is. */
  readonly statements: number;
}

/** Statements of all trials together, and sets after which something may be said about all sizes. */
const mostStatements = 10_000;
const fewestSets = 6;

/** Lints that say nothing about sizes. */
const lints: ReadonlySet<string> = new Set(["TC2034", "TC2035", "TC4010", "TC4011", "TC4012"]);
/** After these it is not known what else would be wrong. */
const inconclusive: ReadonlySet<string> = new Set(["TC2013", "TC3011"]);
/** What can only be wrong where an index has several values. */
const plural: ReadonlySet<string> = new Set(["TC3009", "TC4007"]);
/** What is wrong for sizes of 1 is wrong for all greater ones. */
const growing: ReadonlySet<string> = new Set(["TC5003", "TC5004"]);

/**
 * What is wrong with a definition whatever its missing sizes are, as far as trying several sets of
 * sizes shows it. What says the same of all of them does not depend on sizes, and is an error, as is
 * what is proved; the rest becomes a warning that says which sizes were tried. A definition that is right for the first set
 * costs one analysis.
 */
export function checkMissingSizes(given: MissingSizes): readonly Diagnostic[] {
  const { sets, known, analyse, statements } = given;
  const before = new Set(known.map(keyOf));
  const trials: Trial[] = [];
  let open: readonly string[] | undefined;
  for (const sizes of sets) {
    if (open?.length === 0 || (trials.length + 1) * statements > mostStatements) break;
    const found = new Map<string, Diagnostic>();
    for (const d of analyse(sizes)) if (isCandidate(d)) found.set(keyOf(d), d);
    const unclear = [...found.values()].some((d) => inconclusive.has(d.code));
    trials.push({ sizes, found });
    open ??= [...found.keys()].filter((key) => !before.has(key));
    const single = Object.values(sizes).includes(1);
    open = open.filter(
      (key) => found.has(key) || unclear || (single && plural.has(key.split(" ")[0] ?? "")),
    );
  }
  const conclusive = trials.filter(
    ({ found }) => ![...found.values()].some((d) => inconclusive.has(d.code)),
  );
  const enough = Math.min(fewestSets, sets.length);
  if (open === undefined || conclusive.length < enough) return [];
  if (open.length === 0) return [];
  const proved = new Set(given.proved().map(keyOf));
  return flatMap(open, (key) => summary(key, trials, proved.has(key)));
}

interface Trial {
  readonly sizes: SizeSet;
  readonly found: ReadonlyMap<string, Diagnostic>;
}

function keyOf({ code, span }: Pick<Diagnostic, "code" | "span">): string {
  return `${code} ${span.start} ${span.end}`;
}

function isCandidate({ severity, code }: Diagnostic): boolean {
  return severity === "error" || lints.has(code) || inconclusive.has(code);
}

/** One diagnostic for those that the trials have in one place. */
function summary(key: string, trials: readonly Trial[], proved: boolean): readonly Diagnostic[] {
  const having = flatMap(trials, ({ sizes, found }) => {
    const d = found.get(key);
    return d === undefined ? [] : [{ sizes, d }];
  });
  const [first, ...others] = having;
  if (first === undefined || first.d.code === "TC3011") return [];
  const { hint, fixes, ...rest } = first.d;
  const same = others.every(({ d }) => d.message === rest.message);
  const advice = others.every(({ d }) => d.hint === hint) ? hint : undefined;
  const repaired = others.every(({ d }) => JSON.stringify(d.fixes) === JSON.stringify(fixes));
  const tried = others.slice(0, 4).map(({ sizes }) => sizesText(sizes));
  const also = proved ? "it is so for all sizes" : `it is so with ${tried.join("; ")}, too`;
  const hints = [advice, same ? undefined : also].filter((text) => text !== undefined);
  return [
    {
      ...rest,
      ...(same ? {} : { message: `${rest.message}, with ${sizesText(first.sizes)}` }),
      ...(same || proved || growing.has(rest.code) ? {} : { severity: "warning" }),
      ...(hints.length === 0 ? {} : { hint: hints.join("; ") }),
      ...(repaired && fixes !== undefined ? { fixes } : {}),
    },
  ];
}

function sizesText(sizes: SizeSet): string {
  const parts = Object.entries(sizes).map(([name, value]) => `${name}=${value}`);
  return parts.length > 4 ? `${parts.slice(0, 4).join(", ")}, ...` : parts.join(", ");
}
