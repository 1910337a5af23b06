@group(0) @binding(0) var<storage, read> B: array<f32, 65>;
@group(0) @binding(1) var<storage, read_write> B_copy: array<f32, 80>;

@compute @workgroup_size(16)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 4u);
  let B_value = B[min(local_index, 12u) + workgroup_x * 13u];
  let B_inside = select(0.0f, B_value, 12u >= local_index);
  B_copy[workgroup_x * 16u + local_index] = B_inside;
}

@group(0) @binding(0) var<storage, read> A: array<f32, 40>;
@group(0) @binding(1) var<storage, read> B_copy: array<vec4<f32>, 20>;
@group(0) @binding(2) var<storage, read_write> C: array<f32, 104>;

@compute @workgroup_size(2)
fn matmul_1(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 1u);
  let whole_1 = vec4<f32>(0.0f);
  var acc_C_0: f32 = whole_1.x;
  var acc_C_1: f32 = whole_1.y;
  var acc_C_2: f32 = whole_1.z;
  var acc_C_3: f32 = whole_1.w;
  let whole_2 = vec4<f32>(0.0f);
  var acc_C_4: f32 = whole_2.x;
  var acc_C_5: f32 = whole_2.y;
  var acc_C_6: f32 = whole_2.z;
  var acc_C_7: f32 = whole_2.w;
  let whole_3 = vec4<f32>(0.0f);
  var acc_C_8: f32 = whole_3.x;
  var acc_C_9: f32 = whole_3.y;
  var acc_C_10: f32 = whole_3.z;
  var acc_C_11: f32 = whole_3.w;
  let whole_4 = vec4<f32>(0.0f);
  var acc_C_12: f32 = whole_4.x;
  var acc_C_13: f32 = whole_4.y;
  var acc_C_14: f32 = whole_4.z;
  var acc_C_15: f32 = whole_4.w;
  let base = workgroup_y * 20u;
  let base_1 = workgroup_x * 2u + local_index;
  for (var C_r0_kept = 0u; C_r0_kept < 34u; C_r0_kept++) {
    if (C_r0_kept >= 5u + workgroup_x / 2147483648u) { break; }
    let C_r0 = min(C_r0_kept, 4u);
    let base_2 = base + C_r0;
    let A_value = A[base_2];
    let B_copy_value = B_copy[base_1 + C_r0 * 4u];
    let whole_5 = vec4<f32>(acc_C_0, acc_C_1, acc_C_2, acc_C_3) + vec4<f32>(A_value) * B_copy_value;
    acc_C_0 = whole_5.x;
    acc_C_1 = whole_5.y;
    acc_C_2 = whole_5.z;
    acc_C_3 = whole_5.w;
    let A_value_1 = A[base_2 + 5u];
    let whole_6 = vec4<f32>(acc_C_4, acc_C_5, acc_C_6, acc_C_7) + vec4<f32>(A_value_1) * B_copy_value;
    acc_C_4 = whole_6.x;
    acc_C_5 = whole_6.y;
    acc_C_6 = whole_6.z;
    acc_C_7 = whole_6.w;
    let A_value_2 = A[base_2 + 10u];
    let whole_7 = vec4<f32>(acc_C_8, acc_C_9, acc_C_10, acc_C_11) + vec4<f32>(A_value_2) * B_copy_value;
    acc_C_8 = whole_7.x;
    acc_C_9 = whole_7.y;
    acc_C_10 = whole_7.z;
    acc_C_11 = whole_7.w;
    let A_value_3 = A[base_2 + 15u];
    let whole_8 = vec4<f32>(acc_C_12, acc_C_13, acc_C_14, acc_C_15) + vec4<f32>(A_value_3) * B_copy_value;
    acc_C_12 = whole_8.x;
    acc_C_13 = whole_8.y;
    acc_C_14 = whole_8.z;
    acc_C_15 = whole_8.w;
  }
  let base_4 = workgroup_y * 52u + workgroup_x * 8u + local_index * 4u;
  C[base_4] = acc_C_0;
  if (2u >= base_1) {
    C[base_4 + 1u] = acc_C_1;
    C[base_4 + 2u] = acc_C_2;
    C[base_4 + 3u] = acc_C_3;
  }
  C[base_4 + 13u] = acc_C_4;
  if (2u >= base_1) {
    C[base_4 + 14u] = acc_C_5;
    C[base_4 + 15u] = acc_C_6;
    C[base_4 + 16u] = acc_C_7;
  }
  C[base_4 + 26u] = acc_C_8;
  if (2u >= base_1) {
    C[base_4 + 27u] = acc_C_9;
    C[base_4 + 28u] = acc_C_10;
    C[base_4 + 29u] = acc_C_11;
  }
  C[base_4 + 39u] = acc_C_12;
  if (2u >= base_1) {
    let base_5 = min(workgroup_x * 2u + local_index, 2u) * 4u + workgroup_y * 52u;
    C[base_5 + 40u] = acc_C_13;
    C[base_5 + 41u] = acc_C_14;
    C[base_5 + 42u] = acc_C_15;
  }
}
