// lockstep check
@wokgroup_size(1) @compute fn a() { }
@const fn b() { }
@binding(0) fn c() { }
@compute @workgroup_size(1, 2, 3, 4) fn d() { }
@must_use @must_use fn e() -> i32 { return 1; }
@group(0) @group(0) @binding(0) var<storage> f: i32;
@group(1.5) @binding(-1) var<storage> g: i32;
struct S { @interpolate(flat) h: i32, @builtin(position) @location(0) i: vec4f, @invariant @location(1) j: vec4f, @builtin(positio) k: vec4f }
@must_use fn l() { }
fn m(@builtin(vertex_index) n: u32) { }
@diagnostic(off, derivative_uniformity) @diagnostic(error, derivative_uniformity) fn o() { }
@diagnostic(off, 1) fn p() { }
struct Blend { @location(0) @blend_src(0) a: vec4f }
