enable subgroups;
@group(0) @binding(0) var<storage, read> A: array<vec2<f32>, 36>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 144>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 32>;

@compute @workgroup_size(4)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(subgroup_invocation_id) subgroup_invocation_id: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let subgroup_lane = min(subgroup_invocation_id, 3u);
  var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_8: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_12: vec4<f32> = vec4<f32>(0.0f);
  let base = subgroup_lane * 9u;
  let base_1 = workgroup_x * 4u + subgroup_lane;
  for (var C_r0_outer = 0u; C_r0_outer < 9u; C_r0_outer++) {
    let A_wide_1 = A[base + C_r0_outer];
    var C_part_0: f32 = A_wide_1.x;
    var C_part_1: f32 = A_wide_1.y;
    let C_part_of = subgroupBroadcast(C_part_0, 0u);
    let base_3 = base_1 + C_r0_outer * 16u;
    let B_value = B[base_3];
    acc_C_0 = acc_C_0 + vec4<f32>(C_part_of) * B_value;
    let C_part_of_1 = subgroupBroadcast(C_part_1, 0u);
    let B_value_1 = B[base_3 + 8u];
    acc_C_0 = acc_C_0 + vec4<f32>(C_part_of_1) * B_value_1;
    let C_part_of_2 = subgroupBroadcast(C_part_0, 1u);
    acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_2) * B_value;
    let C_part_of_3 = subgroupBroadcast(C_part_1, 1u);
    acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_3) * B_value_1;
    let C_part_of_4 = subgroupBroadcast(C_part_0, 2u);
    acc_C_8 = acc_C_8 + vec4<f32>(C_part_of_4) * B_value;
    let C_part_of_5 = subgroupBroadcast(C_part_1, 2u);
    acc_C_8 = acc_C_8 + vec4<f32>(C_part_of_5) * B_value_1;
    let C_part_of_6 = subgroupBroadcast(C_part_0, 3u);
    acc_C_12 = acc_C_12 + vec4<f32>(C_part_of_6) * B_value;
    let C_part_of_7 = subgroupBroadcast(C_part_1, 3u);
    acc_C_12 = acc_C_12 + vec4<f32>(C_part_of_7) * B_value_1;
  }
  C[base_1] = acc_C_0;
  C[base_1 + 8u] = acc_C_4;
  C[base_1 + 16u] = acc_C_8;
  C[base_1 + 24u] = acc_C_12;
}
