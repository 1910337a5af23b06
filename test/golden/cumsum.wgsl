@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(4)
fn cumsum_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var acc_y_0: f32 = 0.0f;
  var acc_y_4: f32 = 0.0f;
  for (var y_r0 = 0u; y_r0 < 12u; y_r0++) {
    if (workgroup_id.x * 8u + local_index >= y_r0) {
      let x_value = x[workgroup_id.y * 12u + y_r0];
      acc_y_0 = acc_y_0 + x_value;
    }
    if (workgroup_id.x * 8u + local_index + 4u >= y_r0) {
      let x_value_1 = x[workgroup_id.y * 12u + y_r0];
      acc_y_4 = acc_y_4 + x_value_1;
    }
  }
  y[workgroup_id.y * 12u + workgroup_id.x * 8u + local_index] = acc_y_0;
  if (0u >= workgroup_id.x) {
    y[workgroup_id.y * 12u + workgroup_id.x * 8u + local_index + 4u] = acc_y_4;
  }
}
