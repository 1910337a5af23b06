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
    let C_part_of = subgroupBroadcast(C_part_0, 0u);
    let base_3 = base_1 + C_r0_outer * 32u;
    let B_value = B[base_3];
    acc_C_0 = acc_C_0 + vec4<f32>(C_part_of) * B_value;
    let C_part_of_1 = subgroupBroadcast(C_part_0, 1u);
    let B_value_1 = B[base_3 + 8u];
    acc_C_0 = acc_C_0 + vec4<f32>(C_part_of_1) * B_value_1;
    let C_part_of_2 = subgroupBroadcast(C_part_0, 2u);
    let C_part_of_3 = subgroupBroadcast(C_part_0, 3u);
    let B_value_2 = B[base_3 + 16u];
    acc_C_0 = acc_C_0 + vec4<f32>(C_part_of_2) * B_value_2;
    let B_value_3 = B[base_3 + 24u];
    acc_C_0 = acc_C_0 + vec4<f32>(C_part_of_3) * B_value_3;
    let C_part_of_4 = subgroupBroadcast(C_part_1, 0u);
    acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_4) * B_value;
    let C_part_of_5 = subgroupBroadcast(C_part_1, 1u);
    acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_5) * B_value_1;
    let C_part_of_6 = subgroupBroadcast(C_part_1, 2u);
    let C_part_of_7 = subgroupBroadcast(C_part_1, 3u);
    let B_value_4 = B[base_3 + 16u];
    acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_6) * B_value_4;
    let B_value_5 = B[base_3 + 24u];
    acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_7) * B_value_5;
  }
  let base_4 = min(16u + subgroup_lane, 17u) + workgroup_y * 36u;
  let A_value_2 = A[base_4];
  var C_part_0_1: f32 = A_value_2;
  let A_value_1_1 = A[base_4 + 18u];
  var C_part_1_1: f32 = A_value_1_1;
  let C_part_of_8 = subgroupBroadcast(C_part_0_1, 0u);
  let B_value_6 = B[base_1 + 128u];
  acc_C_0 = acc_C_0 + vec4<f32>(C_part_of_8) * B_value_6;
  let C_part_of_1_1 = subgroupBroadcast(C_part_0_1, 1u);
  let B_value_1_1 = B[base_1 + 136u];
  acc_C_0 = acc_C_0 + vec4<f32>(C_part_of_1_1) * B_value_1_1;
  let C_part_of_4_1 = subgroupBroadcast(C_part_1_1, 0u);
  acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_4_1) * B_value_6;
  let C_part_of_5_1 = subgroupBroadcast(C_part_1_1, 1u);
  acc_C_4 = acc_C_4 + vec4<f32>(C_part_of_5_1) * B_value_1_1;
  let base_5 = workgroup_y * 16u + workgroup_x * 4u + subgroup_lane;
  C[base_5] = acc_C_0;
  C[base_5 + 8u] = acc_C_4;
}
