@group(0) @binding(0) var<storage, read> A: array<vec2<f32>, 100>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 90>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 180>;
var<workgroup> A_copy: array<f32, 40>;
var<workgroup> B_copy: array<vec4<f32>, 16>;

@compute @workgroup_size(16)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 2u);
  let workgroup_y = min(workgroup_id.y, 2u);
  if ((workgroup_y < 2u) & (workgroup_x < 2u)) {
    let tile = min(workgroup_y, 1u);
    let tile_1 = min(workgroup_x, 1u);
    var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
    var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
    let base = local_index / 2u * 5u + local_index % 2u + tile * 40u;
    let base_1 = local_index / 2u * 5u + local_index % 2u * 2u;
    let base_2 = local_index / 4u * 9u + local_index % 4u + tile_1 * 4u;
    let base_3 = local_index / 4u * 4u + local_index % 4u;
    let base_4 = local_index / 4u * 10u;
    let base_5 = local_index % 4u;
    for (var C_r0_tile = 0u; C_r0_tile < 2u; C_r0_tile++) {
      let A_value = A[base + C_r0_tile * 2u];
      A_copy[base_1] = A_value.x;
      A_copy[base_1 + 1u] = A_value.y;
      let B_value = B[base_2 + C_r0_tile * 36u];
      B_copy[base_3] = B_value;
      workgroupBarrier();
      for (var C_r0_point = 0u; C_r0_point < 4u; C_r0_point++) {
        let base_8 = base_4 + C_r0_point;
        let A_copy_value = A_copy[base_8];
        let B_copy_value = B_copy[base_5 + C_r0_point * 4u];
        acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value) * B_copy_value;
        let A_copy_value_1 = A_copy[base_8 + 5u];
        acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_1) * B_copy_value;
      }
      workgroupBarrier();
    }
    if (4u >= local_index % 2u + 4u) {
      let A_value_2 = A[base + 4u];
      A_copy[base_1] = A_value_2.x;
      A_copy[base_1 + 1u] = A_value_2.y;
    }
    if (9u >= local_index / 4u + 8u) {
      let B_value_2 = B[min(local_index / 4u + 8u, 9u) * 9u + local_index % 4u + tile_1 * 4u];
      B_copy[base_3] = B_value_2;
    }
    workgroupBarrier();
    for (var C_r0_point_2 = 0u; C_r0_point_2 < 4u; C_r0_point_2++) {
      if (9u >= C_r0_point_2 + 8u) {
        let base_13 = base_4 + C_r0_point_2;
        let A_copy_value_4 = A_copy[base_13];
        let B_copy_value_2 = B_copy[base_5 + C_r0_point_2 * 4u];
        acc_C_0 = acc_C_0 + vec4<f32>(A_copy_value_4) * B_copy_value_2;
        let A_copy_value_1_1 = A_copy[base_13 + 5u];
        acc_C_4 = acc_C_4 + vec4<f32>(A_copy_value_1_1) * B_copy_value_2;
      }
    }
    workgroupBarrier();
    let base_15 = tile * 72u + local_index / 4u * 18u + tile_1 * 4u + local_index % 4u;
    C[base_15] = acc_C_0;
    C[base_15 + 9u] = acc_C_4;
  } else {
    var acc_C_edge_0: vec4<f32> = vec4<f32>(0.0f);
    var acc_C_edge_4: vec4<f32> = vec4<f32>(0.0f);
    let fixed_2 = 19u >= local_index / 2u + workgroup_y * 8u;
    let base_16 = min(local_index / 2u + workgroup_y * 8u, 19u) * 5u + local_index % 2u;
    let base_17 = local_index / 2u * 5u + local_index % 2u * 2u;
    let fixed_3 = 8u >= local_index % 4u + workgroup_x * 4u;
    let base_18 = local_index / 4u * 9u + local_index % 4u + workgroup_x * 4u;
    let base_19 = local_index / 4u * 4u + local_index % 4u;
    let base_20 = local_index / 4u * 10u;
    let base_21 = local_index % 4u;
    for (var C_r0_tile_1 = 0u; C_r0_tile_1 < 2u; C_r0_tile_1++) {
      if (fixed_2) {
        let A_value_1 = A[base_16 + C_r0_tile_1 * 2u];
        A_copy[base_17] = A_value_1.x;
        A_copy[base_17 + 1u] = A_value_1.y;
      }
      if (fixed_3) {
        let B_value_1 = B[base_18 + C_r0_tile_1 * 36u];
        B_copy[base_19] = B_value_1;
      }
      workgroupBarrier();
      for (var C_r0_point_1 = 0u; C_r0_point_1 < 4u; C_r0_point_1++) {
        let base_24 = base_20 + C_r0_point_1;
        let A_copy_value_2 = A_copy[base_24];
        let B_copy_value_1 = B_copy[base_21 + C_r0_point_1 * 4u];
        acc_C_edge_0 = acc_C_edge_0 + vec4<f32>(A_copy_value_2) * B_copy_value_1;
        let A_copy_value_3 = A_copy[base_24 + 5u];
        acc_C_edge_4 = acc_C_edge_4 + vec4<f32>(A_copy_value_3) * B_copy_value_1;
      }
      workgroupBarrier();
    }
    if ((19u >= local_index / 2u + workgroup_y * 8u) & (4u >= local_index % 2u + 4u)) {
      let A_value_1_1 = A[local_index / 2u * 5u + local_index % 2u + workgroup_y * 40u + 4u];
      A_copy[base_17] = A_value_1_1.x;
      A_copy[base_17 + 1u] = A_value_1_1.y;
    }
    if ((9u >= local_index / 4u + 8u) & (8u >= local_index % 4u + workgroup_x * 4u)) {
      let B_value_1_1 = B[base_18 + 72u];
      B_copy[base_19] = B_value_1_1;
    }
    workgroupBarrier();
    for (var C_r0_point_1_1 = 0u; C_r0_point_1_1 < 4u; C_r0_point_1_1++) {
      if (9u >= C_r0_point_1_1 + 8u) {
        let base_31 = base_20 + C_r0_point_1_1;
        let A_copy_value_2_1 = A_copy[base_31];
        let B_copy_value_1_1 = B_copy[base_21 + C_r0_point_1_1 * 4u];
        acc_C_edge_0 = acc_C_edge_0 + vec4<f32>(A_copy_value_2_1) * B_copy_value_1_1;
        let A_copy_value_3_1 = A_copy[base_31 + 5u];
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
