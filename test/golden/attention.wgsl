@group(0) @binding(0) var<storage, read> query: array<f32>;
@group(0) @binding(1) var<storage, read> key: array<f32>;
@group(0) @binding(2) var<storage, read_write> weight: array<f32>;
@group(0) @binding(3) var<storage, read> value: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;
var<workgroup> score: array<f32, 8>;

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
fn attention_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  for (var score_q0_turn = 0u; score_q0_turn < 2u; score_q0_turn++) {
    var acc_score_0: f32 = 0.0f;
    for (var score_r0 = 0u; score_r0 < 4u; score_r0++) {
      let query_value = query[workgroup_id.x * 4u + score_r0];
      let key_value = key[min(local_index + score_q0_turn * 4u, 5u) * 4u + score_r0];
      acc_score_0 = acc_score_0 + query_value * key_value * 0.5f;
    }
    if (5u >= local_index + score_q0_turn * 4u) {
      score[local_index + score_q0_turn * 4u] = acc_score_0;
    }
  }
  var acc_largest_0: f32 = -tc_inf;
  workgroupBarrier();
  for (var largest_r0 = 0u; largest_r0 < 6u; largest_r0++) {
    acc_largest_0 = max(acc_largest_0, score[largest_r0]);
  }
  var largest_0: f32 = acc_largest_0;
  for (var weight_q0_turn = 0u; weight_q0_turn < 2u; weight_q0_turn++) {
    if (5u >= local_index + weight_q0_turn * 4u) {
      weight[workgroup_id.x * 8u + local_index + weight_q0_turn * 4u] = tc_exp(score[local_index + weight_q0_turn * 4u] - largest_0);
    }
  }
  var acc_total_0: f32 = 0.0f;
  storageBarrier();
  for (var total_r0 = 0u; total_r0 < 6u; total_r0++) {
    acc_total_0 = acc_total_0 + weight[workgroup_id.x * 8u + total_r0];
  }
  var total_0: f32 = acc_total_0;
  var acc_out_0: f32 = 0.0f;
  for (var out_r0 = 0u; out_r0 < 6u; out_r0++) {
    let value_value = value[local_index + out_r0 * 4u];
    acc_out_0 = acc_out_0 + weight[workgroup_id.x * 8u + out_r0] / total_0 * value_value;
  }
  out[workgroup_id.x * 4u + local_index] = acc_out_0;
}
