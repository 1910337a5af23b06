@group(0) @binding(0) var<storage, read> x: array<f32, 30>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 30>;
var<workgroup> e: array<f32, 12>;

fn tc_fromBits(bits: u32) -> f32 {
  return bitcast<f32>(bits);
}

fn tc_infinity() -> f32 {
  return tc_fromBits(u32(0x7f800000u));
}

fn tc_exp(x: f32) -> f32 {
  let inside = exp(select(x, f32(-120.0), x < f32(-120.0)));
  return select(inside, tc_infinity(), x > f32(88.722835));
}

@compute @workgroup_size(4)
fn softmax_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  let workgroup_x = min(workgroup_id.x, 2u);
  var acc_largest_0: f32 = -tc_inf;
  let base = workgroup_x * 10u;
  for (var largest_r0 = 0u; largest_r0 < 10u; largest_r0++) {
    let x_value = x[base + largest_r0];
    acc_largest_0 = max(acc_largest_0, x_value);
  }
  var largest_0: f32 = acc_largest_0;
  let base_2 = local_index + workgroup_x * 10u;
  for (var e_q0_turn = 0u; e_q0_turn < 2u; e_q0_turn++) {
    let x_value_1 = x[base_2 + e_q0_turn * 4u];
    e[local_index + e_q0_turn * 4u] = tc_exp(x_value_1 - largest_0);
  }
  if (9u >= local_index + 8u) {
    let x_value_1_1 = x[min(local_index + 8u, 9u) + workgroup_x * 10u];
    e[local_index + 8u] = tc_exp(x_value_1_1 - largest_0);
  }
  var acc_total_0: f32 = 0.0f;
  workgroupBarrier();
  for (var total_r0 = 0u; total_r0 < 10u; total_r0++) {
    let e_value = e[total_r0];
    acc_total_0 = acc_total_0 + e_value;
  }
  var total_0: f32 = acc_total_0;
  let base_6 = workgroup_x * 10u + local_index;
  for (var y_q0_turn = 0u; y_q0_turn < 2u; y_q0_turn++) {
    let e_value_1 = e[local_index + y_q0_turn * 4u];
    y[base_6 + y_q0_turn * 4u] = e_value_1 / total_0;
  }
  if (9u >= local_index + 8u) {
    let e_value_1_1 = e[local_index + 8u];
    y[min(local_index + 8u, 9u) + workgroup_x * 10u] = e_value_1_1 / total_0;
  }
}
