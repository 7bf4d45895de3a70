// lockstep check
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> tile: array<u32, 64>;
fn helper(x: u32) { if x > 2 { workgroupBarrier(); } }
@compute @workgroup_size(64) fn branch(@builtin(local_invocation_index) i: u32) {
  if i < 32 { workgroupBarrier(); }
}
@compute @workgroup_size(64) fn loaded() {
  let limit = data[0];
  for (var k = 0u; k < limit; k++) { storageBarrier(); }
}
@compute @workgroup_size(64) fn called(@builtin(local_invocation_index) i: u32) {
  helper(tile[i]);
}
@compute @workgroup_size(64) fn early(@builtin(local_invocation_index) i: u32) {
  if i == 0 { return; }
  workgroupBarrier();
}
@compute @workgroup_size(64) fn pointer(@builtin(local_invocation_index) i: u32) {
  _ = workgroupUniformLoad(&tile[i]);
}
