@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B: array<f32>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>>;
var<workgroup> A_copy: array<f32, 40>;
var<workgroup> B_copy: array<f32, 64>;

@compute @workgroup_size(16)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
  for (var C_r0_tile = 0u; C_r0_tile < 3u; C_r0_tile++) {
    if (9u >= local_index % 4u + C_r0_tile * 4u) {
      let A_value = A[local_index / 4u * 10u + local_index % 4u + C_r0_tile * 4u + workgroup_id.y * 80u];
      A_copy[local_index / 4u * 5u + local_index % 4u] = A_value;
    }
    if ((0u >= workgroup_id.y) & (9u >= local_index % 4u + C_r0_tile * 4u)) {
      let A_value_1 = A[local_index / 4u * 10u + local_index % 4u + C_r0_tile * 4u + workgroup_id.y * 80u + 40u];
      A_copy[local_index / 4u * 5u + local_index % 4u + 20u] = A_value_1;
    }
    if (19u >= local_index + workgroup_id.x * 16u) {
      let B_value = B[local_index + C_r0_tile * 80u + workgroup_id.x * 16u];
      B_copy[local_index] = B_value;
      let B_value_1 = B[local_index + C_r0_tile * 80u + workgroup_id.x * 16u + 20u];
      B_copy[local_index + 16u] = B_value_1;
    }
    if ((1u >= C_r0_tile) & (19u >= local_index + workgroup_id.x * 16u)) {
      let B_value_2 = B[local_index + C_r0_tile * 80u + workgroup_id.x * 16u + 40u];
      B_copy[local_index + 32u] = B_value_2;
      let B_value_3 = B[local_index + C_r0_tile * 80u + workgroup_id.x * 16u + 60u];
      B_copy[local_index + 48u] = B_value_3;
    }
    workgroupBarrier();
    for (var C_r0_point = 0u; C_r0_point < 4u; C_r0_point++) {
      if (9u >= C_r0_point + C_r0_tile * 4u) {
        acc_C_0 = acc_C_0 + vec4<f32>(A_copy[C_r0_point + local_index / 4u * 10u]) * vec4<f32>(B_copy[C_r0_point * 16u + local_index % 4u * 4u], B_copy[C_r0_point * 16u + local_index % 4u * 4u + 1u], B_copy[C_r0_point * 16u + local_index % 4u * 4u + 2u], B_copy[C_r0_point * 16u + local_index % 4u * 4u + 3u]);
        acc_C_4 = acc_C_4 + vec4<f32>(A_copy[C_r0_point + local_index / 4u * 10u + 5u]) * vec4<f32>(B_copy[C_r0_point * 16u + local_index % 4u * 4u], B_copy[C_r0_point * 16u + local_index % 4u * 4u + 1u], B_copy[C_r0_point * 16u + local_index % 4u * 4u + 2u], B_copy[C_r0_point * 16u + local_index % 4u * 4u + 3u]);
      }
    }
    workgroupBarrier();
  }
  if ((5u >= workgroup_id.y * 4u + local_index / 4u) & (4u >= workgroup_id.x * 4u + local_index % 4u)) {
    C[workgroup_id.y * 40u + local_index / 4u * 10u + workgroup_id.x * 4u + local_index % 4u] = acc_C_0;
    C[workgroup_id.y * 40u + local_index / 4u * 10u + workgroup_id.x * 4u + local_index % 4u + 5u] = acc_C_4;
  }
}
