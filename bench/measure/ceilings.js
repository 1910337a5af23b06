// What the adapter can do at most: multiply-adds on registers, and a copy of memory.

const fma = `
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
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
}`;

/** @param {string} at which of 1024 elements an invocation copies in its turn `i` */
const copy = (at) => `
@group(0) @binding(0) var<storage, read> origin: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> copied: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  for (var i = 0u; i < 16u; i++) {
    let at = group.x * 1024u + ${at};
    copied[at] = origin[at];
  }
}`;

/** Neighbours side by side, as GPUs like it; each with a piece of its own, as processors do. */
const orders = ["i * 64u + lane", "lane * 16u + i"];
/** What caches hold, as they do the tensors of most cases; and what they do not. */
const sizes = [2 ** 22, 2 ** 25];

/**
 * Prepares the two kernels; what is returned measures them, again and again: a machine that others
 * use too has no ceiling that lasts.
 * @param {GPUDevice} device
 * @returns {Promise<() => Promise<{ gflops: number, gigabytes: number }>>} per second
 */
export async function openCeilings(device) {
  const groups = 256;
  const buffer = (size) => device.createBuffer({ size, usage: GPUBufferUsage.STORAGE });
  const flops = await timer(device, fma, [buffer(groups * 64 * 4)], groups);
  const copies = [];
  for (const bytes of sizes) {
    const buffers = [buffer(bytes), buffer(bytes)];
    for (const order of orders) {
      const run = await timer(device, copy(order), buffers, bytes / 16 / 1024);
      copies.push(async () => (2 * bytes) / ((await run()) * 1e6));
    }
  }
  return async () => {
    const gflops = (groups * 64 * 256 * 8 * 4 * 2) / ((await flops()) * 1e6);
    let gigabytes = 0;
    for (const rate of copies) gigabytes = Math.max(gigabytes, await rate());
    return { gflops, gigabytes };
  };
}

/** Measures the milliseconds of one dispatch. */
async function timer(device, code, buffers, groups) {
  const pipeline = await device.createComputePipelineAsync({
    layout: "auto",
    compute: { module: device.createShaderModule({ code }) },
  });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const run = async (times) => {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    for (let n = 0; n < times; n++) pass.dispatchWorkgroups(groups);
    pass.end();
    const start = performance.now();
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    return (performance.now() - start) / times;
  };
  await run(1);
  return async () => {
    const times = [];
    for (let n = 0; n < 4; n++) times.push(await run(2));
    return Math.min(...times);
  };
}
