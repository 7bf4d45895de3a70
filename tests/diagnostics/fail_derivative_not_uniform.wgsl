// lockstep check
fn slope(x: f32) -> f32 { return fwidth(x); }
@fragment
fn main(@builtin(position) at: vec4f, @location(0) x: f32) -> @location(0) vec4f {
  var sum = dpdx(x);
  if at.x > 10 { sum += slope(x); }
  @diagnostic(warning, derivative_uniformity) if at.y > 10 { sum += dpdyFine(x); }
  @diagnostic(off, derivative_uniformity) if at.z > 10 { sum += dpdyCoarse(x); }
  return vec4f(sum);
}
