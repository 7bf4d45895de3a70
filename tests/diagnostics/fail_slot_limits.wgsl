// lockstep check
@group(0) @binding(0) var<storage> b0: u32;
@group(0) @binding(1) var<storage> b1: u32;
@group(0) @binding(2) var<storage> b2: u32;
@group(0) @binding(3) var<storage> b3: u32;
@group(0) @binding(4) var<storage> b4: u32;
@group(0) @binding(5) var<storage> b5: u32;
@group(0) @binding(6) var<storage> b6: u32;
@group(0) @binding(7) var<storage> b7: u32;
@group(0) @binding(8) var<storage> b8: u32;
@compute @workgroup_size(1) fn main() { _ = b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8; }
