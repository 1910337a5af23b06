@group(0) @binding(0) var<storage, read> query: array<f32, 16>;
@group(0) @binding(1) var<storage, read> key: array<f32, 24>;
@group(0) @binding(2) var<storage, read_write> weight: array<f32, 32>;
@group(0) @binding(3) var<storage, read> value: array<f32, 24>;
@group(0) @binding(4) var<storage, read_write> out: array<f32, 16>;
var<workgroup> score: array<f32, 8>;

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
fn attention_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  let workgroup_x = min(workgroup_id.x, 3u);
  var acc_score_0: f32 = 0.0f;
  let base = workgroup_x * 4u;
  let base_1 = min(local_index, 5u) * 4u;
  for (var score_r0 = 0u; score_r0 < 4u; score_r0++) {
    let query_value = query[base + score_r0];
    let key_value = key[base_1 + score_r0];
    acc_score_0 = acc_score_0 + query_value * key_value * 0.5f;
  }
  score[local_index] = acc_score_0;
  var acc_score_0_1: f32 = 0.0f;
  let base_4 = min(local_index + 4u, 5u) * 4u;
  for (var score_r0_1 = 0u; score_r0_1 < 4u; score_r0_1++) {
    let query_value_1 = query[base + score_r0_1];
    let key_value_1 = key[base_4 + score_r0_1];
    acc_score_0_1 = acc_score_0_1 + query_value_1 * key_value_1 * 0.5f;
  }
  if (5u >= local_index + 4u) {
    score[local_index + 4u] = acc_score_0_1;
  }
  var acc_largest_0: f32 = -tc_inf;
  workgroupBarrier();
  for (var largest_r0 = 0u; largest_r0 < 6u; largest_r0++) {
    let score_value = score[largest_r0];
    acc_largest_0 = max(acc_largest_0, score_value);
  }
  var largest_0: f32 = acc_largest_0;
  let score_value_1 = score[local_index];
  let base_7 = workgroup_x * 8u + local_index;
  weight[base_7] = tc_exp(score_value_1 - largest_0);
  if (5u >= local_index + 4u) {
    let score_value_1_1 = score[local_index + 4u];
    weight[base_7 + 4u] = tc_exp(score_value_1_1 - largest_0);
  }
  var acc_total_0: f32 = 0.0f;
  storageBarrier();
  let base_8 = workgroup_x * 8u;
  for (var total_r0 = 0u; total_r0 < 6u; total_r0++) {
    acc_total_0 = acc_total_0 + weight[base_8 + total_r0];
  }
  var total_0: f32 = acc_total_0;
  var acc_out_0: f32 = 0.0f;
  for (var out_r0 = 0u; out_r0 < 6u; out_r0++) {
    let value_value = value[local_index + out_r0 * 4u];
    acc_out_0 = acc_out_0 + weight[base_8 + out_r0] / total_0 * value_value;
  }
  out[workgroup_x * 4u + local_index] = acc_out_0;
}
