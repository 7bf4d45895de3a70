// lockstep check
enable clip_distances, dual_source_blending;
var<workgroup> tile: array<f32, 4>;
struct TwoLocations { @location(0) a: f32, @location(0) b: f32 }
struct OneSource { @location(0) @blend_src(0) a: vec4f }
struct TwoTypes { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec3f }
struct BlendRange { @location(0) @blend_src(2) a: vec4f }
struct Sources { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
struct Distances { @builtin(position) p: vec4f, @builtin(clip_distances) d: array<f32, 9> }
struct Plain { @location(0) a: f32, b: f32 }
@vertex fn no_position(@location(0) a: vec4f) -> @location(0) vec4f { return a; }
@vertex fn distances() -> Distances { return Distances(); }
@vertex fn wrong_direction(@builtin(position) a: vec4f) -> @builtin(position) vec4f { return a; }
@fragment fn not_flat(@location(0) a: vec2u) { }
@fragment fn location_type(@location(0) a: mat2x2f) { }
@fragment fn interpolation(@location(0) @interpolate(bilinear) a: f32) { }
@fragment fn sampling(@location(0) @interpolate(flat, centroid) a: f32) { }
@fragment fn same_location(@location(1) a: f32, @location(1) b: f32) { }
@fragment fn no_attribute() -> Plain { return Plain(); }
@fragment fn blended_inputs(s: Sources) { }
@fragment fn workgroup_memory() { _ = tile[0]; }
@fragment fn barrier() { storageBarrier(); }
fn slope(x: f32) -> f32 { return dpdx(x); }
@vertex fn derivative() -> @builtin(position) vec4f { return vec4f(slope(1)); }
