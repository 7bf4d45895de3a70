// lockstep check
@group(0) @binding(0) var<storage> a: i32;
@group(0) @binding(0) var<storage> b: i32;
var<private> large: array<i32, 20480>;
@compute fn no_size() { }
@compute @fragment @workgroup_size(1) fn two_stages() { }
@workgroup_size(1) fn no_stage() { }
@compute @workgroup_size(1u, 1i) fn mixed_sizes() { }
@compute @workgroup_size(0) fn no_invocations() { }
@compute @workgroup_size(1) fn result() -> i32 { return 1; }
@compute @workgroup_size(1) fn plain_input(i: u32) { }
@compute @workgroup_size(1) fn wrong_stage(@builtin(vertex_index) i: u32) { }
@compute @workgroup_size(1) fn wrong_type(@builtin(local_invocation_id) i: u32) { }
@compute @workgroup_size(1) fn twice(@builtin(num_workgroups) i: vec3u, @builtin(num_workgroups) j: vec3u) { }
@compute @workgroup_size(1) fn location(@location(0) i: u32) { }
@compute @workgroup_size(1) fn same_binding() { _ = a + b; }
@compute @workgroup_size(1) fn discards() { discard; }
@compute @workgroup_size(1) fn private_bytes() { large[0] = 1; }
fn caller() { no_size(); }
