/**
 * Names in WGSL text for the names in a kernel. Every name is safe: no keyword or reserved word
 * (WGSL specification, 15.1 and 15.2), nothing that hides a type or function that generated text
 * uses, ASCII only, no leading underscore. Different names stay different.
 */

import { flatMap } from "../../support/flat-map.ts";
import { nameSource } from "../lower/block.ts";

const keywords = `alias break case const const_assert continue continuing default diagnostic
discard else enable false fn for if let loop override requires return struct switch true var while`;

const reserved = `NULL Self abstract active alignas alignof as asm asm_fragment async attribute auto
await become binding_array cast catch class co_await co_return co_yield coherent column_major common
compile compile_fragment concept const_cast consteval constexpr constinit crate debugger decltype
delete demote demote_to_helper do dynamic_cast enum explicit export extends extern external
fallthrough filter final finally friend from fxgroup get goto groupshared highp impl implements
import inline instanceof interface layout lowp macro macro_rules match mediump meta mod module move
mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent
noperspective null nullptr of operator package packoffset partial pass patch pixelfragment precise
precision premerge priv protected pub public readonly ref regardless register reinterpret_cast
require resource restrict self set shared sizeof smooth snorm static static_assert static_cast std
subroutine super target template this thread_local throw trait try type typedef typeid typename
typeof union unless unorm unsafe unsized use using varying virtual volatile wgsl where with
writeonly yield`;

const predeclared = `bool i32 u32 f32 f16 array atomic vec2 vec3 vec4 ptr mat2x2 mat2x3 mat2x4 mat3x2
mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 vec2f vec3f vec4f vec2i vec3i vec4i vec2u vec3u vec4u vec2h vec3h
vec4h buffer sampler sampler_comparison texture_1d texture_2d texture_3d read write read_write
function private workgroup uniform storage immediate bitcast all any select arrayLength abs acos
acosh asin asinh atan atan2 atanh ceil clamp cos cosh countLeadingZeros countOneBits
countTrailingZeros cross degrees determinant distance dot dot4U8Packed dot4I8Packed exp exp2
extractBits faceForward firstLeadingBit firstTrailingBit floor fma fract frexp insertBits inverseSqrt
ldexp length log log2 max min mix modf normalize pow quantizeToF16 radians reflect refract
reverseBits round saturate sign sin sinh smoothstep sqrt step tan tanh transpose trunc atomicLoad
atomicStore atomicAdd atomicSub atomicMax atomicMin atomicAnd atomicOr atomicXor atomicExchange
atomicCompareExchangeWeak storageBarrier textureBarrier workgroupBarrier workgroupUniformLoad
subgroupAdd subgroupMul subgroupMin subgroupMax subgroupAll subgroupAny subgroupBroadcast
subgroupShuffleXor
bool2 bool3 bool4`;

/** Names that the printer itself gives; all others of its own start with `tc_`. */
const own =
  "workgroup_id workgroup_x workgroup_y workgroup_z local_index subgroup_invocation_id subgroup_lane";

const forbidden: ReadonlySet<string> = new Set(
  flatMap([keywords, reserved, predeclared, own], (words) => words.split(/\s+/)),
);

/** A valid identifier that resembles the name; different names may come out equal. */
function resemble(name: string): string {
  const words = name.replace(/[. #]+/g, "_");
  const ascii = words.replace(/[^A-Za-z0-9_]/gu, (c) => `u${c.codePointAt(0)?.toString(16)}`);
  return /^(?:_|[0-9]|tc_|$)/.test(ascii) ? `v${ascii}` : ascii;
}

/** Gives each name of a kernel its name in the text, always the same; made for one text. */
export interface WgslNames {
  /** The name for a name in one of the kernel's name spaces. */
  of(space: "array" | "variable" | "kernel", name: string): string;
}

/** Names for one text; which ones depends only on the order of the first requests. */
export function wgslNames(): WgslNames {
  const given = {
    array: new Map<string, string>(),
    variable: new Map<string, string>(),
    kernel: new Map<string, string>(),
  };
  const names = nameSource(forbidden);
  const of: WgslNames["of"] = (space, name) => {
    const known = given[space].get(name);
    if (known !== undefined) return known;
    const chosen = names.fresh(resemble(name));
    given[space].set(name, chosen);
    return chosen;
  };
  return { of };
}
