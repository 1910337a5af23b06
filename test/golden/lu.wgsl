@group(0) @binding(0) var<storage, read_write> A: array<f32, 36>;

@compute @workgroup_size(4)
fn lu_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  if (5u >= workgroup_x * 4u + local_index) {
    let base_1 = min(workgroup_x * 4u + local_index, 5u) * 7u;
    A[base_1] = A[base_1] + 6.0f;
  }
}

@group(0) @binding(0) var<storage, read_write> A: array<f32, 36>;
@group(0) @binding(1) var<uniform> tc_step_0: u32;

@compute @workgroup_size(4)
fn lu_1(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let base = workgroup_x * 4u + local_index;
  if ((base >= min(tc_step_0, 5u)) & (4u >= base)) {
    let base_1 = min(workgroup_x * 4u + local_index, 4u) * 6u + min(tc_step_0, 5u);
    A[base_1 + 6u] = A[base_1 + 6u] / A[min(tc_step_0, 5u) * 7u];
  }
}

@group(0) @binding(0) var<storage, read_write> A: array<f32, 36>;
@group(0) @binding(1) var<uniform> tc_step_0: u32;

@compute @workgroup_size(4)
fn lu_2(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 4u);
  let fixed = min(tc_step_0, 5u);
  let base = workgroup_x * 4u + local_index;
  if (((workgroup_y >= fixed) & (base >= fixed)) & (4u >= base)) {
    let base_1 = min(workgroup_x * 4u + local_index, 4u) + workgroup_y * 6u;
    A[base_1 + 7u] = A[base_1 + 7u] + -(A[min(tc_step_0, 5u) + workgroup_y * 6u + 6u] * A[min(workgroup_x * 4u + local_index, 4u) + min(tc_step_0, 5u) * 6u + 1u]);
  }
}
