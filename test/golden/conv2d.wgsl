@group(0) @binding(0) var<storage, read> bias: array<f32, 2>;
@group(0) @binding(1) var<storage, read> image: array<f32, 112>;
@group(0) @binding(2) var<storage, read> weight: array<f32, 36>;
@group(0) @binding(3) var<storage, read_write> out: array<vec2<f32>, 16>;

@compute @workgroup_size(8)
fn conv2d_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 1u);
  let bias_value = bias[workgroup_x];
  var acc_out_1_0: vec2<f32> = vec2<f32>(bias_value);
  let base = local_index / 2u * 2u;
  let base_1 = local_index % 2u * 4u;
  let base_2 = workgroup_x * 18u;
  for (var out_1_r0 = 0u; out_1_r0 < 2u; out_1_r0++) {
    let base_3 = out_1_r0 * 56u;
    let base_4 = base_1 + out_1_r0 * 56u;
    let base_5 = base_2 + out_1_r0 * 9u;
    for (var out_1_r1 = 0u; out_1_r1 < 3u; out_1_r1++) {
      let base_6 = base_3 + min(base + out_1_r1 - 1u, 6u) * 8u;
      let fixed = (base + out_1_r1 >= 1u) & (7u >= base + out_1_r1);
      let base_7 = base_4 + min(base + out_1_r1 - 1u, 6u) * 8u;
      let base_8 = base_5 + out_1_r1 * 3u;
      for (var out_1_r2 = 0u; out_1_r2 < 3u; out_1_r2++) {
        let image_value = image[base_6 + min(base_1 + out_1_r2 - 1u, 7u)];
        let image_inside = select(0.0f, image_value, fixed & (base_1 + out_1_r2 >= 1u));
        let image_value_1 = image[base_7 + out_1_r2 + 1u];
        let image_inside_1 = select(0.0f, image_value_1, fixed);
        let weight_value = weight[base_8 + out_1_r2];
        acc_out_1_0 = acc_out_1_0 + vec2<f32>(image_inside, image_inside_1) * vec2<f32>(weight_value);
      }
    }
  }
  out[workgroup_x * 8u + local_index / 2u * 2u + local_index % 2u] = acc_out_1_0;
}
