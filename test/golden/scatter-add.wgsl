@group(0) @binding(0) var<storage, read> gradient: array<f32, 24>;
@group(0) @binding(1) var<storage, read_write> table: array<atomic<u32>, 20>;
@group(0) @binding(2) var<storage, read> row: array<i32, 6>;

@compute @workgroup_size(6)
fn scatter_add_0(@builtin(workgroup_id) workgroup_id: vec3<u32>, @builtin(local_invocation_index) local_index: u32) {
  let workgroup_x = min(workgroup_id.x, 3u);
  let gradient_value = gradient[workgroup_x + local_index * 4u];
  let row_value = row[local_index];
  let at = u32(row_value);
  if (at < 5u) {
    {
      let tc_at = min(at, 4u) * 4u + workgroup_x;
      let tc_value = gradient_value;
      var tc_old = atomicLoad(&table[tc_at]);
      loop {
        let tc_new = bitcast<u32>(bitcast<f32>(tc_old) + tc_value);
        let tc_result = atomicCompareExchangeWeak(&table[tc_at], tc_old, tc_new);
        if (tc_result.exchanged) { break; }
        tc_old = tc_result.old_value;
      }
    }
  }
}
