// lockstep check
fn p() { _ = textureStore; }
fn f() { textureBarrier(); }
fn g() -> f32 { return subgroupAdd(1.0); }
const h = 1h;
fn i(x: f16) { }
@fragment fn j() { _ = textureSample; }
fn k(@builtin(subgroup_size) size: u32) { }
var<workgroup> l: atomic<vec2u>;
