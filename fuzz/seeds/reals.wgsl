// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage> ints: array<i32>;
@group(0) @binding(1) var<storage> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn reals(@builtin(local_invocation_index) i: u32) {
  let x = floats[i];
  let y = floats[i + 1u];
  var r = acos(x) + acosh(y) + asin(x) + asinh(y) + atan(x) + atanh(x) + atan2(x, y) + cos(x) + cosh(y);
  r += degrees(x) + exp(x) + exp2(y) + log(y) + log2(x) + pow(abs(x), y) + radians(x) + sin(y) + sinh(x) + tan(y) + tanh(x);
  r += ceil(x) + floor(y) + fract(x) + round(y) + trunc(x) + saturate(y) + sign(x) + sqrt(abs(x)) + inverseSqrt(y);
  r += mix(x, y, 0.25) + smoothstep(0.0, x, y) + step(x, y) + fma(x, y, r) + clamp(x, 0.0, 1.0) + quantizeToF16(y);
  let f = frexp(x);
  let m = modf(vec2f(x, y));
  r += ldexp(f.fract, f.exp) + m.whole.x * m.fract.y;
  let v = vec3f(x, y, r);
  let u = normalize(v) + cross(v, v.zxy) + reflect(v, v.yzx) + refract(v, v.xxy, 0.5) + faceForward(v, v, v);
  r += distance(u, v) + length(u) + dot(u, v) + f32(all(u < v)) - (x % y) / max(x, min(y, r));
  out[i] = bitcast<u32>(r) ^ pack4x8snorm(u.xyzx) ^ pack4x8unorm(u.xyzx) ^ pack2x16float(u.xy) ^ pack2x16snorm(u.yz);
  out[i + 8] = u32(unpack4x8unorm(out[i]).x * 9.0) + u32(i32(unpack2x16float(out[i]).y)) + pack2x16unorm(u.xy);
}
