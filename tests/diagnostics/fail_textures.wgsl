// lockstep check
var missing_binding: texture_2d<f32>;
@group(0) @binding(0) var no_template: texture_2d;
@group(0) @binding(1) var sampled_bool: texture_2d<bool>;
@group(0) @binding(2) var misspelt: texture_storage_2d<rgba8unrm, write>;
@group(0) @binding(3) var<storage> in_storage: sampler;
@group(0) @binding(4) var with_template: sampler<f32>;
@group(0) @binding(5) var initialised: texture_depth_2d = 4;
@group(0) @binding(6) var good: texture_external;
struct Material { albedo: sampler }
fn use_as_value() {
  let copy = good;
  var stored = good;
  _ = good;
  good = good;
  _ = sampler();
}
