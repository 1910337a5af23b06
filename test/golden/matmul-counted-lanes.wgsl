enable subgroups;
@group(0) @binding(0) var<storage, read> A: array<f32, 72>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 144>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 32>;

@compute @workgroup_size(4)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(subgroup_invocation_id) subgroup_invocation_id: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 1u);
  let subgroup_lane = min(subgroup_invocation_id, 3u);
  var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
  let base = workgroup_y * 36u;
  let base_1 = workgroup_x * 4u + subgroup_lane;
  for (var C_r0_outer = 0u; C_r0_outer < 4u; C_r0_outer++) {
    let base_2 = base + min(subgroup_lane + C_r0_outer * 4u, 17u);
    let A_value = A[base_2];
    var C_part_0: f32 = A_value;
    let A_value_1 = A[base_2 + 18u];
    var C_part_1: f32 = A_value_1;
    let base_3 = base_1 + C_r0_outer * 32u;
    for (var C_r0_inner = 0u; C_r0_inner < 4u; C_r0_inner++) {
      let C_part_of = subgroupShuffle(C_part_0, C_r0_inner);
      let C_part_of_1 = subgroupShuffle(C_part_1, C_r0_inner);
      let B_value = B[base_3 + C_r0_inner * 8u];
      acc_C_0 = acc_C_0 + vec4<f32>(C_part_of) * B_value;
      acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_1) * B_value;
    }
  }
  let base_5 = min(16u + subgroup_lane, 17u) + workgroup_y * 36u;
  let A_value_2 = A[base_5];
  var C_part_0_1: f32 = A_value_2;
  let A_value_1_1 = A[base_5 + 18u];
  var C_part_1_1: f32 = A_value_1_1;
  for (var C_r0_inner_1 = 0u; C_r0_inner_1 < 4u; C_r0_inner_1++) {
    let C_part_of_2 = subgroupShuffle(C_part_0_1, C_r0_inner_1);
    let C_part_of_1_1 = subgroupShuffle(C_part_1_1, C_r0_inner_1);
    if (17u >= C_r0_inner_1 + 16u) {
      let B_value_1 = B[base_1 + min(C_r0_inner_1 + 16u, 17u) * 8u];
      acc_C_0 = acc_C_0 + vec4<f32>(C_part_of_2) * B_value_1;
      acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_1_1) * B_value_1;
    }
  }
  let base_7 = workgroup_y * 16u + workgroup_x * 4u + subgroup_lane;
  C[base_7] = acc_C_0;
  C[base_7 + 8u] = acc_C_4;
}
