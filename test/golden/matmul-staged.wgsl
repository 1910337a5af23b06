@group(0) @binding(0) var<storage, read> A: array<f32, 120>;
@group(0) @binding(1) var<storage, read> B: array<f32, 200>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 60>;
var<workgroup> A_copy: array<f32, 40>;
var<workgroup> B_copy: array<f32, 64>;

@compute @workgroup_size(16)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 1u);
  var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
  let base = local_index / 4u * 10u + local_index % 4u + workgroup_y * 80u;
  let base_1 = local_index / 4u * 5u + local_index % 4u;
  let fixed = 0u >= workgroup_y;
  let fixed_1 = 19u >= local_index + workgroup_x * 16u;
  let base_2 = local_index + workgroup_x * 16u;
  let base_3 = local_index / 4u * 10u;
  let base_4 = local_index % 4u * 4u;
  for (var C_r0_tile = 0u; C_r0_tile < 2u; C_r0_tile++) {
    let base_5 = base + C_r0_tile * 4u;
    let A_value = A[base_5];
    A_copy[base_1] = A_value;
    if (fixed) {
      let A_value_1 = A[base_5 + 40u];
      A_copy[base_1 + 20u] = A_value_1;
    }
    if (fixed_1) {
      let base_6 = base_2 + C_r0_tile * 80u;
      let B_value = B[base_6];
      B_copy[local_index] = B_value;
      let B_value_1 = B[base_6 + 20u];
      B_copy[local_index + 16u] = B_value_1;
    }
    if (fixed_1) {
      let base_7 = base_2 + C_r0_tile * 80u;
      let B_value_2 = B[base_7 + 40u];
      B_copy[local_index + 32u] = B_value_2;
      let B_value_3 = B[base_7 + 60u];
      B_copy[local_index + 48u] = B_value_3;
    }
    workgroupBarrier();
    for (var C_r0_point = 0u; C_r0_point < 4u; C_r0_point++) {
      let base_8 = base_3 + C_r0_point;
      let base_9 = base_4 + C_r0_point * 16u;
      acc_C_0 = acc_C_0 + vec4<f32>(A_copy[base_8]) * vec4<f32>(B_copy[base_9], B_copy[base_9 + 1u], B_copy[base_9 + 2u], B_copy[base_9 + 3u]);
      acc_C_4 = acc_C_4 + vec4<f32>(A_copy[base_8 + 5u]) * vec4<f32>(B_copy[base_9], B_copy[base_9 + 1u], B_copy[base_9 + 2u], B_copy[base_9 + 3u]);
    }
    workgroupBarrier();
  }
  let base_10 = local_index % 4u;
  if (9u >= base_10 + 8u) {
    let A_value_2 = A[base + 8u];
    A_copy[base_1] = A_value_2;
  }
  if ((0u >= workgroup_y) & (9u >= base_10 + 8u)) {
    let A_value_1_1 = A[base + 48u];
    A_copy[base_1 + 20u] = A_value_1_1;
  }
  if (19u >= base_2) {
    let B_value_4 = B[base_2 + 160u];
    B_copy[local_index] = B_value_4;
    let B_value_1_1 = B[base_2 + 180u];
    B_copy[local_index + 16u] = B_value_1_1;
  }
  workgroupBarrier();
  for (var C_r0_point_1 = 0u; C_r0_point_1 < 4u; C_r0_point_1++) {
    if (9u >= C_r0_point_1 + 8u) {
      let base_11 = base_3 + C_r0_point_1;
      let base_12 = base_4 + C_r0_point_1 * 16u;
      acc_C_0 = acc_C_0 + vec4<f32>(A_copy[base_11]) * vec4<f32>(B_copy[base_12], B_copy[base_12 + 1u], B_copy[base_12 + 2u], B_copy[base_12 + 3u]);
      acc_C_4 = acc_C_4 + vec4<f32>(A_copy[base_11 + 5u]) * vec4<f32>(B_copy[base_12], B_copy[base_12 + 1u], B_copy[base_12 + 2u], B_copy[base_12 + 3u]);
    }
  }
  workgroupBarrier();
  if ((5u >= workgroup_y * 4u + local_index / 4u) & (4u >= workgroup_x * 4u + local_index % 4u)) {
    let base_15 = workgroup_y * 40u + local_index / 4u * 10u + workgroup_x * 4u + local_index % 4u;
    C[base_15] = acc_C_0;
    C[base_15 + 5u] = acc_C_4;
  }
}
