@group(0) @binding(0) var<storage, read> h2h: array<f32, 16>;
@group(0) @binding(1) var<storage, read> h0: array<f32, 12>;
@group(0) @binding(2) var<storage, read_write> hidden: array<f32, 48>;
@group(0) @binding(3) var<storage, read> i2h: array<f32, 8>;
@group(0) @binding(4) var<storage, read> input: array<f32, 24>;

@compute @workgroup_size(4)
fn elman_rnn_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 2u);
  var acc_hidden_0_1: f32 = 0.0f;
  let base = workgroup_x * 4u;
  for (var hidden_r0_1 = 0u; hidden_r0_1 < 4u; hidden_r0_1++) {
    let h2h_value_2 = h2h[local_index + hidden_r0_1 * 4u];
    let h0_value_1 = h0[base + hidden_r0_1];
    acc_hidden_0_1 = acc_hidden_0_1 + h2h_value_2 * h0_value_1;
  }
  let base_3 = local_index + workgroup_x * 4u;
  hidden[base_3] = acc_hidden_0_1;
  var acc_hidden_2_0_1: f32 = hidden[base_3];
  let base_4 = workgroup_x * 2u;
  for (var hidden_2_r0_1 = 0u; hidden_2_r0_1 < 2u; hidden_2_r0_1++) {
    let i2h_value_1 = i2h[local_index + hidden_2_r0_1 * 4u];
    let input_value_1 = input[base_4 + hidden_2_r0_1];
    acc_hidden_2_0_1 = acc_hidden_2_0_1 + i2h_value_1 * input_value_1;
  }
  hidden[base_3] = acc_hidden_2_0_1;
  storageBarrier();
  for (var t = 0u; t < 3u; t++) {
    var acc_hidden_1_0: f32 = 0.0f;
    let base_7 = base + t * 12u;
    for (var hidden_1_r0 = 0u; hidden_1_r0 < 4u; hidden_1_r0++) {
      let h2h_value_1 = h2h[local_index + hidden_1_r0 * 4u];
      acc_hidden_1_0 = acc_hidden_1_0 + h2h_value_1 * hidden[base_7 + hidden_1_r0];
    }
    let base_10 = base_3 + t * 12u;
    hidden[base_10 + 12u] = acc_hidden_1_0;
    var acc_hidden_2_0: f32 = hidden[base_10 + 12u];
    let base_11 = base_4 + t * 6u;
    for (var hidden_2_r0 = 0u; hidden_2_r0 < 2u; hidden_2_r0++) {
      let i2h_value = i2h[local_index + hidden_2_r0 * 4u];
      let input_value = input[base_11 + hidden_2_r0 + 6u];
      acc_hidden_2_0 = acc_hidden_2_0 + i2h_value * input_value;
    }
    hidden[base_10 + 12u] = acc_hidden_2_0;
    storageBarrier();
  }
}
