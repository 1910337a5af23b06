@group(0) @binding(0) var<storage, read> h2h: array<f32>;
@group(0) @binding(1) var<storage, read> h0: array<f32>;
@group(0) @binding(2) var<storage, read_write> hidden: array<f32>;
@group(0) @binding(3) var<storage, read> i2h: array<f32>;
@group(0) @binding(4) var<storage, read> input: array<f32>;

@compute @workgroup_size(4)
fn elman_rnn_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  for (var t = 0u; t < 4u; t++) {
    var acc_hidden_0: f32 = 0.0f;
    for (var hidden_r0 = 0u; hidden_r0 < 4u; hidden_r0++) {
      let h2h_value = h2h[local_index + hidden_r0 * 4u];
      let h0_value = h0[hidden_r0 + workgroup_id.x * 4u];
      acc_hidden_0 = acc_hidden_0 + h2h_value * h0_value;
    }
    if (0u == t) {
      hidden[local_index + workgroup_id.x * 4u + t * 12u] = acc_hidden_0;
    }
    var acc_hidden_1_0: f32 = 0.0f;
    for (var hidden_1_r0 = 0u; hidden_1_r0 < 4u; hidden_1_r0++) {
      if (t >= 1u) {
        let h2h_value_1 = h2h[hidden_1_r0 * 4u + local_index];
        acc_hidden_1_0 = acc_hidden_1_0 + h2h_value_1 * hidden[hidden_1_r0 + workgroup_id.x * 4u + t * 12u - 12u];
      }
    }
    if (t >= 1u) {
      hidden[local_index + workgroup_id.x * 4u + t * 12u] = acc_hidden_1_0;
    }
    var acc_hidden_2_0: f32 = hidden[local_index + workgroup_id.x * 4u + t * 12u];
    for (var hidden_2_r0 = 0u; hidden_2_r0 < 2u; hidden_2_r0++) {
      let i2h_value = i2h[hidden_2_r0 * 4u + local_index];
      let input_value = input[hidden_2_r0 + workgroup_id.x * 2u + t * 6u];
      acc_hidden_2_0 = acc_hidden_2_0 + i2h_value * input_value;
    }
    hidden[local_index + workgroup_id.x * 4u + t * 12u] = acc_hidden_2_0;
    storageBarrier();
  }
}
