/**
 * Purpose: finds the best mapping of one definition at one set of sizes: a state machine that is seeded and
 * deterministic, over a planner and a bench.
 *
 * ```
 * seeds     the default, starts (of the database, of neighbours), other policies, algorithms; with the least effort all
 *           wishes of the policy, and no more
 * places    designed: the same few decisions, each way of each once, then what promises most; with more effort some drawn
 * steps     the best kernels of the best put together, then one or several knobs turned, those that promise most; of
 *           every ten one far away. Batch after batch: compile all, then race them
 * duel      the best ones and the default
 * ```
 * Ensures: `start` is the first event and `done` the last one, whatever becomes of the bench. The winner is no more than
 * 2 % slower than the default, as far as they were measured side by side. Time comes from `now`, chance from `seed`: on
 * a replayed landscape, whose clock is its own, the same run gives the same events. Others have a turn
 * between plans, in which a signal may end the run.
 */
import { admit, consider, expectedAdmission, isSpent } from "./admit.ts";
import type { Bench } from "./bench.ts";
import type { Planner, Proposal, TuningTask } from "./candidate.ts";
import { compare } from "./compare.ts";
import type { Effort, TuneEvent } from "./events.ts";
import { finish, resultOf } from "./finish.ts";
import { combined, nextProposal, places, seeds, standingOf } from "./propose.ts";
import {
  breathe,
  defOf,
  Ended,
  type Entry,
  elapsedMs,
  newSession,
  type Session,
  searchEndMs,
  type TuningOptions,
  tried,
} from "./session.ts";
import { median } from "./statistics.ts";

/** How an effort goes about it. */
interface Plan {
  /** Candidates of a batch of steps. */
  readonly batch: number;
  /** Places of the space that are tried between seeds and steps. */
  readonly places: number;
  /** Stages of a race. */
  readonly stages: number;
}

const plans: Readonly<Record<Effort, Plan>> = {
  refine: { batch: 5, places: 0, stages: 3 },
  quick: { batch: 6, places: 4, stages: 3 },
  normal: { batch: 10, places: 20, stages: 3 },
  full: { batch: 20, places: 100, stages: 4 },
};

/** Proposals in a row that are nothing new before the space counts as searched. */
const patience = 300;

/** The share of the time left that one batch may take to compile. */
const batchShare = 0.4;

/** Compiles some entries, then races those that ran. */
async function* tryBatch(
  session: Session,
  entries: () => AsyncIterable<Entry>,
  plan: Plan,
): AsyncGenerator<TuneEvent> {
  const admitted: Entry[] = [];
  const begin = elapsedMs(session);
  for await (const entry of entries()) {
    const isFirst = entry.i === 0;
    yield* admit(session, entry);
    if (entry.refusal === null) admitted.push(entry);
    if (isSpent(session)) break;
    const left = searchEndMs(session) - begin;
    if (!isFirst && elapsedMs(session) - begin > batchShare * left) break;
  }
  if (admitted.length > 0) yield* compare(session, admitted, plan.stages);
}

/** What one candidate may take to be compiled and proved: so much of the time left, or of what others took. */
const admissions = { ofLeft: 0.3, ofUsual: 2 };

/** Whether there is time to compile it, beside that of others: the default always has it. */
function isAffordable(session: Session, entry: Entry): boolean {
  if (entry.i === 0) return true;
  const expected = expectedAdmission(session, entry.candidate);
  const left = searchEndMs(session) - elapsedMs(session);
  const usual = median(session.entries.flatMap((e) => e.firstMs ?? []));
  const most = Math.max(admissions.ofLeft * left, admissions.ofUsual * usual);
  const fits = expected === null || expected < Math.min(left, most);
  if (!fits) session.isShort = true;
  return fits;
}

/** Seeds or places, in as many batches as it takes. */
async function* tryAll(
  session: Session,
  proposals: AsyncIterator<Proposal> | Iterator<Proposal>,
  plan: Plan,
): AsyncGenerator<TuneEvent> {
  let isOver = false;
  const batch = async function* (): AsyncIterable<Entry> {
    while (!isSpent(session)) {
      await breathe(session);
      const next = await proposals.next();
      if (next.done === true) {
        isOver = true;
        return;
      }
      const entry = await consider(session, next.value);
      if (entry?.veto === null && isAffordable(session, entry)) yield entry;
    }
  };
  while (!isOver && !isSpent(session)) yield* tryBatch(session, batch, plan);
}

/** A batch of new entries near the best; fewer where nothing new is found. */
async function* newSteps(session: Session, plan: Plan): AsyncIterable<Entry> {
  const standing = standingOf(session);
  for (const proposal of combined(session, standing)) {
    await breathe(session);
    if (isSpent(session)) return;
    const entry = await consider(session, proposal);
    if (entry?.veto === null) yield entry;
  }
  let found = 0;
  for (let idle = 0; found < plan.batch && idle < patience; idle++) {
    if (isSpent(session)) return;
    await breathe(session);
    const proposal = await nextProposal(session, standing, idle / patience);
    await breathe(session);
    const entry = proposal && (await consider(session, proposal));
    if (entry?.veto !== null || !isAffordable(session, entry)) continue;
    found += 1;
    idle = 0;
    yield entry;
  }
}

/** Search, without the duel. */
async function* search(session: Session): AsyncGenerator<TuneEvent> {
  const { effort } = session.options;
  const plan = plans[effort];
  yield* tryAll(session, seeds(session).values(), plan);
  if (effort === "refine") return;
  yield* tryAll(session, places(session, plan.places), plan);
  while (!isSpent(session)) {
    const before = tried(session);
    yield* tryBatch(session, () => newSteps(session, plan), plan);
    if (tried(session) === before) {
      session.ending ??= session.isShort || isSpent(session) ? "budget" : "exhausted";
      return;
    }
  }
}

/** The search and the duel. */
async function* everything(session: Session): AsyncGenerator<TuneEvent> {
  for await (const event of search(session)) {
    yield* session.pending.splice(0);
    yield event;
  }
  session.ending ??= "budget";
  if (session.ending !== "lost") yield* finish(session);
}

/**
 * Tunes. The bench stays open: whoever made it closes it. Ends early with the best so far when a signal asks for it,
 * even while the bench does not answer. What is compiled when the time of the search ends is given up, so that the duel
 * has its own.
 * @throws nothing of the bench's: what it rejects with is a lost candidate.
 */
export async function* runTuning(
  task: TuningTask,
  planner: Planner,
  bench: Bench,
  options: TuningOptions,
): AsyncGenerator<TuneEvent> {
  const session = newSession(task, planner, bench, options);
  const { budget } = session;
  const { effort, seed, adapter = "" } = options;
  const { sizes } = task;
  const def = defOf(session);
  yield { type: "start", def, sizes, effort, budget, seed, clock: bench.clock, adapter };
  try {
    yield* everything(session);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    session.ending = error.ending;
  }
  yield* session.pending.splice(0);
  yield { type: "done", def, result: resultOf(session) };
}
