@group(0) @binding(0) var<storage, read> x: array<f32, 66>;
@group(0) @binding(1) var<storage, read_write> best_part_0: array<f32, 12>;
@group(0) @binding(2) var<storage, read_write> best_part_1: array<i32, 12>;

@compute @workgroup_size(4)
fn argmax_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  let workgroup_x = min(workgroup_id.x, 2u);
  var acc_best_part_0_0: f32 = -tc_inf;
  var acc_best_part_1_0: i32 = i32(local_index);
  let base = workgroup_x * 22u + local_index;
  for (var best_part_r0 = 0u; best_part_r0 < 5u; best_part_r0++) {
    let x_value = x[base + best_part_r0 * 4u];
    let part = i32(local_index + best_part_r0 * 4u);
    let state = acc_best_part_0_0;
    let state_1 = acc_best_part_1_0;
    let wins = x_value > state;
    let part_1 = select(state, x_value, wins);
    let part_2 = select(state_1, part, wins);
    acc_best_part_0_0 = part_1;
    acc_best_part_1_0 = part_2;
  }
  if (21u >= local_index + 20u) {
    let x_value_1 = x[min(20u + local_index, 21u) + workgroup_x * 22u];
    let part_3 = i32(local_index + 20u);
    let state_4 = acc_best_part_0_0;
    let state_1_1 = acc_best_part_1_0;
    let wins_1 = x_value_1 > state_4;
    let part_1_1 = select(state_4, x_value_1, wins_1);
    let part_2_1 = select(state_1_1, part_3, wins_1);
    acc_best_part_0_0 = part_1_1;
    acc_best_part_1_0 = part_2_1;
  }
  let state_2 = acc_best_part_0_0;
  let state_3 = acc_best_part_1_0;
  let base_4 = workgroup_x * 4u + local_index;
  best_part_0[base_4] = state_2;
  best_part_1[base_4] = state_3;
}

@group(0) @binding(0) var<storage, read> best_part_0: array<f32, 12>;
@group(0) @binding(1) var<storage, read> best_part_1: array<i32, 12>;
@group(0) @binding(2) var<storage, read_write> best: array<i32, 3>;

@compute @workgroup_size(3)
fn argmax_1(@builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  var acc_best_combine_0_0: f32 = -tc_inf;
  var acc_best_combine_1_0: i32 = 2147483647i;
  let base = local_index * 4u;
  for (var best_combine_r0 = 0u; best_combine_r0 < 4u; best_combine_r0++) {
    let base_1 = base + best_combine_r0;
    let best_part_value = best_part_0[base_1];
    let best_part_value_1 = best_part_1[base_1];
    let state = acc_best_combine_0_0;
    let state_1 = acc_best_combine_1_0;
    let wins = (best_part_value > state) | ((best_part_value == state) & (best_part_value_1 < state_1));
    let part = select(state, best_part_value, wins);
    let part_1 = select(state_1, best_part_value_1, wins);
    acc_best_combine_0_0 = part;
    acc_best_combine_1_0 = part_1;
  }
  let state_3 = acc_best_combine_1_0;
  best[local_index] = select(state_3, -1i, state_3 == 2147483647i);
}
