// lockstep check
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var shadows: texture_depth_2d_array;
@group(0) @binding(2) var canvas: texture_storage_2d<rgba8unorm, write>;
fn at(source: texture_2d<f32>, place: vec2u) -> vec4f { return textureLoad(source, place, 0); }
@compute @workgroup_size(1) fn entry(source: texture_2d<f32>) {}
fn wrong() {
  let between = textureLoad(image, vec2(0.5, 0.5), 0);
  let layer = textureLoad(shadows, vec2(0, 0), 0);
  let samples = textureNumSamples(image);
  let level = textureDimensions(canvas, 0);
  textureLoad(image, vec2(0, 0), 0);
  let other = at(shadows, vec2u());
  let address = at(&image, vec2u());
}
