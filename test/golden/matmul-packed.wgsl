@group(0) @binding(0) var<storage, read> B: array<f32>;
@group(0) @binding(1) var<storage, read_write> B_copy: array<f32>;

@compute @workgroup_size(16)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let B_value = B[min(local_index, 12u) + workgroup_id.x * 13u];
  let B_inside = select(0.0f, B_value, 12u >= local_index);
  B_copy[workgroup_id.x * 16u + local_index] = B_inside;
}

@group(0) @binding(0) var<storage, read> A: array<f32>;
@group(0) @binding(1) var<storage, read> B_copy: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> C: array<f32>;

@compute @workgroup_size(2)
fn matmul_1(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
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
  for (var C_r0 = 0u; C_r0 < 5u; C_r0++) {
    let A_value = A[C_r0 + workgroup_id.y * 20u];
    let B_copy_value = B_copy[C_r0 * 4u + workgroup_id.x * 2u + local_index];
    let whole_5 = vec4<f32>(acc_C_0, acc_C_1, acc_C_2, acc_C_3) + vec4<f32>(A_value) * B_copy_value;
    acc_C_0 = whole_5.x;
    acc_C_1 = whole_5.y;
    acc_C_2 = whole_5.z;
    acc_C_3 = whole_5.w;
    let A_value_1 = A[C_r0 + workgroup_id.y * 20u + 5u];
    let whole_6 = vec4<f32>(acc_C_4, acc_C_5, acc_C_6, acc_C_7) + vec4<f32>(A_value_1) * B_copy_value;
    acc_C_4 = whole_6.x;
    acc_C_5 = whole_6.y;
    acc_C_6 = whole_6.z;
    acc_C_7 = whole_6.w;
    let A_value_2 = A[C_r0 + workgroup_id.y * 20u + 10u];
    let whole_7 = vec4<f32>(acc_C_8, acc_C_9, acc_C_10, acc_C_11) + vec4<f32>(A_value_2) * B_copy_value;
    acc_C_8 = whole_7.x;
    acc_C_9 = whole_7.y;
    acc_C_10 = whole_7.z;
    acc_C_11 = whole_7.w;
    let A_value_3 = A[C_r0 + workgroup_id.y * 20u + 15u];
    let whole_8 = vec4<f32>(acc_C_12, acc_C_13, acc_C_14, acc_C_15) + vec4<f32>(A_value_3) * B_copy_value;
    acc_C_12 = whole_8.x;
    acc_C_13 = whole_8.y;
    acc_C_14 = whole_8.z;
    acc_C_15 = whole_8.w;
  }
  C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u] = acc_C_0;
  if (2u >= workgroup_id.x * 2u + local_index) {
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 1u] = acc_C_1;
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 2u] = acc_C_2;
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 3u] = acc_C_3;
  }
  C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 13u] = acc_C_4;
  if (2u >= workgroup_id.x * 2u + local_index) {
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 14u] = acc_C_5;
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 15u] = acc_C_6;
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 16u] = acc_C_7;
  }
  C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 26u] = acc_C_8;
  if (2u >= workgroup_id.x * 2u + local_index) {
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 27u] = acc_C_9;
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 28u] = acc_C_10;
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 29u] = acc_C_11;
  }
  C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 39u] = acc_C_12;
  if (2u >= workgroup_id.x * 2u + local_index) {
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 40u] = acc_C_13;
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 41u] = acc_C_14;
    C[workgroup_id.y * 52u + workgroup_id.x * 8u + local_index * 4u + 42u] = acc_C_15;
  }
}
