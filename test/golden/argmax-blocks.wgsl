@group(0) @binding(0) var<storage, read> x: array<vec2<f32>, 33>;
@group(0) @binding(1) var<storage, read_write> best_block: array<i32, 3>;

@compute @workgroup_size(3)
fn argmax_0(@builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  var acc_best_blocks_0_0: f32 = -tc_inf;
  var acc_best_blocks_1_0: i32 = 0i;
  let base = local_index * 11u;
  for (var best_blocks_r0_outer = 0u; best_blocks_r0_outer < 5u; best_blocks_r0_outer++) {
    var acc_best_blocks_before_0_0: f32 = acc_best_blocks_0_0;
    let base_1 = base + best_blocks_r0_outer * 2u;
    let x_wide_1 = x[base_1];
    let state = acc_best_blocks_0_0;
    let wins = x_wide_1.x > state;
    let part_1 = select(state, x_wide_1.x, wins);
    acc_best_blocks_0_0 = part_1;
    let state_2 = acc_best_blocks_0_0;
    let wins_1 = x_wide_1.y > state_2;
    let part_3 = select(state_2, x_wide_1.y, wins_1);
    acc_best_blocks_0_0 = part_3;
    let x_wide_2 = x[base_1 + 1u];
    let state_4 = acc_best_blocks_0_0;
    let wins_2 = x_wide_2.x > state_4;
    let part_5 = select(state_4, x_wide_2.x, wins_2);
    acc_best_blocks_0_0 = part_5;
    let state_6 = acc_best_blocks_0_0;
    let wins_3 = x_wide_2.y > state_6;
    let part_7 = select(state_6, x_wide_2.y, wins_3);
    acc_best_blocks_0_0 = part_7;
    let state_8 = acc_best_blocks_before_0_0;
    let state_9 = acc_best_blocks_1_0;
    let state_10 = acc_best_blocks_0_0;
    let wins_4 = state_10 > state_8;
    acc_best_blocks_1_0 = select(state_9, i32(best_blocks_r0_outer * 4u), wins_4);
  }
  var acc_best_blocks_before_0_0_1: f32 = acc_best_blocks_0_0;
  let x_wide_1_1 = x[base + 10u];
  let state_13 = acc_best_blocks_0_0;
  let wins_5 = x_wide_1_1.x > state_13;
  let part_1_1 = select(state_13, x_wide_1_1.x, wins_5);
  acc_best_blocks_0_0 = part_1_1;
  let state_2_1 = acc_best_blocks_0_0;
  let wins_1_1 = x_wide_1_1.y > state_2_1;
  let part_3_1 = select(state_2_1, x_wide_1_1.y, wins_1_1);
  acc_best_blocks_0_0 = part_3_1;
  let state_8_1 = acc_best_blocks_before_0_0_1;
  let state_9_1 = acc_best_blocks_1_0;
  let state_10_1 = acc_best_blocks_0_0;
  let wins_4_1 = state_10_1 > state_8_1;
  acc_best_blocks_1_0 = select(state_9_1, 20i, wins_4_1);
  let state_12 = acc_best_blocks_1_0;
  best_block[local_index] = state_12 >> 2u;
}

@group(0) @binding(0) var<storage, read> x: array<f32, 66>;
@group(0) @binding(1) var<storage, read> best_block: array<i32, 3>;
@group(0) @binding(2) var<storage, read_write> best: array<i32, 3>;

@compute @workgroup_size(3)
fn argmax_1(@builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  var acc_best_candidates_0_0: f32 = -tc_inf;
  var acc_best_candidates_1_0: i32 = 2147483647i;
  let best_block_value = best_block[local_index];
  let at = u32(min(max(best_block_value, 0i) * 4i + 0i, 21i));
  let x_value = x[min(at, 21u) + local_index * 22u];
  let x_inside = select(0.0f, x_value, at < 22u);
  let part = min(max(best_block_value, 0i) * 4i + 0i, 21i);
  let state = acc_best_candidates_0_0;
  let state_1 = acc_best_candidates_1_0;
  let wins = (x_inside > state) | ((x_inside == state) & (part < state_1));
  let part_1 = select(state, x_inside, wins);
  let part_2 = select(state_1, part, wins);
  acc_best_candidates_0_0 = part_1;
  acc_best_candidates_1_0 = part_2;
  let at_1 = u32(min(max(best_block_value, 0i) * 4i + 1i, 21i));
  let x_value_1 = x[min(at_1, 21u) + local_index * 22u];
  let x_inside_1 = select(0.0f, x_value_1, at_1 < 22u);
  let part_3 = min(max(best_block_value, 0i) * 4i + 1i, 21i);
  let state_2 = acc_best_candidates_0_0;
  let state_3 = acc_best_candidates_1_0;
  let wins_1 = (x_inside_1 > state_2) | ((x_inside_1 == state_2) & (part_3 < state_3));
  let part_4 = select(state_2, x_inside_1, wins_1);
  let part_5 = select(state_3, part_3, wins_1);
  acc_best_candidates_0_0 = part_4;
  acc_best_candidates_1_0 = part_5;
  let at_2 = u32(min(max(best_block_value, 0i) * 4i + 2i, 21i));
  let x_value_2 = x[min(at_2, 21u) + local_index * 22u];
  let x_inside_2 = select(0.0f, x_value_2, at_2 < 22u);
  let part_6 = min(max(best_block_value, 0i) * 4i + 2i, 21i);
  let state_4 = acc_best_candidates_0_0;
  let state_5 = acc_best_candidates_1_0;
  let wins_2 = (x_inside_2 > state_4) | ((x_inside_2 == state_4) & (part_6 < state_5));
  let part_7 = select(state_4, x_inside_2, wins_2);
  let part_8 = select(state_5, part_6, wins_2);
  acc_best_candidates_0_0 = part_7;
  acc_best_candidates_1_0 = part_8;
  let at_3 = u32(min(max(best_block_value, 0i) * 4i + 3i, 21i));
  let x_value_3 = x[min(at_3, 21u) + local_index * 22u];
  let x_inside_3 = select(0.0f, x_value_3, at_3 < 22u);
  let part_9 = min(max(best_block_value, 0i) * 4i + 3i, 21i);
  let state_6 = acc_best_candidates_0_0;
  let state_7 = acc_best_candidates_1_0;
  let wins_3 = (x_inside_3 > state_6) | ((x_inside_3 == state_6) & (part_9 < state_7));
  let part_10 = select(state_6, x_inside_3, wins_3);
  let part_11 = select(state_7, part_9, wins_3);
  acc_best_candidates_0_0 = part_10;
  acc_best_candidates_1_0 = part_11;
  let state_9 = acc_best_candidates_1_0;
  best[local_index] = select(state_9, -1i, state_9 == 2147483647i);
}
