@group(0) @binding(0) var<storage, read> x: array<f32, 6>;
@group(0) @binding(1) var<storage, read_write> h: array<f32, 12>;

@compute @workgroup_size(6)
fn state_0(@builtin(local_invocation_index) local_index: u32) {
  let x_value = x[local_index];
  h[local_index] = x_value;
}

@group(0) @binding(0) var<storage, read_write> h: array<f32, 12>;
@group(0) @binding(1) var<storage, read> gain: array<f32, 5>;
@group(0) @binding(2) var<uniform> tc_step_0: u32;

@compute @workgroup_size(6)
fn state_1(@builtin(local_invocation_index) local_index: u32) {
  let gain_value = gain[min(tc_step_0, 4u)];
  h[local_index + (min(tc_step_0, 4u) + 1u) % 2u * 6u] = h[min(tc_step_0, 4u) % 2u * 6u + 5u - local_index] + gain_value;
}

@group(0) @binding(0) var<storage, read> h: array<f32, 12>;
@group(0) @binding(1) var<storage, read_write> y: array<f32, 6>;

@compute @workgroup_size(6)
fn state_2(@builtin(local_invocation_index) local_index: u32) {
  let h_value = h[local_index + 6u];
  let h_value_1 = h[6u];
  y[local_index] = h_value * h_value_1;
}
