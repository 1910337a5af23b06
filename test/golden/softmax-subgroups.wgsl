enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<f32, 66>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 66>;
var<workgroup> parts_float32_0_2: array<f32, 2>;

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

@compute @workgroup_size(8)
fn softmax_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32, @builtin(subgroup_invocation_id) subgroup_invocation_id: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  let workgroup_x = min(workgroup_id.x, 2u);
  let subgroup_lane = min(subgroup_invocation_id, 3u);
  var acc_largest_0: f32 = -tc_inf;
  let base = workgroup_x * 22u + subgroup_lane + local_index / 4u * 4u;
  for (var largest_r0_turn = 0u; largest_r0_turn < 2u; largest_r0_turn++) {
    let x_value = x[base + largest_r0_turn * 8u];
    let side = acc_largest_0;
    acc_largest_0 = select(side, x_value, side < x_value);
  }
  let base_2 = subgroup_lane + local_index / 4u * 4u;
  if (21u >= base_2 + 16u) {
    let x_value_3 = x[min(subgroup_lane + local_index / 4u * 4u + 16u, 21u) + workgroup_x * 22u];
    let side_1 = acc_largest_0;
    acc_largest_0 = select(side_1, x_value_3, side_1 < x_value_3);
  }
  let part = acc_largest_0;
  let exchanged = subgroupMax(part);
  if (subgroup_lane == 0u) {
    parts_float32_0_2[local_index / 4u] = exchanged;
  }
  workgroupBarrier();
  let other = parts_float32_0_2[0u];
  let other_1 = parts_float32_0_2[1u];
  let sum = select(other, other_1, other < other_1);
  acc_largest_0 = sum;
  var largest_0: f32 = acc_largest_0;
  var acc_total_0: f32 = 0.0f;
  for (var total_r0_turn = 0u; total_r0_turn < 2u; total_r0_turn++) {
    let x_value_1 = x[base + total_r0_turn * 8u];
    acc_total_0 = acc_total_0 + tc_exp(x_value_1 - largest_0);
  }
  if (21u >= base_2 + 16u) {
    let x_value_1_1 = x[min(subgroup_lane + local_index / 4u * 4u + 16u, 21u) + workgroup_x * 22u];
    acc_total_0 = acc_total_0 + tc_exp(x_value_1_1 - largest_0);
  }
  let part_1 = acc_total_0;
  let exchanged_1 = subgroupAdd(part_1);
  workgroupBarrier();
  if (subgroup_lane == 0u) {
    parts_float32_0_2[local_index / 4u] = exchanged_1;
  }
  workgroupBarrier();
  let other_2 = parts_float32_0_2[0u];
  let other_3 = parts_float32_0_2[1u];
  let sum_1 = other_2 + other_3;
  acc_total_0 = sum_1;
  var total_0: f32 = acc_total_0;
  for (var y_q0_turn = 0u; y_q0_turn < 2u; y_q0_turn++) {
    let base_8 = base + y_q0_turn * 8u;
    let x_value_2 = x[base_8];
    y[base_8] = tc_exp(x_value_2 - largest_0) / total_0;
  }
  if (21u >= base_2 + 16u) {
    let base_9 = min(subgroup_lane + local_index / 4u * 4u + 16u, 21u) + workgroup_x * 22u;
    let x_value_2_1 = x[base_9];
    y[base_9] = tc_exp(x_value_2_1 - largest_0) / total_0;
  }
}
