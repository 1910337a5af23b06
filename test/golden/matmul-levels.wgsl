@group(0) @binding(0) var<storage, read> B: array<f32, 768>;
@group(0) @binding(1) var<storage, read> A: array<f32, 384>;
@group(0) @binding(2) var<storage, read_write> C: array<f32, 2048>;
var<workgroup> B_copy: array<f32, 64>;
var<workgroup> A_copy: array<f32, 32>;

@compute @workgroup_size(64)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var acc_C: array<f32, 4>;
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 1u);
  let base = local_index / 16u * 64u + local_index % 16u + workgroup_x * 32u;
  let base_1 = local_index / 16u * 16u + local_index % 16u;
  let fixed = local_index < 32u;
  let base_2 = min(local_index, 31u) / 4u * 12u + min(local_index, 31u) % 4u + workgroup_y * 192u;
  let base_3 = min(local_index, 31u) / 4u * 4u + min(local_index, 31u) % 4u;
  let base_4 = local_index / 8u % 4u * 8u;
  let base_5 = local_index % 8u + local_index / 32u * 8u;
  let base_6 = workgroup_y * 1024u + local_index / 8u % 4u * 128u + workgroup_x * 32u + local_index % 8u + local_index / 32u * 8u;
  for (var kernel0_p1_turn = 0u; kernel0_p1_turn < 2u; kernel0_p1_turn++) {
    for (var kernel0_p0_turn_0 = 0u; kernel0_p0_turn_0 < 2u; kernel0_p0_turn_0++) {
      let base_7 = kernel0_p0_turn_0 * 2u;
      acc_C[base_7] = 0.0f;
      acc_C[base_7 + 1u] = 0.0f;
    }
    let base_8 = base + kernel0_p1_turn * 16u;
    for (var C_r0_tile = 0u; C_r0_tile < 3u; C_r0_tile++) {
      let B_value = B[base_8 + C_r0_tile * 256u];
      B_copy[base_1] = B_value;
      let base_10 = base_2 + C_r0_tile * 4u;
      for (var kernel0_p0_turn_1 = 0u; kernel0_p0_turn_1 < 2u; kernel0_p0_turn_1++) {
        if (fixed) {
          let A_value = A[base_10 + kernel0_p0_turn_1 * 96u];
          A_copy[base_3] = A_value;
        }
        workgroupBarrier();
        let base_12 = kernel0_p0_turn_1 * 2u;
        for (var C_r0_point = 0u; C_r0_point < 4u; C_r0_point++) {
          let base_13 = base_4 + C_r0_point;
          let A_copy_value = A_copy[base_13];
          let B_copy_value = B_copy[base_5 + C_r0_point * 16u];
          acc_C[base_12] = acc_C[base_12] + A_copy_value * B_copy_value;
          let A_copy_value_1 = A_copy[base_13 + 4u];
          acc_C[base_12 + 1u] = acc_C[base_12 + 1u] + A_copy_value_1 * B_copy_value;
        }
        workgroupBarrier();
      }
    }
    let base_15 = base_6 + kernel0_p1_turn * 16u;
    for (var kernel0_p0_turn_2 = 0u; kernel0_p0_turn_2 < 2u; kernel0_p0_turn_2++) {
      let base_16 = kernel0_p0_turn_2 * 2u;
      let base_17 = base_15 + kernel0_p0_turn_2 * 512u;
      C[base_17] = acc_C[base_16];
      C[base_17 + 64u] = acc_C[base_16 + 1u];
    }
  }
}
