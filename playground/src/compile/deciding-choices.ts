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

/** A choice about a dim of a statement, before kernels are made. */
interface Division {
  readonly role: string;
  readonly decision: Decision;
}

/** What finds the choices that divide an index of a statement before kernels are made, of the one that it was made of. */
export function structureChoices(
  { statements }: Program,
  decisions: readonly Decision[],
): (statement: string, index: string) => readonly string[] {
  const byId = new Map(statements.map((one) => [one.id, one]));
  const byFamily = divisionsIn(decisions);
  return (statement, index) => {
    const made = byId.get(statement);
    const roles = made === undefined ? [] : rolesOf(made, index);
    if (roles.length === 0) return [];
    const end = statement.lastIndexOf(".");
    const [from, part] = [statement.slice(0, end), statement.slice(end)];
    // What is made of a statement has a name behind that one's; what is padded keeps its own. Dims keep their places.
    const found = [
      `${statement}/pad`,
      ...(end < 0 ? [] : [`${from}/split`]),
      ...(part === ".part" ? [`${from}/factor`] : []),
    ].flatMap((family) => byFamily.get(family) ?? []);
    return found.flatMap(({ role, decision }) => (roles.includes(role) ? textOf(decision) : []));
  };
}

/** By `STATEMENT/FAMILY`, the choices of statements that are not plain. */
function divisionsIn(decisions: readonly Decision[]): ReadonlyMap<string, readonly Division[]> {
  const found = new Map<string, Division[]>();
  for (const decision of decisions) {
    const { path, values, value } = decision;
    const [, part, statement = "", family = "", role = ""] = path.split("/");
    if (part !== "statements" || value === values[0]) continue;
    const key = `${statement}/${family}`;
    const own = found.get(key) ?? [];
    found.set(key, own);
    own.push({ role, decision });
  }
  return found;
}
