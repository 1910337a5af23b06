@group(0) @binding(0) var<storage, read> bias: array<f32>;
@group(0) @binding(1) var<storage, read> image: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<vec2<f32>>;

@compute @workgroup_size(8)
fn conv2d_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let bias_value = bias[workgroup_id.x];
  var acc_out_1_0: vec2<f32> = vec2<f32>(bias_value);
  for (var out_1_r0 = 0u; out_1_r0 < 2u; out_1_r0++) {
    for (var out_1_r1 = 0u; out_1_r1 < 3u; out_1_r1++) {
      for (var out_1_r2 = 0u; out_1_r2 < 3u; out_1_r2++) {
        let image_value = image[min(local_index / 2u * 2u + out_1_r1 - 1u, 6u) * 8u + min(local_index % 2u * 4u + out_1_r2 - 1u, 7u) + out_1_r0 * 56u];
        let image_inside = select(0.0f, image_value, ((local_index / 2u * 2u + out_1_r1 >= 1u) & (7u >= local_index / 2u * 2u + out_1_r1)) & (local_index % 2u * 4u + out_1_r2 >= 1u));
        let image_value_1 = image[min(local_index / 2u * 2u + out_1_r1 - 1u, 6u) * 8u + (local_index % 2u * 4u + out_1_r0 * 56u + out_1_r2 + 1u)];
        let image_inside_1 = select(0.0f, image_value_1, (local_index / 2u * 2u + out_1_r1 >= 1u) & (7u >= local_index / 2u * 2u + out_1_r1));
        let weight_value = weight[workgroup_id.x * 18u + out_1_r0 * 9u + out_1_r1 * 3u + out_1_r2];
        acc_out_1_0 = acc_out_1_0 + vec2<f32>(image_inside, image_inside_1) * vec2<f32>(weight_value);
      }
    }
  }
  out[workgroup_id.x * 8u + local_index / 2u * 2u + local_index % 2u] = acc_out_1_0;
}
