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
  let base_2 = local_index / 4u * 10u + local_index % 4u + min(workgroup_y, 0u) * 80u;
  let fixed_1 = 19u >= local_index + workgroup_x * 16u;
  let base_3 = local_index + workgroup_x * 16u;
  let base_4 = local_index / 4u * 10u;
  let base_5 = local_index % 4u * 4u;
  for (var C_r0_tile = 0u; C_r0_tile < 2u; C_r0_tile++) {
    let A_value = A[base + C_r0_tile * 4u];
    A_copy[base_1] = A_value;
    if (fixed) {
      let A_value_1 = A[base_2 + C_r0_tile * 4u + 40u];
      A_copy[base_1 + 20u] = A_value_1;
    }
    if (fixed_1) {
      let base_8 = base_3 + C_r0_tile * 80u;
      let B_value = B[base_8];
      B_copy[local_index] = B_value;
      let B_value_1 = B[base_8 + 20u];
      B_copy[local_index + 16u] = B_value_1;
    }
    if (fixed_1) {
      let base_9 = base_3 + C_r0_tile * 80u;
      let B_value_2 = B[base_9 + 40u];
      B_copy[local_index + 32u] = B_value_2;
      let B_value_3 = B[base_9 + 60u];
      B_copy[local_index + 48u] = B_value_3;
    }
    workgroupBarrier();
    for (var C_r0_point = 0u; C_r0_point < 4u; C_r0_point++) {
      let base_10 = base_4 + C_r0_point;
      let A_copy_value = A_copy[base_10];
      let base_11 = base_5 + C_r0_point * 16u;
      let B_copy_value = vec4<f32>(B_copy[base_11], B_copy[base_11 + 1u], B_copy[base_11 + 2u], B_copy[base_11 + 3u]);
      acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value) * B_copy_value;
      let A_copy_value_1 = A_copy[base_10 + 5u];
      acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_1) * B_copy_value;
    }
    workgroupBarrier();
  }
  let base_12 = local_index % 4u;
  if (9u >= base_12 + 8u) {
    let A_value_2 = A[min(local_index % 4u + 8u, 9u) + local_index / 4u * 10u + workgroup_y * 80u];
    A_copy[base_1] = A_value_2;
  }
  if ((0u >= workgroup_y) & (9u >= base_12 + 8u)) {
    let A_value_1_1 = A[base_2 + 48u];
    A_copy[base_1 + 20u] = A_value_1_1;
  }
  if (19u >= base_3) {
    let B_value_4 = B[base_3 + 160u];
    B_copy[local_index] = B_value_4;
    let B_value_1_1 = B[min(local_index + workgroup_x * 16u, 19u) + 180u];
    B_copy[local_index + 16u] = B_value_1_1;
  }
  workgroupBarrier();
  for (var C_r0_point_1 = 0u; C_r0_point_1 < 4u; C_r0_point_1++) {
    if (9u >= C_r0_point_1 + 8u) {
      let base_15 = base_4 + C_r0_point_1;
      let A_copy_value_2 = A_copy[base_15];
      let base_16 = base_5 + C_r0_point_1 * 16u;
      let B_copy_value_1 = vec4<f32>(B_copy[base_16], B_copy[base_16 + 1u], B_copy[base_16 + 2u], B_copy[base_16 + 3u]);
      acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value_2) * B_copy_value_1;
      let A_copy_value_1_1 = A_copy[base_15 + 5u];
      acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_1_1) * B_copy_value_1;
    }
  }
  workgroupBarrier();
  if ((5u >= workgroup_y * 4u + local_index / 4u) & (4u >= workgroup_x * 4u + local_index % 4u)) {
    C[min(workgroup_y * 4u + local_index / 4u, 5u) * 10u + workgroup_x * 4u + local_index % 4u] = acc_C_0;
    C[workgroup_y * 40u + local_index / 4u * 10u + workgroup_x * 4u + local_index % 4u + 5u] = acc_C_4;
  }
}
