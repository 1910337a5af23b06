@group(0) @binding(0) var<storage, read> A: array<vec2<f32>, 60>;
@group(0) @binding(1) var<storage, read> B: array<vec4<f32>, 50>;
@group(0) @binding(2) var<storage, read_write> C: array<vec4<f32>, 60>;
var<workgroup> A_copy: array<f32, 40>;
var<workgroup> B_copy: array<vec4<f32>, 16>;

@compute @workgroup_size(16)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 1u);
  var acc_C_0: vec4<f32> = vec4<f32>(0.0f);
  var acc_C_4: vec4<f32> = vec4<f32>(0.0f);
  let fixed = 11u >= local_index / 2u + workgroup_y * 8u;
  let base = min(local_index / 2u + workgroup_y * 8u, 11u) * 5u + local_index % 2u;
  let base_1 = local_index / 2u * 5u + local_index % 2u * 2u;
  let fixed_1 = 4u >= local_index % 4u + workgroup_x * 4u;
  let base_2 = local_index / 4u * 5u + local_index % 4u + workgroup_x * 4u;
  let base_3 = local_index / 4u * 4u + local_index % 4u;
  let base_4 = local_index / 4u * 10u;
  let base_5 = local_index % 4u;
  for (var C_r0_tile = 0u; C_r0_tile < 2u; C_r0_tile++) {
    if (fixed) {
      let A_value = A[base + C_r0_tile * 2u];
      A_copy[base_1] = A_value.x;
      A_copy[base_1 + 1u] = A_value.y;
    }
    if (fixed_1) {
      let B_value = B[base_2 + C_r0_tile * 20u];
      B_copy[base_3] = B_value;
    }
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
  if ((11u >= local_index / 2u + workgroup_y * 8u) & (4u >= local_index % 2u + 4u)) {
    let A_value_1 = A[local_index / 2u * 5u + local_index % 2u + workgroup_y * 40u + 4u];
    A_copy[base_1] = A_value_1.x;
    A_copy[base_1 + 1u] = A_value_1.y;
  }
  if ((9u >= local_index / 4u + 8u) & (4u >= local_index % 4u + workgroup_x * 4u)) {
    let B_value_1 = B[base_2 + 40u];
    B_copy[base_3] = B_value_1;
  }
  workgroupBarrier();
  for (var C_r0_point_1 = 0u; C_r0_point_1 < 4u; C_r0_point_1++) {
    if (9u >= C_r0_point_1 + 8u) {
      let base_15 = base_4 + C_r0_point_1;
      let A_copy_value_2 = A_copy[base_15];
      let B_copy_value_1 = B_copy[base_5 + C_r0_point_1 * 4u];
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
