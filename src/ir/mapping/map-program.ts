/**
 * Purpose: a program and a mapping, whole or in part, to a rewritten program and its schedule.
 *
 * ```
 * structure = what the mapping says, else its policy      rewrites, then the cut into kernels
 * kernel    = repair(what the mapping says, over what its policy chooses)      each on its own
 * ```
 * Ensures: the schedule is legal whatever the mapping; what was not legal is reported with what stands for it. Kernels
 * never reopen the structure: each group is legal, and within the limits on bindings, as a plain kernel.
 */
import { invariant } from "../../support/assert.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { type Kept, keptFrom, keptUnder } from "../../support/kept.ts";
import type { Choice, Mapping, PolicyName } from "../../support/mapping-file.ts";
import { stageWrites } from "../algebraic/stage-writes.ts";
import { dependences } from "../dependences/dependences.ts";
import { type Program, statementOf } from "../program.ts";
import type { Place } from "../schedule.ts";
import { band, type Schedule, type ScheduleNode, sequence } from "../schedule.ts";
import { buildKernel, legalKernel } from "./build/build-kernel.ts";
import type { Extended } from "./build/stage-operands.ts";
import { boundChoice, boundPath } from "./canonical-names.ts";
import { type FindDependences, type Group, statementsIn } from "./group/group.ts";
import { boundKernelPath, kernelKey, keyPrefix, type NamedKernel } from "./kernel-key.ts";
import type { KernelMapping } from "./kernel-mapping.ts";
import { mappingFor, pathFor, sameKernelText } from "./like-kernels.ts";
import { mappingOf, pathsOf } from "./mapping.ts";
import { flatten } from "./paths.ts";
import { type Policy, policyOf } from "./policy/policies.ts";
import { type Change, type RepairedKernel, repairKernel } from "./repair/repair-kernel.ts";
import { kernelSpace } from "./space/kernel-space.ts";
import { nearestValue } from "./space/knob.ts";
import { fitBuffers } from "./structure/fit-buffers.ts";
import { type Cut, cutProgram } from "./structure/group-program.ts";
import type { Chooser, StructureQuestion } from "./structure/question.ts";
import { rewriteProgram } from "./structure/rewrite-program.ts";
import { type Asked, isUnused } from "./unused-paths.ts";

/** A program and how to execute it. */
export interface Mapped {
  readonly program: Program;
  readonly schedule: Schedule;
}

/** A knob of a program's mapping, with the value that it has. */
export interface Decision {
  /** For example `kernels/C/axes/0/workgroup`. */
  readonly path: string;
  /** What meets the necessary conditions, given the knobs before; the plainest first. */
  readonly values: readonly Choice[];
  readonly value: Choice;
}

/** A value of the mapping that was not legal, and what stands for it. */
export interface Repair extends Change {
  /** For example `kernels/C/axes/0/workgroup`. */
  readonly path: string;
}

/** A kernel, with its name in mappings. */
export interface NamedGroup extends NamedKernel {
  readonly group: Group;
}

/** What mapping a program gives. */
export interface MappingResult {
  readonly mapped: Mapped;
  /** In the order of execution. Stores keep what is found for one under its {@link kernelKey}. */
  readonly kernels: readonly NamedGroup[];
  /** Complete: it gives the same schedule whatever the policy. */
  readonly mapping: Mapping;
  readonly decisions: readonly Decision[];
  readonly repairs: readonly Repair[];
  /** Paths of the given mapping that the program has no question for. */
  readonly unused: readonly string[];
}

/** What is chosen while a program is mapped. */
interface Choosing {
  /** By path; what is given for a kernel by its key gets its name when the kernel is known. */
  readonly given: Map<string, Choice>;
  /** Paths by key, with those that they became. */
  readonly keyed: Map<string, readonly string[]>;
  readonly policy: Policy;
  readonly decisions: Map<string, Decision>;
  readonly repairs: Map<string, Repair>;
  /** Kernels of which nothing was given, by what they compute, where the policy chooses the same for all of these. */
  readonly chosen: Kept<Chosen>;
}

/** A kernel of which everything is chosen. */
export interface Chosen {
  readonly group: Group;
  readonly mapping: KernelMapping;
  readonly knobs: readonly Decision[];
}

/** A wish in the words of a question: `true` is for the kernel before, whatever it is called. */
function said({ subject, values }: StructureQuestion, wish: Choice): Choice {
  return subject.family === "with" && wish === true ? (values.at(-1) ?? wish) : wish;
}

/** Chooses the structure: what the mapping says, else its policy. */
function chooserOf({ given, policy, decisions, repairs }: Choosing): Chooser {
  const repair = (path: string, asked: Choice, used: Choice): void => {
    if (given.has(path)) repairs.set(path, { path, asked: given.get(path) ?? asked, used });
  };
  return {
    choose: (question: StructureQuestion) => {
      const path = `structure/${question.path}`;
      const { values } = question;
      const wanted = said(question, given.get(path) ?? policy.structure(question));
      const value = nearestValue(question, wanted);
      if (value !== wanted) repair(path, wanted, value);
      decisions.set(path, { path, values, value });
      return value;
    },
    refused: (path, asked, used) => {
      const full = `structure/${path}`;
      repair(full, asked, used);
      const known = decisions.get(full);
      if (known !== undefined) decisions.set(full, { ...known, value: used });
    },
  };
}

