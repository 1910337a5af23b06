// Draws options at random around the default, case by case, and keeps the best.
import { compile, mappingOf } from "../../dist/index.js";
import { makeInputs, uniform } from "../measure/inputs.js";
import { timeBatch } from "../measure/measure.js";
import { compiledPlanText, prepareOurs } from "../peers/ours.js";
import { median } from "../report/statistics.js";
import { boundedTrials } from "../sample/bounded-trials.js";
import { allAnswers } from "../sample/draw.js";
import { readOptions, writeOptions } from "../sample/option-files.js";
import { search } from "../sample/search.js";
import { openSession } from "../session.js";

/** Longer kernels than this, and than twice the default's, take a driver seconds to compile. */
const longText = 20_000;
/** What does not take this share of the default's time, in the median of the rounds, is the default. */
const gain = 0.95;
/** How many of the best meet the default again, in turns. */
const finalists = 3;
const rounds = 15;

/** @typedef {import("../cases/case.js").Case} Case */

/** @param {import("../flags.js").Flags} flags @returns {Promise<number>} 1 if there were bugs */
export async function sample(flags) {
  const session = await openSession(flags.adapter);
  const say = (text) => void (flags.json ? process.stderr : process.stdout).write(`${text}\n`);
  say(`adapter   ${session.adapter}`);
  let bugs = 0;
  for (const benchCase of flags.cases) {
    const bug = (text, candidate) => {
      bugs += 1;
      const options = whole(candidate?.answers ?? {});
      const found = { bug: text, case: benchCase.name, adapter: session.adapter, options };
      if (flags.json) process.stdout.write(`${JSON.stringify(found)}\n`);
      else say(`bug in ${benchCase.name}: ${text}\n  ${JSON.stringify(options)}`);
    };
    const started = performance.now();
    try {
      const found = await sampleCase(benchCase, session, flags, bug);
      writeOptions(session.runtime.adapter.kind, benchCase.name, found);
      const { sampled, ms, defaultMs } = found.found;
      const seconds = ((performance.now() - started) / 1000).toFixed(0);
      const times = `${ms.toFixed(3)} ms, default ${defaultMs.toFixed(3)} ms`;
      say(
        `${benchCase.name}: best of ${sampled} ${times}, ${(defaultMs / ms).toFixed(2)}x (${seconds} s)`,
      );
    } catch (error) {
      bug(`the default: ${error.message}`, undefined);
    }
  }
  return bugs > 0 ? 1 : 0;
}

/** The file of options for a case. */
async function sampleCase(benchCase, session, flags, bug) {
  const { runtime } = session;
  const compileWith = (options) => compileCase(benchCase, runtime.profile, options);
  const base = compileWith("default");
  const trials = boundedTrials(flags.adapter, benchCase.name);
  const longest = Math.max(longText, 2 * base.longest);
  const space = {
    compile: (choices) => {
      const candidate = compileWith(whole(choices));
      return candidate.longest > longest ? undefined : candidate;
    },
    tryOut: trials.tryOut,
    bug,
  };
  const file = readOptions(runtime.adapter.kind, benchCase.name);
  const kept = file === undefined ? undefined : compileWith(file).answers;
  const { answers: apart } = compileWith("apart");
  const starts = [base.answers, ...(kept === undefined ? [] : [kept]), apart];
  const random = { samples: flags.sample, next: uniform(flags.seed) };
  const { ranked, sampled } = await search(space, starts, random).finally(trials.close);
  const [usual, ...others] = await playOff(benchCase, session, ranked.slice(0, finalists));
  const defaultMs = median(usual);
  const shares = others.map((times) => median(times.map((ms, round) => ms / usual[round])));
  const least = Math.min(...shares);
  const winner = least < gain ? ranked[shares.indexOf(least)] : undefined;
  return {
    ...(winner === undefined ? { version: 2, policy: "default" } : whole(winner.answers)),
    found: {
      case: benchCase.name,
      adapter: session.adapter,
      date: session.date.slice(0, 10),
      sampled,
      // Draws brought nothing new any more.
      ...(sampled < flags.sample ? { exhausted: true } : {}),
      seed: flags.seed,
      defaultMs: Number(defaultMs.toPrecision(4)),
      ms: Number((winner === undefined ? defaultMs : least * defaultMs).toPrecision(4)),
    },
  };
}

/** The mapping of some choices by path, which is asked about nothing else. */
function whole(choices) {
  return mappingOf(Object.entries(choices), "plain");
}

/** A candidate, with the length of its longest kernel. */
function compileCase({ source, inputs: shapes }, profile, options) {
  const compiled = compile(source, { shapes, profile, options });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("; "));
  return {
    plan: compiledPlanText(compiled),
    longest: Math.max(...compiled.plan.kernels.map((k) => k.wgsl.length)),
    decisions: compiled.decisions,
    answers: allAnswers(compiled),
  };
}

/** Milliseconds of the default in each round, then of the candidates, measured in turns. */
async function playOff(benchCase, session, candidates) {
  const inputs = makeInputs(benchCase);
  const entrants = [];
  for (const options of ["default", ...candidates.map((c) => whole(c.answers))]) {
    const prepared = await prepareOurs(session.runtime, benchCase, inputs, options);
    const once = Math.min(await timeBatch(prepared, 1), await timeBatch(prepared, 1));
    entrants.push({ prepared, calls: Math.max(1, Math.min(20, Math.ceil(60 / once))), times: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { prepared, calls, times } of round % 2 === 0 ? entrants : entrants.toReversed()) {
      times.push(await timeBatch(prepared, calls));
    }
  }
  for (const { prepared } of entrants) prepared.dispose();
  return entrants.map(({ times }) => times);
}
