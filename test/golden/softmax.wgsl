@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
var<workgroup> e: array<f32, 12>;

fn tc_fromBits(bits: u32) -> f32 {
  return bitcast<f32>(bits);
}

fn tc_infinity() -> f32 {
  return tc_fromBits(u32(0x7f800000u));
}

fn tc_exp(x: f32) -> f32 {
  let inside = exp(clamp(x, f32(-120.0), f32(88.72283)));
  return select(inside, tc_infinity(), x > f32(88.722835));
}

@compute @workgroup_size(4)
fn softmax_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  var acc_largest_0: f32 = -tc_inf;
  for (var largest_r0 = 0u; largest_r0 < 10u; largest_r0++) {
    let x_value = x[workgroup_id.x * 10u + largest_r0];
    acc_largest_0 = max(acc_largest_0, x_value);
  }
  var largest_0: f32 = acc_largest_0;
  for (var e_q0_turn = 0u; e_q0_turn < 3u; e_q0_turn++) {
    if (9u >= local_index + e_q0_turn * 4u) {
      let x_value_1 = x[local_index + e_q0_turn * 4u + workgroup_id.x * 10u];
      e[local_index + e_q0_turn * 4u] = tc_exp(x_value_1 - largest_0);
    }
  }
  var acc_total_0: f32 = 0.0f;
  workgroupBarrier();
  for (var total_r0 = 0u; total_r0 < 10u; total_r0++) {
    acc_total_0 = acc_total_0 + e[total_r0];
  }
  var total_0: f32 = acc_total_0;
  for (var y_q0_turn = 0u; y_q0_turn < 3u; y_q0_turn++) {
    if (9u >= local_index + y_q0_turn * 4u) {
      y[workgroup_id.x * 10u + local_index + y_q0_turn * 4u] = e[local_index + y_q0_turn * 4u] / total_0;
    }
  }
}