/** The program cut into kernels; statements whose reads no schedule keeps write elsewhere first. */
function structureOf(
  program: Program,
  profile: DeviceProfile,
  chooser: Chooser,
  findDependences: FindDependences,
): Omit<Kernels, "profile" | "findDependences"> & { readonly cuts: readonly Cut[] } {
  const rewritten = rewriteProgram(program, profile, chooser);
  const { folds } = rewritten;
  let current = rewritten.program;
  for (;;) {
    const known = findDependences(current);
    const { cuts, stuck } = cutProgram(current, profile, known, folds, chooser);
    if (stuck.length === 0) return { program: current, dependences: known, folds, cuts };
    // A copy is one more tensor of the statement that writes it.
    current = fitBuffers(stageAll(current, stuck), profile.limits.maxStorageBuffers);
  }
}

/** Stages statements whose own reads the analysis cannot tell from others' writes. */
function stageAll(program: Program, statements: readonly string[]): Program {
  return statements.reduce((before, statement) => {
    const { write, reads } = statementOf(before, statement);
    const ownReads = reads.some((r) => r.tensor === write.tensor);
    invariant(ownReads, `${statement} has no legal schedule`);
    const staged = stageWrites(before, { statement });
    invariant(staged.kind === "rewritten", `${statement} has no legal schedule`);
    return staged.program;
  }, program);
}

/** What all kernels of a program have in common. */
interface Kernels {
  readonly program: Program;
  readonly dependences: ReturnType<FindDependences>;
  readonly folds: readonly Place[];
  readonly profile: DeviceProfile;
  readonly findDependences: FindDependences;
}

/**
 * Gives a kernel that is not named in the mapping what the mapping has under its key: what was found for the same kernel
 * by other names.
 */
function bindKey(group: Group, name: string, { given, keyed }: Choosing): void {
  if (keyed.size === 0) return;
  const own = `kernels/${name}/`;
  for (const path of given.keys()) if (path.startsWith(own)) return;
  const prefix = `kernels/${kernelKey(group)}/`;
  for (const [path, bound] of keyed) {
    const value = given.get(path);
    if (value === undefined || !path.startsWith(prefix)) continue;
    const named = own + boundKernelPath(group, path.slice(prefix.length));
    given.set(named, value);
    keyed.set(path, [...bound, named]);
  }
}

/** What is given for a kernel, by paths in its mapping. */
function givenFor(
  name: string,
  { given }: Choosing,
): readonly (readonly [path: string, value: Choice])[] {
  const prefix = `kernels/${name}/`;
  return flatMap([...given], ([path, value]) =>
    path.startsWith(prefix) ? [[path.slice(prefix.length), value] as const] : [],
  );
}

/** The kernels of some cuts, one after the other, each in the program with what those before added. */
function kernelsOf(
  cuts: readonly Cut[],
  kernels: Kernels,
  choosing: Choosing,
): {
  readonly program: Program;
  readonly root: ScheduleNode;
  readonly places: readonly Place[];
  readonly named: readonly NamedGroup[];
} {
  let { program } = kernels;
  const places: Place[] = [...kernels.folds];
  const named: NamedGroup[] = [];
  let count = 0;
  const visit = (cut: Cut): ScheduleNode => {
    if (cut.kind === "host") return band([cut.loop], sequence(cut.body.map(visit)));
    const prefix = `kernel${count++}`;
    const statements = statementsIn(program, cut.run.nodes);
    const group: Group = { ...kernels, ...cut.run, program, statements, axes: cut.axes, prefix };
    const name = statements[0]?.id ?? prefix;
    named.push({ name, group });
    bindKey(group, name, choosing);
    const kernel = kernelOf(group, name, kernels.profile, choosing);
    program = kernel.program;
    places.push(...kernel.schedule.places.filter((p) => !kernels.folds.includes(p)));
    return kernel.schedule.root;
  };
  const root = sequence(cuts.map(visit));
  return { program, root, places, named };
}

/** The first wish of which repair changes nothing but what is given; else the first, repaired. */
function firstLegal(
  group: Group,
  name: string,
  profile: DeviceProfile,
  choosing: Choosing,
): RepairedKernel {
  const { given, policy } = choosing;
  const own = givenFor(name, choosing);
  const repaired = (wish: KernelMapping): RepairedKernel => {
    // What a policy wishes is of the space: where it is legal as it is, there is nothing to repair.
    const kernel = own.length === 0 ? legalKernel(group, profile, wish) : null;
    if (kernel !== null) return { mapping: wish, kernel, changes: [] };
    return repairKernel(group, profile, new Map([...flatten(wish), ...own]));
  };
  const isKept = ({ changes }: RepairedKernel): boolean =>
    changes.every(({ path }) => given.has(`kernels/${name}/${path}`));
  const first = repaired(policy.kernel(group));
  if (isKept(first)) return first;
  for (const wish of policy.wishes?.(group) ?? []) {
    const other = repaired(wish);
    if (isKept(other)) return other;
  }
  return first;
}

