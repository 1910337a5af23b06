// Tunes each case on the adapter, and keeps what was found for the column `tuned`.
import { compile } from "../../dist/index.js";
import { createProcessBench } from "../../dist/node.js";
import { tune } from "../../dist/tune.js";
import { openSession } from "../session.js";
import { writeOptions } from "../tuned/option-files.js";

/** @typedef {import("../cases/case.js").Case} Case */

/** @param {import("../flags.js").Flags} flags @returns {Promise<number>} 1 if a candidate was wrong */
export async function tuneCases(flags) {
  const session = await openSession(flags.adapter);
  const say = (text) => void (flags.json ? process.stderr : process.stdout).write(`${text}\n`);
  say(`adapter   ${session.adapter}`);
  let bugs = 0;
  for (const benchCase of flags.cases) {
    const started = performance.now();
    const { content, wrong } = await tuneCase(benchCase, session, flags);
    for (const bug of wrong) {
      if (flags.json) process.stdout.write(`${JSON.stringify(bug)}\n`);
      else say(`bug in ${benchCase.name}: ${bug.bug}\n  ${JSON.stringify(bug.options)}`);
    }
    bugs += wrong.length;
    writeOptions(session.runtime.adapter.kind, benchCase.name, content);
    const { candidates, ms, defaultMs } = content.found;
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    const times = `${ms.toFixed(3)} ms, default ${defaultMs.toFixed(3)} ms`;
    say(
      `${benchCase.name}: best of ${candidates} ${times}, ${(defaultMs / ms).toFixed(2)}x (${seconds} s)`,
    );
  }
  return bugs > 0 ? 1 : 0;
}

/**
 * The file of options for a case, and the candidates whose results were wrong.
 * @param {Case} benchCase
 */
async function tuneCase({ name, source, inputs: shapes }, { runtime, adapter, date }, flags) {
  const compiled = compile(source, { shapes, profile: runtime.profile });
  if (!compiled.ok) throw new Error(`${name}: ${compiled.diagnostics[0]?.message}`);
  const task = { source, def: compiled.program.name, sizes: compiled.sizes, approximate: false };
  const { effort, seed, budgetMs } = flags;
  // Candidates run in a process of their own, as they do for a user: drivers may take minutes for one.
  const bench = await createProcessBench(task, { adapter: flags.adapter });
  const budget = budgetMs === undefined ? {} : { budget: budgetMs };
  const wrong = [];
  let result = null;
  try {
    for await (const event of tune(runtime, source, {
      sizes: task.sizes,
      effort,
      ...budget,
      seed,
      bench,
    })) {
      if (event.type === "candidate" && event.status === "wrong") {
        wrong.push({ bug: event.why, case: name, adapter, options: event.options });
      }
      if (event.type === "done") ({ result } = event);
    }
  } finally {
    await bench.close();
  }
  if (result === null || result.default === null)
    throw new Error(`${name}: the default does not run`);
  const defaultMs = result.default.us / 1000;
  const isDefault = result.source.kind === "default";
  const content = {
    ...(isDefault ? { version: 2, policy: "default" } : result.options),
    found: {
      case: name,
      adapter,
      date: date.slice(0, 10),
      candidates: result.counts.ok,
      effort,
      seed,
      defaultMs: Number(defaultMs.toPrecision(4)),
      // The median of ratios in turns.
      ms: Number((defaultMs * (isDefault ? 1 : result.ratio)).toPrecision(4)),
    },
  };
  return { content, wrong };
}
