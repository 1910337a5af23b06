@group(0) @binding(0) var<storage, read> h2h: array<f32, 16>;
@group(0) @binding(1) var<storage, read> h0: array<f32, 12>;
@group(0) @binding(2) var<storage, read_write> hidden: array<f32, 48>;
@group(0) @binding(3) var<storage, read> i2h: array<f32, 8>;
@group(0) @binding(4) var<storage, read> input: array<f32, 24>;
@group(0) @binding(5) var<uniform> tc_step_0: u32;

@compute @workgroup_size(4)
fn elman_rnn_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 2u);
  let fixed = min(tc_step_0, 3u);
  if (0u == fixed) {
    var acc_hidden_0: f32 = 0.0f;
    let base = workgroup_x * 4u;
    for (var hidden_r0 = 0u; hidden_r0 < 4u; hidden_r0++) {
      let h2h_value = h2h[local_index + hidden_r0 * 4u];
      let h0_value = h0[base + hidden_r0];
      acc_hidden_0 = acc_hidden_0 + h2h_value * h0_value;
    }
    hidden[workgroup_x * 4u + local_index + min(tc_step_0, 3u) * 12u] = acc_hidden_0;
  }
  if (fixed >= 1u) {
    var acc_hidden_1_0: f32 = 0.0f;
    let base_4 = workgroup_x * 4u + max(min(tc_step_0, 3u), 1u) * 12u;
    for (var hidden_1_r0 = 0u; hidden_1_r0 < 4u; hidden_1_r0++) {
      let h2h_value_1 = h2h[local_index + hidden_1_r0 * 4u];
      acc_hidden_1_0 = acc_hidden_1_0 + h2h_value_1 * hidden[base_4 + hidden_1_r0 - 12u];
    }
    hidden[workgroup_x * 4u + local_index + min(tc_step_0, 3u) * 12u] = acc_hidden_1_0;
  }
  let base_8 = workgroup_x * 4u + local_index + min(tc_step_0, 3u) * 12u;
  var acc_hidden_2_0: f32 = hidden[base_8];
  let base_9 = workgroup_x * 2u + min(tc_step_0, 3u) * 6u;
  for (var hidden_2_r0 = 0u; hidden_2_r0 < 2u; hidden_2_r0++) {
    let i2h_value = i2h[local_index + hidden_2_r0 * 4u];
    let input_value = input[base_9 + hidden_2_r0];
    acc_hidden_2_0 = acc_hidden_2_0 + i2h_value * input_value;
  }
  hidden[base_8] = acc_hidden_2_0;
}
