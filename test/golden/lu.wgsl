@group(0) @binding(0) var<storage, read_write> A: array<f32>;

@compute @workgroup_size(4)
fn lu_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  if (5u >= workgroup_id.x * 4u + local_index) {
    A[workgroup_id.x * 28u + local_index * 7u] = A[workgroup_id.x * 28u + local_index * 7u] + 6.0f;
  }
}

@group(0) @binding(0) var<storage, read_write> A: array<f32>;
@group(0) @binding(1) var<uniform> tc_step_0: u32;

@compute @workgroup_size(4)
fn lu_1(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  if ((workgroup_id.x * 4u + local_index >= tc_step_0) & (4u >= workgroup_id.x * 4u + local_index)) {
    A[tc_step_0 + workgroup_id.x * 24u + local_index * 6u + 6u] = A[tc_step_0 + workgroup_id.x * 24u + local_index * 6u + 6u] / A[tc_step_0 * 7u];
  }
}

@group(0) @binding(0) var<storage, read_write> A: array<f32>;
@group(0) @binding(1) var<uniform> tc_step_0: u32;

@compute @workgroup_size(4)
fn lu_2(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  if (((workgroup_id.y >= tc_step_0) & (workgroup_id.x * 4u + local_index >= tc_step_0)) & (4u >= workgroup_id.x * 4u + local_index)) {
    A[workgroup_id.y * 6u + workgroup_id.x * 4u + local_index + 7u] = A[workgroup_id.y * 6u + workgroup_id.x * 4u + local_index + 7u] + -(A[tc_step_0 + workgroup_id.y * 6u + 6u] * A[tc_step_0 * 6u + workgroup_id.x * 4u + local_index + 1u]);
  }
}
