@group(0) @binding(0) var<storage, read> x: array<f32, 36>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 36>;

@compute @workgroup_size(4)
fn cumsum_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 2u);
  var acc_y_0: f32 = 0.0f;
  var acc_y_1: f32 = 0.0f;
  let base = workgroup_x * 8u + local_index;
  let base_1 = workgroup_y * 12u;
  for (var y_r0 = 0u; y_r0 < 12u; y_r0++) {
    if (base >= y_r0) {
      let x_value = x[base_1 + y_r0];
      acc_y_0 = acc_y_0 + x_value;
    }
    if (base + 4u >= y_r0) {
      let x_value_1 = x[base_1 + y_r0];
      acc_y_1 = acc_y_1 + x_value_1;
    }
  }
  y[workgroup_y * 12u + workgroup_x * 8u + local_index] = acc_y_0;
  if (0u >= workgroup_x) {
    y[workgroup_y * 12u + min(workgroup_x, 0u) * 8u + local_index + 4u] = acc_y_1;
  }
}
