@group(0) @binding(0) var<storage, read> x: array<f32, 48>;
@group(0) @binding(1) var<storage, read_write> mean: array<f32, 6>;
@group(0) @binding(2) var<storage, read_write> variance: array<f32, 6>;

@compute @workgroup_size(6)
fn layernorm_0(@builtin(local_invocation_index) local_index: u32) {
  var acc_mean_0: f32 = 0.0f;
  let base = local_index * 8u;
  for (var mean_r0 = 0u; mean_r0 < 8u; mean_r0++) {
    let x_value = x[base + mean_r0];
    acc_mean_0 = acc_mean_0 + x_value / 8.0f;
  }
  mean[local_index] = acc_mean_0;
  var acc_variance_0: f32 = 0.0f;
  for (var variance_r0 = 0u; variance_r0 < 8u; variance_r0++) {
    let x_value_1 = x[base + variance_r0];
    acc_variance_0 = acc_variance_0 + (x_value_1 - acc_mean_0) * (x_value_1 - acc_mean_0) / 8.0f;
  }
  variance[local_index] = acc_variance_0;
}

@group(0) @binding(0) var<storage, read> x: array<f32, 48>;
@group(0) @binding(1) var<storage, read> mean: array<f32, 6>;
@group(0) @binding(2) var<storage, read> variance: array<f32, 6>;
@group(0) @binding(3) var<storage, read> epsilon: array<f32, 1>;
@group(0) @binding(4) var<storage, read> gamma: array<f32, 8>;
@group(0) @binding(5) var<storage, read> beta: array<f32, 8>;
@group(0) @binding(6) var<storage, read_write> y: array<f32, 48>;

@compute @workgroup_size(8)
fn layernorm_1(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 5u);
  let base = workgroup_x * 8u + local_index;
  let x_value = x[base];
  let mean_value = mean[workgroup_x];
  let variance_value = variance[workgroup_x];
  let epsilon_value = epsilon[0u];
  let gamma_value = gamma[local_index];
  let beta_value = beta[local_index];
  y[base] = (x_value - mean_value) * inverseSqrt(variance_value + epsilon_value) * gamma_value + beta_value;
}