function choose(
  group: Group,
  name: string,
  profile: DeviceProfile,
  choosing: Choosing,
): RepairedKernel {
  const result = firstLegal(group, name, profile, choosing);
  for (const change of result.changes) {
    const path = `kernels/${name}/${change.path}`;
    if (choosing.given.has(path)) choosing.repairs.set(path, { ...change, path });
  }
  return result;
}

/** The kernel of a group; one that computes what another does gets what that one got. */
function kernelOf(
  group: Group,
  name: string,
  profile: DeviceProfile,
  choosing: Choosing,
): Extended {
  const { policy, chosen, decisions } = choosing;
  const note = (knobs: readonly Decision[]): void => {
    for (const knob of knobs) {
      const path = `kernels/${name}/${knob.path}`;
      decisions.set(path, { ...knob, path });
    }
  };
  const isGiven = givenFor(name, choosing).length > 0;
  const text = isGiven || policy.repeats !== true ? null : sameKernelText(group);
  const like = text === null ? undefined : keptUnder(chosen, text);
  if (like !== undefined) {
    const kernel = buildKernel(group, profile, mappingFor(like.mapping, like.group, group));
    invariant(kernel.kind === "built", `${name} has no kernel like another one`);
    note(like.knobs.map((knob) => ({ ...knob, path: pathFor(knob.path, like.group, group) })));
    if (text !== null) chosen.now.set(text, like);
    return kernel;
  }
  const { mapping, kernel } = choose(group, name, profile, choosing);
  const knobs = kernelSpace(group, profile, mapping).map(({ path, values, value }) => ({
    path,
    values,
    value,
  }));
  note(knobs);
  if (text !== null) chosen.now.set(text, { group, mapping, knobs });
  return kernel;
}

/** What mapping a program may be given beside the program. */
export interface MapOptions {
  /** Another one than usual in tests of what a missed dependence would do. */
  readonly findDependences?: FindDependences;
  /** What the policy chose for kernels in an earlier compilation for the same device. */
  readonly chosen?: Kept<Chosen>;
}

/** Maps a program to a device. */
export function mapProgram(
  program: Program,
  profile: DeviceProfile,
  mapping: Mapping,
  options: MapOptions = {},
): MappingResult {
  const policy = policyOf(mapping.policy ?? "default", profile);
  return mapWith(program, profile, pathsOf(mapping), policy, options);
}

/** {@link mapProgram} with any policy, as random draws are. */
export function mapWith(
  program: Program,
  profile: DeviceProfile,
  given: ReadonlyMap<string, Choice>,
  policy: Policy,
  { findDependences = dependences, chosen = keptFrom() }: MapOptions = {},
): MappingResult {
  const bound = new Map<string, Choice>(
    [...given].map(([path, value]) => [
      boundPath(program, path),
      boundChoice(program, path, value),
    ]),
  );
  const keyed = new Map<string, readonly string[]>(
    [...bound.keys()].flatMap((path) =>
      path.startsWith(`kernels/${keyPrefix}`) ? [[path, []]] : [],
    ),
  );
  const choosing: Choosing = {
    given: new Map(bound),
    keyed,
    policy,
    decisions: new Map(),
    repairs: new Map(),
    chosen,
  };
  const chooser = chooserOf(choosing);
  const { cuts, ...structure } = structureOf(program, profile, chooser, findDependences);
  const kernels = { ...structure, profile, findDependences };
  const { program: last, root, places, named } = kernelsOf(cuts, kernels, choosing);
  const decisions = [...choosing.decisions.values()];
  const asked: Asked = {
    known: new Set([...choosing.decisions.keys(), ...choosing.repairs.keys()]),
    statements: new Set([...program.statements, ...last.statements].map((s) => s.id)),
    kernels: new Set(named.map((k) => k.name)),
  };
  // What stands under a key is used where one of the kernels with this key does.
  const unused = [...bound].filter(([path, value]) => {
    const places = keyed.get(path) ?? [];
    const whole = places.length === 0 ? [path] : places;
    return whole.every((place) => isUnused(place, value, asked));
  });
  const complete: PolicyName = "plain";
  return {
    mapped: { program: last, schedule: { root, places } },
    kernels: named,
    mapping: mappingOf(
      decisions.map((d) => [d.path, d.value]),
      complete,
    ),
    decisions,
    repairs: [...choosing.repairs.values()],
    unused: unused.map(([path]) => path),
  };
}
