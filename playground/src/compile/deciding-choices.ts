/** Which choices of a mapping decide what a loop of a kernel is. Loops are known by the names that mapping gives them. */
import type { Compiled, Decision } from "../../../src/index.ts";

type Program = Compiled["mapped"]["program"];

/** Where a loop stands. */
export interface LoopPlace {
  /** Its name in the schedule. */
  readonly loop: string;
  /** The name of its kernel in mappings. */
  readonly kernel: string;
  /** Lanes load for each other what its statement reads. */
  readonly isSpread: boolean;
  /** No other loop over a reduced dim is inside of it. */
  readonly isInnermost: boolean;
}

/** The number of a level, in words such as `turn2` and `tile`; from 0. */
function levelIn(word: string): number {
  return Number(/\d+$/.exec(word)?.[0] ?? 1) - 1;
}

/** Fields of a kernel that cut an axis, or say what becomes of a part of it, by the words of the loop behind the axis. */
function axisFields(axis: string, [word = "", second]: readonly string[]): readonly string[] {
  const own = (...fields: readonly string[]): readonly string[] =>
    fields.map((field) => `axes/${axis}/${field}`);
  if (second === "lane" || second === "subgroup") return [...own("workgroup"), "lanes"];
  if (word.startsWith("turn")) return own(`turns/${levelIn(word)}`);
  switch (word) {
    // Of a matrix unit the fields have names of their own; of both kinds only one is on offer.
    case "grid":
      return own("workgroup", "subgroups", "fragments");
    case "workgroup":
      return own("workgroup", "subgroups");
    case "subgroups":
    case "subgroup":
      return own("workgroup", "subgroup");
    case "near":
      return own("step");
    case "thread":
      return [...own("points", "fragments"), "points"];
    case "fragment":
      return ["unit"];
    default:
      return [];
  }
}

/**
 * Fields of a kernel that cut a dim which is no axis: `role` is r0 for the first reduced one, q0 for the first other one. Of
 * `one|another` it is the one that is not plain.
 */
function dimFields(
  role: string,
  words: readonly string[],
  { isSpread, isInnermost }: LoopPlace,
): readonly string[] {
  const isReduced = role.startsWith("r");
  const steps = isSpread ? ["spread", "spreadBlock"] : ["unroll"];
  // Of the loops over reduced dims the innermost is written out, or could have been.
  if (words.length === 0) return isReduced && isInnermost ? steps : [];
  return words.flatMap((word) => {
    if (/^(?:tile|point)\d*$/.test(word)) return [`reduced/${role.slice(1)}/${levelIn(word)}`];
    switch (word) {
      case "inner":
        return steps;
      case "unit":
      case "vector":
        return ["inner"];
      case "team":
        return isReduced ? ["team", "combine"] : ["team"];
      case "lane":
      case "subgroup":
        // One that is joined to a reduction is divided as that is.
        return [isReduced ? "combine" : "lanes|combine"];
      case "group":
      case "step":
        return ["steps"];
      case "fragment":
        return ["unit"];
      default:
        return [];
    }
  });
}

/** The paths that decide what a loop is, whether or not there is a choice. */
function pathsOf(place: LoopPlace): readonly string[] {
  const { loop, kernel } = place;
  const inKernel = (fields: readonly string[]): readonly string[] =>
    fields.map((field) => `kernels/${kernel}/${field}`);
  const [, axis, cut = ""] = /^kernel\d+\.p(\d+)\.(.+)$/.exec(loop) ?? [];
  if (axis !== undefined) return inKernel(axisFields(axis, cut.split(".")));
  const [, role, rest = ""] = /\.([qr]\d+)(?:\.(.+))?$/.exec(loop) ?? [];
  if (role !== undefined) {
    const words = rest === "" ? [] : rest.split(".");
    return inKernel(dimFields(role, words, place));
  }
  // A loop of the program.
  const name = loop.replace(/\.(?:inner|outer)$/, "");
  const written = name === loop ? [] : ["iterations"];
  return [`structure/loops/${name}/on`, ...inKernel(written)];
}

/** The choices that decide what a loop is, as `PATH = VALUE`. */
export function choicesOfLoop(
  place: LoopPlace,
  decisions: ReadonlyMap<string, Decision>,
): readonly string[] {
  return [...new Set(pathsOf(place))].flatMap((path) => {
    const at = path.lastIndexOf("/") + 1;
    const fields = path.slice(at).split("|");
    const found = fields.flatMap((field) => decisions.get(path.slice(0, at) + field) ?? []);
    const isPlain = ({ values, value }: Decision): boolean => value === values[0];
    return textOf(found.length === 1 ? found[0] : found.find((d) => !isPlain(d)));
  });
}

function textOf(decision: Decision | undefined): readonly string[] {
  return decision === undefined ? [] : [`${decision.path} = ${decision.value}`];
}

/** What makes a statement of another one, by what stands behind that one's name; the dims keep their places. */
const divisions: ReadonlyMap<string, RegExp> = new Map([
  ["split", /^\.[^.]+$/],
  ["factor", /^\.part$/],
  ["pad", /^$/],
]);

/** The dims of a statement that go along an index, in the words of mappings: p0 the first that is not reduced, r0 that is. */
function rolesOf(
  { domain, loops, reduction }: Program["statements"][number],
  index: string,
): readonly string[] {
  const reduced = reduction?.dims ?? [];
  const own = domain.dims.filter(({ name }) => !loops.includes(name));
  const others = own.filter(({ name }) => !reduced.includes(name));
  return own
    .filter(({ name, indices = [name] }) => indices.includes(index))
    .map(({ name }) =>
      reduced.includes(name)
        ? `r${reduced.indexOf(name)}`
        : `p${others.findIndex((dim) => dim.name === name)}`,
    );
}

/** The choices that divide an index before kernels are made, of the statement that was made so. */
export function choicesOfStructure(
  { statements }: Program,
  statement: string,
  index: string,
  decisions: readonly Decision[],
): readonly string[] {
  const made = statements.find(({ id }) => id === statement);
  const roles = made === undefined ? [] : rolesOf(made, index);
  return decisions.flatMap((decision) => {
    const { path, values, value } = decision;
    const [, part, from = "", family = "", role = ""] = path.split("/");
    const isOf =
      part === "statements" &&
      value !== values[0] &&
      roles.includes(role) &&
      statement.startsWith(from) &&
      divisions.get(family)?.test(statement.slice(from.length));
    return isOf === true ? textOf(decision) : [];
  });
}
