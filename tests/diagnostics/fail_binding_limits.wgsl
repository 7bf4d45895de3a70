// lockstep check
@group(4) @binding(0) var<storage> a: u32;
@group(0) @binding(1000) var<storage> b: u32;
@compute @workgroup_size(1) fn main() { _ = a + b; }
