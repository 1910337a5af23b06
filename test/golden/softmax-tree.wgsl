@group(0) @binding(0) var<storage, read> x: array<vec4<f32>, 60>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>, 60>;
var<workgroup> parts_float32_0_16: array<f32, 16>;

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

fn tc_fromBits_4(bits: vec4<u32>) -> vec4<f32> {
  return bitcast<vec4<f32>>(bits);
}

fn tc_infinity_4() -> vec4<f32> {
  return tc_fromBits_4(vec4<u32>(0x7f800000u));
}

fn tc_exp_4(x: vec4<f32>) -> vec4<f32> {
  let inside = exp(select(x, vec4<f32>(-120.0), x < vec4<f32>(-120.0)));
  return select(inside, tc_infinity_4(), x > vec4<f32>(88.722835));
}

@compute @workgroup_size(16)
fn softmax_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  var tc_inf_bits = 0x7f800000u;
  let tc_inf = bitcast<f32>(tc_inf_bits);
  let workgroup_x = min(workgroup_id.x, 2u);
  var acc_largest_0: f32 = -tc_inf;
  let base = min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u, 47u);
  let x_value = x[base / 4u][base % 4u];
  acc_largest_0 = max(acc_largest_0, x_value);
  let base_1 = min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 1u, 47u);
  let x_value_1 = x[base_1 / 4u][base_1 % 4u];
  acc_largest_0 = max(acc_largest_0, x_value_1);
  let base_2 = min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 2u, 47u);
  let x_value_2 = x[base_2 / 4u][base_2 % 4u];
  acc_largest_0 = max(acc_largest_0, x_value_2);
  let base_3 = min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 3u, 47u);
  let x_value_3 = x[base_3 / 4u][base_3 % 4u];
  acc_largest_0 = max(acc_largest_0, x_value_3);
  let base_4 = local_index % 8u;
  if (11u >= base_4 + 8u) {
    let x_value_9 = x[(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u, 47u)) / 4u][(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u, 47u)) % 4u];
    acc_largest_0 = max(acc_largest_0, x_value_9);
    let x_value_1_1 = x[(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 1u, 47u)) / 4u][(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 1u, 47u)) % 4u];
    acc_largest_0 = max(acc_largest_0, x_value_1_1);
    let x_value_2_1 = x[(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 2u, 47u)) / 4u][(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 2u, 47u)) % 4u];
    acc_largest_0 = max(acc_largest_0, x_value_2_1);
    let x_value_3_1 = x[(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 3u, 47u)) / 4u][(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 3u, 47u)) % 4u];
    acc_largest_0 = max(acc_largest_0, x_value_3_1);
  }
  let part = acc_largest_0;
  parts_float32_0_16[local_index] = part;
  workgroupBarrier();
  if (base_4 < 4u) {
    let other = parts_float32_0_16[local_index];
    let other_1 = parts_float32_0_16[local_index + 4u];
    let sum = max(other, other_1);
    parts_float32_0_16[local_index] = sum;
  }
  workgroupBarrier();
  if (base_4 < 2u) {
    let other_2 = parts_float32_0_16[local_index];
    let other_3 = parts_float32_0_16[local_index + 2u];
    let sum_1 = max(other_2, other_3);
    parts_float32_0_16[local_index] = sum_1;
  }
  workgroupBarrier();
  let base_9 = local_index / 8u * 8u;
  let other_4 = parts_float32_0_16[base_9];
  let other_5 = parts_float32_0_16[base_9 + 1u];
  let sum_2 = max(other_4, other_5);
  acc_largest_0 = sum_2;
  var largest_0: f32 = acc_largest_0;
  var acc_total_0: f32 = 0.0f;
  let x_value_4 = x[base / 4u][base % 4u];
  acc_total_0 = acc_total_0 + tc_exp(x_value_4 - largest_0);
  let x_value_5 = x[base_1 / 4u][base_1 % 4u];
  acc_total_0 = acc_total_0 + tc_exp(x_value_5 - largest_0);
  let x_value_6 = x[base_2 / 4u][base_2 % 4u];
  acc_total_0 = acc_total_0 + tc_exp(x_value_6 - largest_0);
  let x_value_7 = x[base_3 / 4u][base_3 % 4u];
  acc_total_0 = acc_total_0 + tc_exp(x_value_7 - largest_0);
  if (11u >= base_4 + 8u) {
    let x_value_4_1 = x[(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u, 47u)) / 4u][(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u, 47u)) % 4u];
    acc_total_0 = acc_total_0 + tc_exp(x_value_4_1 - largest_0);
    let x_value_5_1 = x[(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 1u, 47u)) / 4u][(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 1u, 47u)) % 4u];
    acc_total_0 = acc_total_0 + tc_exp(x_value_5_1 - largest_0);
    let x_value_6_1 = x[(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 2u, 47u)) / 4u][(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 2u, 47u)) % 4u];
    acc_total_0 = acc_total_0 + tc_exp(x_value_6_1 - largest_0);
    let x_value_7_1 = x[(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 3u, 47u)) / 4u][(min(workgroup_x * 2u + local_index / 8u, 4u) * 48u + min(local_index % 8u * 4u + 32u + 3u, 47u)) % 4u];
    acc_total_0 = acc_total_0 + tc_exp(x_value_7_1 - largest_0);
  }
  let part_1 = acc_total_0;
  workgroupBarrier();
  parts_float32_0_16[local_index] = part_1;
  workgroupBarrier();
  if (base_4 < 4u) {
    let other_6 = parts_float32_0_16[local_index];
    let other_7 = parts_float32_0_16[local_index + 4u];
    let sum_3 = other_6 + other_7;
    parts_float32_0_16[local_index] = sum_3;
  }
  workgroupBarrier();
  if (base_4 < 2u) {
    let other_8 = parts_float32_0_16[local_index];
    let other_9 = parts_float32_0_16[local_index + 2u];
    let sum_4 = other_8 + other_9;
    parts_float32_0_16[local_index] = sum_4;
  }
  workgroupBarrier();
  let other_10 = parts_float32_0_16[base_9];
  let other_11 = parts_float32_0_16[base_9 + 1u];
  let sum_5 = other_10 + other_11;
  acc_total_0 = sum_5;
  var total_0: f32 = acc_total_0;
  let base_14 = workgroup_x * 2u + local_index / 8u;
  if (4u >= base_14) {
    let base_15 = min(workgroup_x * 2u + local_index / 8u, 4u) * 12u + local_index % 8u;
    let x_value_8 = x[base_15];
    y[base_15] = tc_exp_4(x_value_8 - vec4<f32>(largest_0)) / vec4<f32>(total_0);
  }
  if ((4u >= base_14) & (11u >= base_4 + 8u)) {
    let base_16 = workgroup_x * 24u + local_index / 8u * 12u + local_index % 8u;
    let x_value_8_1 = x[base_16 + 8u];
    y[base_16 + 8u] = tc_exp_4(x_value_8_1 - vec4<f32>(largest_0)) / vec4<f32>(total_0);
  }
}
