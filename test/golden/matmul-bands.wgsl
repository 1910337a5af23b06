@group(0) @binding(0) var<storage, read> A: array<vec2<f32>, 30>;
@group(0) @binding(1) var<storage, read> B: array<vec2<f32>, 18>;
@group(0) @binding(2) var<storage, read_write> C: array<vec2<f32>, 120>;

@compute @workgroup_size(4)
fn matmul_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 2u);
  let workgroup_y = min(workgroup_id.y, 4u);
  let base = workgroup_y * 3u + workgroup_x;
  let kernel0_p0_grid = min(select(4u, (workgroup_y * 3u + workgroup_x) / 6u * 2u + (workgroup_y * 3u + workgroup_x) % 6u % 2u, base < 12u), 4u);
  let kernel0_p1_grid = min(select(base - 12u, (workgroup_y * 3u + workgroup_x) % 6u / 2u, base < 12u), 2u);
  var acc_C_0: vec2<f32> = vec2<f32>(0.0f);
  var acc_C_2: vec2<f32> = vec2<f32>(0.0f);
  let base_2 = kernel0_p0_grid * 6u + local_index / 2u * 3u;
  let A_wide_1 = A[base_2];
  let base_3 = kernel0_p1_grid * 2u + local_index % 2u;
  let B_value = B[base_3];
  acc_C_0 = acc_C_0 + vec2<f32>(A_wide_1.x) * B_value;
  let A_wide_2 = A[base_2 + 1u];
  acc_C_2 = acc_C_2 + vec2<f32>(A_wide_2.y) * B_value;
  let B_value_1 = B[base_3 + 6u];
  acc_C_0 = acc_C_0 + vec2<f32>(A_wide_1.y) * B_value_1;
  let A_wide_3 = A[base_2 + 2u];
  acc_C_2 = acc_C_2 + vec2<f32>(A_wide_3.x) * B_value_1;
  let B_value_2 = B[base_3 + 12u];
  acc_C_0 = acc_C_0 + vec2<f32>(A_wide_2.x) * B_value_2;
  acc_C_2 = acc_C_2 + vec2<f32>(A_wide_3.y) * B_value_2;
  let base_4 = kernel0_p0_grid * 24u + local_index / 2u * 12u + kernel0_p1_grid * 2u + local_index % 2u;
  C[base_4] = acc_C_0;
  C[base_4 + 6u] = acc_C_2;
}
