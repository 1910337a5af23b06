@group(0) @binding(0) var<storage, read> x: array<f32, 36>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 36>;

@compute @workgroup_size(4)
fn cumsum_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let workgroup_y = min(workgroup_id.y, 2u);
  var acc_y_0: f32 = 0.0f;
  var acc_y_1: f32 = 0.0f;
  let base = workgroup_x * 8u;
  let base_1 = workgroup_y * 12u;
  for (var y_r0 = 0u; y_r0 < 9u; y_r0++) {
    if (y_r0 >= base + 1u) { break; }
    let x_value_2 = x[base_1 + y_r0];
    acc_y_0 = acc_y_0 + x_value_2;
    acc_y_1 = acc_y_1 + x_value_2;
  }
  let y_r0_from = base + 1u;
  let base_3 = min(workgroup_x * 8u + 8u, 12u) - y_r0_from;
  let base_4 = workgroup_x * 8u + local_index;
  for (var y_r0_trip = 0u; y_r0_trip < 7u; y_r0_trip++) {
    if (y_r0_trip >= base_3) { break; }
    let y_r0_1 = min(y_r0_from + y_r0_trip, 11u);
    let x_value_2_1 = x[base_1 + y_r0_1];
    if (base_4 >= y_r0_1) {
      acc_y_0 = acc_y_0 + x_value_2_1;
    }
    if (base_4 + 4u >= y_r0_1) {
      acc_y_1 = acc_y_1 + x_value_2_1;
    }
  }
  y[workgroup_y * 12u + workgroup_x * 8u + local_index] = acc_y_0;
  if (0u >= workgroup_x) {
    y[workgroup_y * 12u + min(workgroup_x, 0u) * 8u + local_index + 4u] = acc_y_1;
  }
}
