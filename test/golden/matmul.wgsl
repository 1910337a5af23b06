@group(0) @binding(0) var<storage, read> A: array<vec2<f32>, 48>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 24>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 64>;

@compute @workgroup_size(4)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 3u);
  var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
  let base = workgroup_y * 12u + local_index / 2u * 6u;
  let base_1 = workgroup_x * 2u + local_index % 2u;
  for (var C_r0_outer = 0u; C_r0_outer < 3u; C_r0_outer++) {
    let base_2 = base + C_r0_outer;
    let A_wide_1 = A[base_2];
    let base_3 = base_1 + C_r0_outer * 8u;
    let B_value = B[base_3];
    acc_C_0 = acc_C_0 + vec4<f32>(A_wide_1.x) * B_value;
    let A_wide_2 = A[base_2 + 3u];
    acc_C_4 = acc_C_4 + vec4<f32>(A_wide_2.x) * B_value;
    let B_value_1 = B[base_3 + 4u];
    acc_C_0 = acc_C_0 + vec4<f32>(A_wide_1.y) * B_value_1;
    acc_C_4 = acc_C_4 + vec4<f32>(A_wide_2.y) * B_value_1;
  }
  let base_4 = workgroup_y * 16u + local_index / 2u * 8u + workgroup_x * 2u + local_index % 2u;
  C[base_4] = acc_C_0;
  C[base_4 + 4u] = acc_C_4;
}
