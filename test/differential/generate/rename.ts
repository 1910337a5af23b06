/** Other names for a source: those that mean something in WGSL, in the generated text, or elsewhere. */
import type { Random } from "../../../src/support/random.ts";
import { scalarFunctions } from "../../../src/support/scalar-functions.ts";

/** Keywords, reserved words, types, functions and built-in values of WGSL; shapes of its names. */
const unusual =
  `array atomic bitcast break case const continue default discard enable f16 f32 fn function i32 let
  loop mat2x2f mod module override ptr read read_write return storage struct switch texture
  texture_2d u32 uniform var vec2 vec4f while workgroup workgroupBarrier private self this super type
  yield async await class new null main work_group workgroup_id local_index local_invocation_index
  tc_inf tc_cast acc x_value A_0 T0_1 i_part _ __ _a __T v_ u N1 alpha_ arguments constructor
  prototype hasOwnProperty toString mix fract dot length any all saturate step distance reference
  result size def_ wherever in_ where_`
    .trim()
    .split(/\s+/);

/** Words of the language that no name can be. */
const words: ReadonlySet<string> = new Set(
  `def where in for if else exists reversed pad min max true false inf float float16 float32 half int
  int8 int16 int32 uint8 uint16 uint32 bool argmin argmax`.split(/\s+/),
);

const identifier = /(?<![\w.])[A-Za-z_]\w*/g;

/** The names of a source, those of the functions it calls left out. */
function namesOf(source: string): readonly string[] {
  const found = new Set(source.match(identifier) ?? []);
  return [...found].filter(
    (name) => !words.has(name) && !Object.hasOwn(scalarFunctions, name) && !aliases.has(name),
  );
}

const aliases: ReadonlySet<string> = new Set(["fabs", "fmin", "fmax"]);

/** A source with other names, and the sizes under theirs. */
export function rename(
  random: Random,
  source: string,
  sizes: Readonly<Record<string, number>>,
): { readonly source: string; readonly sizes: Readonly<Record<string, number>> } {
  const used = new Set(source.match(identifier) ?? []);
  const functions = Object.keys(scalarFunctions);
  const free = [...unusual, ...functions].filter((name) => !used.has(name) && !words.has(name));
  const share = random.pick([0.2, 0.5, 1]);
  const chosen = new Map<string, string>();
  for (const name of namesOf(source)) {
    if (free.length === 0 || !random.chance(share)) continue;
    const [other] = free.splice(random.integer(0, free.length), 1);
    if (other !== undefined) chosen.set(name, other);
  }
  const renamed = (name: string): string => chosen.get(name) ?? name;
  return {
    source: source.replace(identifier, renamed),
    sizes: Object.fromEntries(Object.entries(sizes).map(([name, n]) => [renamed(name), n])),
  };
}
