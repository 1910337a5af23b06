/** Purpose: asks whether, and how, lanes load for each other what all of them need, and makes it so. */
import { subgroupLanes } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { variable } from "../affine.ts";
import { domainConstraints } from "../domain.ts";
import { bounds } from "../integer-set/bounds.ts";
import type { Statement } from "../program.ts";
import type { Schedule } from "../schedule.ts";
import type { Axis } from "./axes.ts";
import { prefersCountedSteps, prefersSpread } from "./defaults.ts";
import { mapReductionTiles } from "./levels.ts";
import type { GroupShape } from "./map-group.ts";
import { legality, type MappingContext, type Run, statementsIn } from "./run.ts";
import { mayUnroll } from "./shape.ts";
import { usualSpreadBlock } from "./spread-block.ts";
import {
  countSteps,
  type SpreadOver,
  spreadCandidates,
  spreadOperands,
} from "./spread-operands.ts";

/** A kernel whose reductions' operands are spread over lanes, and how to ask whether it is legal. */
export interface SpreadKernel {
  readonly schedule: Schedule;
  isLegal(schedule: Schedule): boolean;
}

/** What the answers depend on. */
export interface LanesQuestion {
  readonly axes: readonly Axis[];
  readonly shape: GroupShape;
  readonly prefix: string;
  build(shape: GroupShape): Schedule;
}

/** One way for lanes to load for each other, and the statements that it is one for. */
interface Way {
  readonly over: SpreadOver;
  readonly statements: ReadonlySet<string>;
}

/** A way with everything about it decided. */
interface Spreading extends Way {
  /** Steps of the reductions that are written out. */
  readonly steps: number;
  /** These are then counted by a loop all the same. */
  readonly counts: boolean;
}

/** Of so many steps, one is few. */
const manySteps = 16;

/**
 * Whether few steps of the loops on the host have instances of a statement, as one that begins a
 * recurrence: text that is written out for it costs more in the first call than it saves in all.
 */
function isRare({ domain }: Statement, { host }: Run): boolean {
  let [mine, all] = [1, 1];
  for (const { id, extent } of host) {
    const range = bounds(domainConstraints(domain), variable(id));
    if (range !== "empty") mine *= Math.min(extent, range.hi - range.lo + 1);
    all *= extent;
  }
  return mine * manySteps <= all;
}

/** The kernel's shape with so many steps of some statements written out. */
function withSteps(shape: GroupShape, ids: Iterable<string>, steps: number): GroupShape {
  return { ...shape, unrolls: new Map([...ids].map((id) => [id, steps])) };
}

/**
 * The ways that there are, the better one last: lanes that load for points are known without writing out
 * a step for each, and on software adapters contractions take 0.7 to 0.9 of the time.
 */
function waysOf(
  { program, profile }: MappingContext,
  run: Run,
  { shape, build }: LanesQuestion,
  lanes: number,
): readonly Way[] {
  const statements = statementsIn(program, run.nodes);
  const ids = statements.map((s) => s.id);
  const rare = new Set(flatMap(statements, (s) => (isRare(s, run) ? [s.id] : [])));
  return flatMap(["steps", "points"] as const, (over): readonly Way[] => {
    const steps = over === "steps" ? lanes : 1;
    if (!mayUnroll(shape, ids.length * steps, profile)) return [];
    const found = spreadCandidates(program, build(withSteps(shape, ids, steps)), lanes, over);
    const wanted = new Set([...found].filter((id) => !rare.has(id)));
    return wanted.size === 0 ? [] : [{ over, statements: wanted }];
  });
}

/** Asks how many steps lanes load at once that each load for a point. */
function asksBlock(
  { profile, decider }: MappingContext,
  statements: readonly Statement[],
  { shape, prefix }: LanesQuestion,
): number {
  const sizes = [1, 2, 4, 8].filter((n) => mayUnroll(shape, statements.length * n, profile));
  const wish = usualSpreadBlock({ statements, tiles: shape.tiles, profile });
  return decider.decide(`${prefix}.spreadBlock`, sizes, sizes.includes(wish) ? wish : 1);
}

/** Asks for one of some ways, and for what is open about it. */
function asksSpreading(
  context: MappingContext,
  run: Run,
  question: LanesQuestion,
  lanes: number,
  ways: readonly Way[],
): Spreading | null {
  const { program, profile, decider } = context;
  const { axes, prefix } = question;
  const last = ways.at(-1);
  if (last === undefined) return null;
  const names = ways.map((w) => w.over);
  const over = decider.decide(`${prefix}.spreadOver`, names, last.over);
  const way = ways.find((w) => w.over === over) ?? last;
  const statements = statementsIn(program, run.nodes);
  if (over === "points") {
    const mine = statements.filter((s) => way.statements.has(s.id));
    return { ...way, steps: asksBlock(context, mine, question), counts: false };
  }
  const forms = ["unroll", "serial"] as const;
  const form = prefersCountedSteps(axes, { statements, profile }) ? "serial" : "unroll";
  const counts = decider.decide(`${prefix}.spreadSteps`, forms, form) === "serial";
  return { ...way, steps: lanes, counts };
}

/** The kernel with the operands spread, if that is legal. */
function spreadAs(
  context: MappingContext,
  run: Run,
  { build }: LanesQuestion,
  lanes: number,
  shape: GroupShape,
  { over, statements, steps, counts }: Spreading,
): SpreadKernel | null {
  const { program } = context;
  const written = build(withSteps(shape, statements, steps));
  const spread = spreadOperands(program, written, lanes, over, statements);
  if (spread === null) return null;
  context.program = spread.program;
  const isLegal = legality(context, run, spread.statements);
  const schedule = counts ? countSteps(spread) : spread.schedule;
  if (isLegal(schedule)) return { schedule, isLegal };
  context.program = program;
  return null;
}

/** Asks whether to spread what all lanes need alike; null where that is not so or not possible. */
export function mapLanes(
  context: MappingContext,
  run: Run,
  question: LanesQuestion,
): SpreadKernel | null {
  const { program, profile, decider } = context;
  const { axes, shape, prefix } = question;
  const lanes = subgroupLanes(profile);
  if (lanes === null || shape.lanes !== lanes) return null;
  const ways = waysOf(context, run, question, lanes);
  if (ways.length === 0) return null;
  const statements = statementsIn(program, run.nodes);
  const path = `${prefix}.spread`;
  const wish = prefersSpread(axes, shape.innermost, { statements, profile });
  if (!decider.decide(path, [false, true], wish)) return null;
  const from = decider.asked.length;
  const levels = { statements, axes, profile, decider, prefix };
  const make = (some: readonly Way[]): SpreadKernel | null => {
    const spreading = asksSpreading(context, run, question, lanes, some);
    if (spreading === null) return null;
    const made = mapReductionTiles(levels, shape, (asked) =>
      spreadAs(context, run, question, lanes, asked, spreading),
    );
    if (made !== null || some.length === 1) return made;
    decider.rewind(from);
    return make(some.filter((w) => w.over !== spreading.over));
  };
  const spread = make(ways);
  if (spread === null) decider.repair(path, true, false);
  return spread;
}
