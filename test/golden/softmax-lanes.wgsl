enable subgroups;
@group(0) @binding(0) var<storage, read> x: array<f32, 30>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 30>;

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
fn softmax_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(subgroup_invocation_id) subgroup_invocation_id: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  let workgroup_x = min(workgroup_id.x, 2u);
  let subgroup_lane = min(subgroup_invocation_id, 3u);
  var acc_largest_part_0: f32 = -tc_inf;
  let base = workgroup_x * 10u + subgroup_lane;
  for (var largest_part_r0 = 0u; largest_part_r0 < 2u; largest_part_r0++) {
    let x_value = x[base + largest_part_r0 * 4u];
    let side = acc_largest_part_0;
    acc_largest_part_0 = select(side, x_value, side < x_value);
  }
  if (9u >= subgroup_lane + 8u) {
    let x_value_3 = x[min(subgroup_lane + 8u, 9u) + workgroup_x * 10u];
    let side_5 = acc_largest_part_0;
    acc_largest_part_0 = select(side_5, x_value_3, side_5 < x_value_3);
  }
  var largest_part_0: f32 = acc_largest_part_0;
  var acc_largest_combine_0: f32 = -tc_inf;
  let largest_part_of = subgroupBroadcast(largest_part_0, 0u);
  let side_1 = acc_largest_combine_0;
  acc_largest_combine_0 = select(side_1, largest_part_of, side_1 < largest_part_of);
  let largest_part_of_1 = subgroupBroadcast(largest_part_0, 1u);
  let side_2 = acc_largest_combine_0;
  acc_largest_combine_0 = select(side_2, largest_part_of_1, side_2 < largest_part_of_1);
  let largest_part_of_2 = subgroupBroadcast(largest_part_0, 2u);
  let side_3 = acc_largest_combine_0;
  acc_largest_combine_0 = select(side_3, largest_part_of_2, side_3 < largest_part_of_2);
  let largest_part_of_3 = subgroupBroadcast(largest_part_0, 3u);
  let side_4 = acc_largest_combine_0;
  acc_largest_combine_0 = select(side_4, largest_part_of_3, side_4 < largest_part_of_3);
  var largest_0: f32 = acc_largest_combine_0;
  var acc_total_part_0: f32 = 0.0f;
  for (var total_part_r0 = 0u; total_part_r0 < 2u; total_part_r0++) {
    let x_value_1 = x[base + total_part_r0 * 4u];
    acc_total_part_0 = acc_total_part_0 + tc_exp(x_value_1 - largest_0);
  }
  if (9u >= subgroup_lane + 8u) {
    let x_value_1_1 = x[min(subgroup_lane + 8u, 9u) + workgroup_x * 10u];
    acc_total_part_0 = acc_total_part_0 + tc_exp(x_value_1_1 - largest_0);
  }
  var total_part_0: f32 = acc_total_part_0;
  var acc_total_combine_0: f32 = 0.0f;
  let total_part_of = subgroupBroadcast(total_part_0, 0u);
  acc_total_combine_0 = acc_total_combine_0 + total_part_of;
  let total_part_of_1 = subgroupBroadcast(total_part_0, 1u);
  acc_total_combine_0 = acc_total_combine_0 + total_part_of_1;
  let total_part_of_2 = subgroupBroadcast(total_part_0, 2u);
  acc_total_combine_0 = acc_total_combine_0 + total_part_of_2;
  let total_part_of_3 = subgroupBroadcast(total_part_0, 3u);
  acc_total_combine_0 = acc_total_combine_0 + total_part_of_3;
  var total_0: f32 = acc_total_combine_0;
  for (var y_q0_turn = 0u; y_q0_turn < 2u; y_q0_turn++) {
    let base_5 = base + y_q0_turn * 4u;
    let x_value_2 = x[base_5];
    y[base_5] = tc_exp(x_value_2 - largest_0) / total_0;
  }
  if (9u >= subgroup_lane + 8u) {
    let base_6 = min(subgroup_lane + 8u, 9u) + workgroup_x * 10u;
    let x_value_2_1 = x[base_6];
    y[base_6] = tc_exp(x_value_2_1 - largest_0) / total_0;
  }
}
