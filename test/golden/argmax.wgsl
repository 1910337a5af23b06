@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> best_part_0: array<f32>;
@group(0) @binding(2) var<storage, read_write> best_part_1: array<i32>;
@group(0) @binding(3) var<storage, read_write> best_part_2: array<u32>;

@compute @workgroup_size(4)
fn argmax_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  var acc_best_part_0_0: f32 = -tc_inf;
  var acc_best_part_1_0: i32 = -1i;
  var acc_best_part_2_0: bool = false;
  for (var best_part_r0 = 0u; best_part_r0 < 6u; best_part_r0++) {
    if (21u >= best_part_r0 * 4u + local_index) {
      let x_value = x[best_part_r0 * 4u + workgroup_id.x * 22u + local_index];
      let part = i32(best_part_r0 * 4u + local_index);
      let state = acc_best_part_0_0;
      let state_1 = acc_best_part_1_0;
      let state_2 = acc_best_part_2_0;
      let part_1 = select(state, x_value, true & (!state_2 | ((x_value > state) | ((x_value == state) & (part < state_1)))));
      let part_2 = select(state_1, part, true & (!state_2 | ((x_value > state) | ((x_value == state) & (part < state_1)))));
      let part_3 = state_2 | true;
      acc_best_part_0_0 = part_1;
      acc_best_part_1_0 = part_2;
      acc_best_part_2_0 = part_3;
    }
  }
  let state_3 = acc_best_part_0_0;
  let state_4 = acc_best_part_1_0;
  let state_5 = acc_best_part_2_0;
  best_part_0[workgroup_id.x * 4u + local_index] = state_3;
  best_part_1[workgroup_id.x * 4u + local_index] = state_4;
  best_part_2[workgroup_id.x * 4u + local_index] = u32(state_5);
}

@group(0) @binding(0) var<storage, read> best_part_0: array<f32>;
@group(0) @binding(1) var<storage, read> best_part_1: array<i32>;
@group(0) @binding(2) var<storage, read> best_part_2: array<u32>;
@group(0) @binding(3) var<storage, read_write> best: array<i32>;

@compute @workgroup_size(3)
fn argmax_1(@builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  var acc_best_combine_0_0: f32 = -tc_inf;
  var acc_best_combine_1_0: i32 = -1i;
  var acc_best_combine_2_0: bool = false;
  for (var best_combine_r0 = 0u; best_combine_r0 < 4u; best_combine_r0++) {
    let best_part_value = best_part_0[best_combine_r0 + local_index * 4u];
    let best_part_value_1 = best_part_1[best_combine_r0 + local_index * 4u];
    let best_part_value_2 = best_part_2[best_combine_r0 + local_index * 4u] != 0u;
    let state = acc_best_combine_0_0;
    let state_1 = acc_best_combine_1_0;
    let state_2 = acc_best_combine_2_0;
    let part = select(state, best_part_value, best_part_value_2 & (!state_2 | ((best_part_value > state) | ((best_part_value == state) & (best_part_value_1 < state_1)))));
    let part_1 = select(state_1, best_part_value_1, best_part_value_2 & (!state_2 | ((best_part_value > state) | ((best_part_value == state) & (best_part_value_1 < state_1)))));
    let part_2 = state_2 | best_part_value_2;
    acc_best_combine_0_0 = part;
    acc_best_combine_1_0 = part_1;
    acc_best_combine_2_0 = part_2;
  }
  let state_3 = acc_best_combine_0_0;
  let state_4 = acc_best_combine_1_0;
  let state_5 = acc_best_combine_2_0;
  best[local_index] = state_4;
}
