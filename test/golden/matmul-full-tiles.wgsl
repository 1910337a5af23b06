@group(0) @binding(0) var<storage, read> A: array<f32, 200>;
@group(0) @binding(1) var<storage, read> B: array<f32, 360>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 180>;
var<workgroup> A_copy: array<f32, 40>;
var<workgroup> B_copy: array<f32, 64>;

@compute @workgroup_size(16)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 2u);
  let workgroup_y = min(workgroup_id.y, 2u);
  if ((workgroup_y < 2u) & (workgroup_x < 2u)) {
    let tile = min(workgroup_y, 1u);
    let tile_1 = min(workgroup_x, 1u);
    var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
    var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
    let base = local_index / 4u * 10u + local_index % 4u + tile * 80u;
    let base_1 = local_index / 4u * 5u + local_index % 4u;
    let base_2 = local_index + tile_1 * 16u;
    let base_3 = local_index / 4u * 10u;
    let base_4 = local_index % 4u * 4u;
    for (var C_r0_tile = 0u; C_r0_tile < 2u; C_r0_tile++) {
      let base_5 = base + C_r0_tile * 4u;
      let A_value = A[base_5];
      A_copy[base_1] = A_value;
      let A_value_1 = A[base_5 + 40u];
      A_copy[base_1 + 20u] = A_value_1;
      let base_6 = base_2 + C_r0_tile * 144u;
      let B_value = B[base_6];
      B_copy[local_index] = B_value;
      let B_value_1 = B[base_6 + 36u];
      B_copy[local_index + 16u] = B_value_1;
      let B_value_2 = B[base_6 + 72u];
      B_copy[local_index + 32u] = B_value_2;
      let B_value_3 = B[base_6 + 108u];
      B_copy[local_index + 48u] = B_value_3;
      workgroupBarrier();
      for (var C_r0_point = 0u; C_r0_point < 4u; C_r0_point++) {
        let base_7 = base_3 + C_r0_point;
        let A_copy_value = A_copy[base_7];
        let base_8 = base_4 + C_r0_point * 16u;
        let B_copy_value = vec4<f32>(B_copy[base_8], B_copy[base_8 + 1u], B_copy[base_8 + 2u], B_copy[base_8 + 3u]);
        acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value) * B_copy_value;
        let A_copy_value_1 = A_copy[base_7 + 5u];
        acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_1) * B_copy_value;
      }
      workgroupBarrier();
    }
    if (9u >= local_index % 4u + 8u) {
      let A_value_4 = A[base + 8u];
      A_copy[base_1] = A_value_4;
      let A_value_1_1 = A[base + 48u];
      A_copy[base_1 + 20u] = A_value_1_1;
    }
    let B_value_8 = B[base_2 + 288u];
    B_copy[local_index] = B_value_8;
    let B_value_1_1 = B[base_2 + 324u];
    B_copy[local_index + 16u] = B_value_1_1;
    workgroupBarrier();
    for (var C_r0_point_2 = 0u; C_r0_point_2 < 4u; C_r0_point_2++) {
      if (9u >= C_r0_point_2 + 8u) {
        let base_10 = base_3 + C_r0_point_2;
        let A_copy_value_4 = A_copy[base_10];
        let base_11 = base_4 + C_r0_point_2 * 16u;
        let B_copy_value_2 = vec4<f32>(B_copy[base_11], B_copy[base_11 + 1u], B_copy[base_11 + 2u], B_copy[base_11 + 3u]);
        acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value_4) * B_copy_value_2;
        let A_copy_value_1_1 = A_copy[base_10 + 5u];
        acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_1_1) * B_copy_value_2;
      }
    }
    workgroupBarrier();
    let base_12 = tile * 72u + local_index / 4u * 18u + tile_1 * 4u + local_index % 4u;
    C[base_12] = acc_C_0;
    C[base_12 + 9u] = acc_C_4;
  } else {
    var acc_C_edge_0: vec4<f32> = vec4<f32>(0.0f);
    var acc_C_edge_4: vec4<f32> = vec4<f32>(0.0f);
    let base_13 = local_index / 4u * 10u + local_index % 4u + workgroup_y * 80u;
    let base_14 = local_index / 4u * 5u + local_index % 4u;
    let fixed_2 = 1u >= workgroup_y;
    let base_15 = local_index / 4u * 10u + local_index % 4u + min(workgroup_y, 1u) * 80u;
    let fixed_3 = 35u >= local_index + workgroup_x * 16u;
    let base_16 = local_index + workgroup_x * 16u;
    let base_17 = local_index / 4u * 10u;
    let base_18 = local_index % 4u * 4u;
    for (var C_r0_tile_1 = 0u; C_r0_tile_1 < 2u; C_r0_tile_1++) {
      let A_value_2 = A[base_13 + C_r0_tile_1 * 4u];
      A_copy[base_14] = A_value_2;
      if (fixed_2) {
        let A_value_3 = A[base_15 + C_r0_tile_1 * 4u + 40u];
        A_copy[base_14 + 20u] = A_value_3;
      }
      if (fixed_3) {
        let base_21 = base_16 + C_r0_tile_1 * 144u;
        let B_value_4 = B[base_21];
        B_copy[local_index] = B_value_4;
        let B_value_5 = B[base_21 + 36u];
        B_copy[local_index + 16u] = B_value_5;
      }
      if (fixed_3) {
        let base_22 = base_16 + C_r0_tile_1 * 144u;
        let B_value_6 = B[base_22 + 72u];
        B_copy[local_index + 32u] = B_value_6;
        let B_value_7 = B[base_22 + 108u];
        B_copy[local_index + 48u] = B_value_7;
      }
      workgroupBarrier();
      for (var C_r0_point_1 = 0u; C_r0_point_1 < 4u; C_r0_point_1++) {
        let base_23 = base_17 + C_r0_point_1;
        let A_copy_value_2 = A_copy[base_23];
        let base_24 = base_18 + C_r0_point_1 * 16u;
        let B_copy_value_1 = vec4<f32>(B_copy[base_24], B_copy[base_24 + 1u], B_copy[base_24 + 2u], B_copy[base_24 + 3u]);
        acc_C_edge_0 = acc_C_edge_0 + vec4<f32>(A_copy_value_2) * B_copy_value_1;
        let A_copy_value_3 = A_copy[base_23 + 5u];
        acc_C_edge_4 = acc_C_edge_4 + vec4<f32>(A_copy_value_3) * B_copy_value_1;
      }
      workgroupBarrier();
    }
    let base_25 = local_index % 4u;
    if (9u >= base_25 + 8u) {
      let A_value_2_1 = A[min(local_index % 4u + 8u, 9u) + local_index / 4u * 10u + workgroup_y * 80u];
      A_copy[base_14] = A_value_2_1;
    }
    if ((1u >= workgroup_y) & (9u >= base_25 + 8u)) {
      let A_value_3_1 = A[base_15 + 48u];
      A_copy[base_14 + 20u] = A_value_3_1;
    }
    if (35u >= base_16) {
      let B_value_4_1 = B[base_16 + 288u];
      B_copy[local_index] = B_value_4_1;
      let B_value_5_1 = B[min(local_index + workgroup_x * 16u, 35u) + 324u];
      B_copy[local_index + 16u] = B_value_5_1;
    }
    workgroupBarrier();
    for (var C_r0_point_1_1 = 0u; C_r0_point_1_1 < 4u; C_r0_point_1_1++) {
      if (9u >= C_r0_point_1_1 + 8u) {
        let base_28 = base_17 + C_r0_point_1_1;
        let A_copy_value_2_1 = A_copy[base_28];
        let base_29 = base_18 + C_r0_point_1_1 * 16u;
        let B_copy_value_1_1 = vec4<f32>(B_copy[base_29], B_copy[base_29 + 1u], B_copy[base_29 + 2u], B_copy[base_29 + 3u]);
        acc_C_edge_0 = acc_C_edge_0 + vec4<f32>(A_copy_value_2_1) * B_copy_value_1_1;
        let A_copy_value_3_1 = A_copy[base_28 + 5u];
        acc_C_edge_4 = acc_C_edge_4 + vec4<f32>(A_copy_value_3_1) * B_copy_value_1_1;
      }
    }
    workgroupBarrier();
    if ((9u >= workgroup_y * 4u + local_index / 4u) & (8u >= workgroup_x * 4u + local_index % 4u)) {
      C[min(workgroup_y * 4u + local_index / 4u, 9u) * 18u + workgroup_x * 4u + local_index % 4u] = acc_C_edge_0;
      C[workgroup_y * 72u + local_index / 4u * 18u + workgroup_x * 4u + local_index % 4u + 9u] = acc_C_edge_4;
    }
  }
}
