@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;

@compute @workgroup_size(4)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
  for (var C_r0_outer = 0u; C_r0_outer < 3u; C_r0_outer++) {
    let A_value = A[C_r0_outer * 2u + workgroup_id.y * 24u + local_index / 2u * 12u];
    let B_value = B[C_r0_outer * 8u + workgroup_id.x * 2u + local_index % 2u];
    acc_C_0 = acc_C_0 + vec4<f32>(A_value) * B_value;
    let A_value_1 = A[C_r0_outer * 2u + workgroup_id.y * 24u + local_index / 2u * 12u + 6u];
    acc_C_4 = acc_C_4 + vec4<f32>(A_value_1) * B_value;
    let A_value_2 = A[C_r0_outer * 2u + workgroup_id.y * 24u + local_index / 2u * 12u + 1u];
    let B_value_1 = B[C_r0_outer * 8u + workgroup_id.x * 2u + local_index % 2u + 4u];
    acc_C_0 = acc_C_0 + vec4<f32>(A_value_2) * B_value_1;
    let A_value_3 = A[C_r0_outer * 2u + workgroup_id.y * 24u + local_index / 2u * 12u + 7u];
    acc_C_4 = acc_C_4 + vec4<f32>(A_value_3) * B_value_1;
  }
  C[workgroup_id.y * 16u + local_index / 2u * 8u + workgroup_id.x * 2u + local_index % 2u] = acc_C_0;
  C[workgroup_id.y * 16u + local_index / 2u * 8u + workgroup_id.x * 2u + local_index % 2u + 4u] = acc_C_4;
}
