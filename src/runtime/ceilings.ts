/** What an adapter can do at most, measured: multiply-adds on registers, and a copy of memory. */
import type { Clock, ClockKind, Sample } from "./clock.ts";
import { scoped } from "./device-context.ts";
import type { Pipeline, PipelineSpec } from "./pipelines.ts";
import type { PlanHost } from "./run-plan.ts";
import { calibrate, repeated } from "./timing.ts";

/** The most that the adapter was seen to do; a machine that others use too has none that lasts. */
export interface Ceilings {
  /** 10^9 operations on float32 per second: a multiply-add is two. */
  readonly gflops: number;
  /** 10^9 bytes per second, read and written, of the best of several copies. */
  readonly gigabytes: number;
  readonly clock: ClockKind;
  /** The step of the clock in nanoseconds. */
  readonly quantumNs: number;
}

const multiplyAdds = `@group(0) @binding(0) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let x = vec4<f32>(out[id.x % 64u] + 0.5);
  var a = vec4<f32>(0.1); var b = vec4<f32>(0.2); var c = vec4<f32>(0.3); var d = vec4<f32>(0.4);
  var e = vec4<f32>(0.5); var f = vec4<f32>(0.6); var g = vec4<f32>(0.7); var h = vec4<f32>(0.8);
  for (var i = 0u; i < 256u; i++) {
    a = a * x + b; b = b * x + c; c = c * x + d; d = d * x + e;
    e = e * x + f; f = f * x + g; g = g * x + h; h = h * x + a;
  }
  let s = a + b + c + d + e + f + g + h;
  out[id.x] = s.x + s.y + s.z + s.w;
}
`;
/** Operations of one workgroup: 256 turns of 8 multiply-adds of 4 components by 64 invocations. */
const operationsPerGroup = 64 * 256 * 8 * 4 * 2;
/** Workgroups of a dispatch: more until it takes long beside its launch. */
const groupCounts = [256, 2048, 16384];
const longDispatchNs = 200_000;

/** `at` says which of 1024 elements an invocation copies in its turn `i`. */
function copyText(at: string): string {
  return `@group(0) @binding(0) var<storage, read> origin: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  for (var i = 0u; i < 16u; i++) {
    let at = group.x * 1024u + ${at};
    copied[at] = origin[at];
  }
}
`;
}

/** Neighbours side by side, as GPUs like it; each with a piece of its own, as processors do. */
const copies = [copyText("i * 64u + lane"), copyText("lane * 16u + i")];
/** Bytes that caches hold, as they do many tensors; those that few do; those that none does. */
const copySizes = [2 ** 22, 2 ** 25, 2 ** 28];
/** Copies that take so long are not made of more. */
const longCopyNs = 1_000_000;

/**
 * Measures both. Takes some tenths of a second, and up to 512 MiB of memory on devices that copy
 * 32 MiB within a millisecond; gives all of it back.
 */
export async function measureCeilings(host: PlanHost): Promise<Ceilings> {
  const clock = await host.clock();
  const specs = [
    specOf(multiplyAdds, ["read_write"]),
    ...copies.map((t) => specOf(t, ["read", "read_write"])),
  ];
  const [first, ...others] = await host.pipelines.compile(specs);
  const gflops = first === undefined ? 0 : await measureOperations(host, clock, first);
  const gigabytes = await measureCopies(host, clock, others);
  return { gflops, gigabytes, clock: clock.kind, quantumNs: clock.quantumNs };
}

function specOf(wgsl: string, access: PipelineSpec["access"]): PipelineSpec {
  return { name: "ceiling", wgsl, entryPoint: "main", access, stepSlots: 0, stepIndices: "table" };
}

async function measureOperations(
  host: PlanHost,
  clock: Clock,
  pipeline: Pipeline,
): Promise<number> {
  let gflops = 0;
  for (const groups of groupCounts) {
    const ns = await shortest(host, clock, pipeline, { bytes: [groups * 64 * 4], groups });
    gflops = Math.max(gflops, (groups * operationsPerGroup) / ns);
    if (ns >= longDispatchNs) break;
  }
  return gflops;
}

async function measureCopies(
  host: PlanHost,
  clock: Clock,
  pipelines: readonly Pipeline[],
): Promise<number> {
  const { limits } = host.context.device;
  const most = Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize);
  let gigabytes = 0;
  for (const bytes of copySizes.filter((size) => size <= most)) {
    let fastest = Number.POSITIVE_INFINITY;
    for (const pipeline of pipelines) {
      const work = { bytes: [bytes, bytes], groups: bytes / 16 / 1024 };
      fastest = Math.min(fastest, await shortest(host, clock, pipeline, work));
    }
    gigabytes = Math.max(gigabytes, (2 * bytes) / fastest);
    if (bytes > 2 ** 22 && fastest >= longCopyNs) break;
  }
  return gigabytes;
}

/** Samples that take so long are not made more often than three times. */
const slowSampleNs = 20_000_000;

/** The shortest time of a dispatch over buffers of so many bytes, in nanoseconds. */
async function shortest(
  { context, pool }: PlanHost,
  clock: Clock,
  { pipeline, groupLayout }: Pipeline,
  { bytes, groups }: { readonly bytes: readonly number[]; readonly groups: number },
): Promise<number> {
  const { device } = context;
  const buffers: GPUBuffer[] = [];
  try {
    const group = await scoped(context, "measure what the adapter can do", () => {
      for (const size of bytes) buffers.push(pool.acquire(size, "storage"));
      const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
      return device.createBindGroup({ layout: groupLayout, entries });
    });
    const once: Sample = {
      before: () => undefined,
      encode: (pass) => {
        pass.setPipeline(pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(groups);
      },
    };
    await clock.measure(once, 1);
    const { repeats, found } = await calibrate(clock, once);
    const isSlow = Math.min(...found) > slowSampleNs;
    const more = isSlow ? [] : await clock.measure(repeated(once, repeats), 3);
    const least = Math.min(...[...found, ...more].filter((ns) => ns > 0));
    return least / repeats;
  } finally {
    for (const buffer of buffers) pool.discard(buffer);
  }
}
