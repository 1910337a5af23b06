/**
 * Purpose: a definition at some sizes on a device as a question to a database, and what it answers as a mapping there.
 *
 * ```
 * answer = the record's mapping, unplanned      where the record is of this very program: see seal.ts
 *        | what planning makes of it, repaired  else
 * ```
 * Ensures: either way it is the same mapping; where nothing has to be planned no planner is made, and a source that was
 * asked about before is not read again.
 */
import { generatorVersion } from "../../codegen/generator.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import type { Mapping } from "../../support/mapping-file.ts";
import { rememberTexts } from "../../support/remember.ts";
import { whenAsked } from "../../support/when-asked.ts";
import type { Answer, Question } from "../../tuner/answer.ts";
import type { Content, Planner, TuningTask, Unplanned } from "../../tuner/candidate.ts";
import { contentOfProgram } from "./content.ts";
import { alternativesOf, isUnplanned, type TaskProgram, taskPrograms } from "./planned-task.ts";
import { createPlanner } from "./planner.ts";
import { sealOf, unsealed } from "./seal.ts";
import { storedDevice } from "./stored-device.ts";
import { type TunedRuntime, type TuneOptions, taskOf } from "./tune.ts";

/** An answer, complete and legal at the sizes that were asked about. */
export interface RememberedAnswer extends Omit<Answer, "mapping" | "seal"> {
  readonly mapping: Mapping;
}

/** What is asked, and what answers are made with. */
export interface Asked {
  readonly question: Question;
  readonly task: TuningTask;
  /** Made when it is asked for. */
  readonly planner: () => Planner;
  /** An answer as it is here; null for the default, and for one that is not legal here. */
  readonly answered: (answer: Answer) => RememberedAnswer | null;
  /** The seal of a complete mapping of the definition, or of one that stands for it. */
  readonly seal: (mapping: Mapping, alternative: string | null) => string | null;
}

/** A source that was read. */
interface Read {
  readonly task: TuningTask;
  readonly programs: (alternative: string | null) => TaskProgram | Unplanned;
  readonly content: Content;
}

/** The most definitions and sizes that are kept of a device. */
const mostKept = 32;
const kept: (profile: DeviceProfile, text: string, compute: () => Read) => Read =
  rememberTexts(mostKept);

function read(profile: DeviceProfile, source: string, options: TuneOptions): Read {
  const { def, sizes, approximate } = options;
  return kept(profile, JSON.stringify([source, def, sizes, approximate]), () => {
    const task = taskOf(source, options);
    const programs = taskPrograms(task, profile);
    const own = programs(null);
    if (isUnplanned(own)) throw new RangeError(`tune: ${own.refused}`);
    return { task, programs, content: contentOfProgram(own.program) };
  });
}

/**
 * What a database is asked about a definition.
 * @throws like `tune`.
 */
export function ask(runtime: TunedRuntime, source: string, options: TuneOptions): Asked {
  const { task, programs, content } = read(runtime.profile, source, options);
  const planner = whenAsked(() => {
    const made = createPlanner(task, runtime.profile, programs);
    if (isUnplanned(made)) throw new RangeError(`tune: ${made.refused}`);
    return made;
  });
  const kernels = whenAsked(() => {
    const [usual] = planner().wishes();
    const planned = usual === undefined ? undefined : planner().plan(usual);
    return planned === undefined || isUnplanned(planned) ? [] : planned.kernels;
  });
  const alternatives = whenAsked(() => {
    const own = programs(null);
    const all = isUnplanned(own) ? [] : alternativesOf(task, own.program.name);
    return new Set(all.map(({ name }) => name));
  });
  const { effort } = options;
  return {
    task,
    planner,
    question: {
      content,
      // Planned only where an answer may have to be put together of those of kernels.
      get kernels() {
        return kernels();
      },
      device: storedDevice(runtime),
      generator: generatorVersion,
      ...(effort === undefined ? {} : { effort }),
    },
    answered: ({ seal, mapping, ...answer }) => {
      if (mapping === null) return null;
      // A record may be of a run that took approximate ones, or of a file that nobody here wrote.
      if (answer.alternative !== null && !alternatives().has(answer.alternative)) return null;
      const own = programs(answer.alternative);
      const known = isUnplanned(own) ? null : unsealed(own.program, mapping, seal);
      if (known !== null) return { ...answer, mapping: known };
      const planned = planner().plan(mapping, answer.alternative);
      return isUnplanned(planned) ? null : { ...answer, mapping: planned.mapping };
    },
    seal: (mapping, alternative) => {
      const own = programs(alternative);
      return isUnplanned(own) ? null : sealOf(own.program, mapping);
    },
  };
}
