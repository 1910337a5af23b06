@group(0) @binding(0) var<storage, read> A: array<vec2<f32>, 132>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 110>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 60>;
var<workgroup> A_copy: array<f32, 80>;
var<workgroup> B_copy: array<vec4<f32>, 32>;

@compute @workgroup_size(16)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 1u);
  var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
  let base = local_index / 2u + workgroup_y * 8u;
  if (11u >= base) {
    let A_value = A[min(local_index / 2u + workgroup_y * 8u, 11u) * 11u + local_index % 2u];
    let base_2 = local_index / 2u * 5u + local_index % 2u * 2u;
    A_copy[base_2] = A_value.x;
    A_copy[base_2 + 1u] = A_value.y;
  }
  let base_3 = local_index % 4u + workgroup_x * 4u;
  if (4u >= base_3) {
    let B_value = B[local_index / 4u * 5u + local_index % 4u + workgroup_x * 4u];
    B_copy[local_index / 4u * 4u + local_index % 4u] = B_value;
  }
  workgroupBarrier();
  let fixed = 11u >= local_index / 2u + workgroup_y * 8u;
  let base_6 = min(local_index / 2u + workgroup_y * 8u, 11u) * 11u + local_index % 2u;
  let fixed_1 = 4u >= local_index % 4u + workgroup_x * 4u;
  let base_7 = local_index / 4u * 5u + local_index % 4u + workgroup_x * 4u;
  let base_8 = local_index / 4u * 10u;
  let base_9 = local_index % 4u;
  let base_10 = local_index / 2u * 5u + local_index % 2u * 2u;
  let base_11 = local_index / 4u * 4u + local_index % 4u;
  for (var C_r0_tile = 0u; C_r0_tile < 4u; C_r0_tile++) {
    var A_value_1: vec2<f32> = vec2<f32>(0.0f);
    if (fixed) {
      A_value_1 = A[base_6 + C_r0_tile * 2u + 2u];
    }
    var B_value_1: vec4<f32> = vec4<f32>(0.0f);
    if (fixed_1) {
      B_value_1 = B[base_7 + C_r0_tile * 20u + 20u];
    }
    let base_14 = base_8 + C_r0_tile % 2u * 40u;
    let base_15 = base_9 + C_r0_tile % 2u * 16u;
    for (var C_r0_point = 0u; C_r0_point < 4u; C_r0_point++) {
      let base_16 = base_14 + C_r0_point;
      let A_copy_value = A_copy[base_16];
      let B_copy_value = B_copy[base_15 + C_r0_point * 4u];
      acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value) * B_copy_value;
      let A_copy_value_1 = A_copy[base_16 + 5u];
      acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_1) * B_copy_value;
    }
    if (fixed) {
      let base_18 = base_10 + (C_r0_tile + 1u) % 2u * 40u;
      A_copy[base_18] = A_value_1.x;
      A_copy[base_18 + 1u] = A_value_1.y;
    }
    if (fixed_1) {
      B_copy[base_11 + (C_r0_tile + 1u) % 2u * 16u] = B_value_1;
    }
    workgroupBarrier();
  }
  var A_value_1_1: vec2<f32> = vec2<f32>(0.0f);
  let base_20 = local_index % 2u;
  if ((11u >= base) & (8u >= base_20 + 8u)) {
    A_value_1_1 = A[local_index / 2u * 11u + local_index % 2u + workgroup_y * 88u + 10u];
  }
  var B_value_1_1: vec4<f32> = vec4<f32>(0.0f);
  let base_22 = local_index / 4u;
  if ((17u >= base_22 + 16u) & (4u >= base_3)) {
    B_value_1_1 = B[base_7 + 100u];
  }
  for (var C_r0_point_2 = 0u; C_r0_point_2 < 4u; C_r0_point_2++) {
    let base_23 = base_8 + C_r0_point_2;
    let A_copy_value_4 = A_copy[base_23];
    let B_copy_value_2 = B_copy[base_9 + C_r0_point_2 * 4u];
    acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value_4) * B_copy_value_2;
    let A_copy_value_1_1 = A_copy[base_23 + 5u];
    acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_1_1) * B_copy_value_2;
  }
  if ((11u >= base) & (8u >= base_20 + 8u)) {
    A_copy[base_10 + 40u] = A_value_1_1.x;
    A_copy[base_10 + 41u] = A_value_1_1.y;
  }
  if ((17u >= base_22 + 16u) & (4u >= base_3)) {
    B_copy[base_11 + 16u] = B_value_1_1;
  }
  workgroupBarrier();
  for (var C_r0_point_1 = 0u; C_r0_point_1 < 4u; C_r0_point_1++) {
    if (1u >= C_r0_point_1) {
      let base_25 = base_8 + C_r0_point_1;
      let A_copy_value_2 = A_copy[base_25 + 40u];
      let B_copy_value_1 = B_copy[base_9 + C_r0_point_1 * 4u + 16u];
      acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value_2) * B_copy_value_1;
      let A_copy_value_3 = A_copy[base_25 + 45u];
      acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_3) * B_copy_value_1;
    }
  }
  if ((5u >= workgroup_y * 4u + local_index / 4u) & (4u >= workgroup_x * 4u + local_index % 4u)) {
    C[min(workgroup_y * 4u + local_index / 4u, 5u) * 10u + workgroup_x * 4u + local_index % 4u] = acc_C_0;
    C[workgroup_y * 40u + local_index / 4u * 10u + workgroup_x * 4u + local_index % 4u + 5u] = acc_C_4;
  }
}
