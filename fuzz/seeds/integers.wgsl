// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage> ints: array<i32>;
@group(0) @binding(1) var<storage> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(4)
fn integers(@builtin(global_invocation_id) id: vec3u) {
  let a = ints[id.x];
  let b = bitcast<u32>(ints[id.x + 1]);
  var r = u32(abs(a)) + countLeadingZeros(b) + countOneBits(b) * countTrailingZeros(b);
  r ^= extractBits(b, r, 7u) | insertBits(b, r, 3u, b);
  r += u32(extractBits(a, b, 5u)) + u32(firstLeadingBit(a)) + firstTrailingBit(b) + reverseBits(b);
  r -= u32(clamp(a, -5, 77)) * max(b, 9u) / min(b, r) % b;
  r = (r << (b & 31u)) >> 3u;
  let v = vec4i(a, a * 3, a / 2, a % 7);
  let w = select(v, -v, v < vec4i(2));
  r += u32(dot(v, w.wzyx)) + dot4U8Packed(b, r) + u32(dot4I8Packed(b, r));
  r += pack4xI8(v) ^ pack4xU8Clamp(vec4u(w)) ^ pack4xI8Clamp(w) ^ pack4xU8(vec4u(v));
  r += unpack4xU8(r).y + u32(unpack4xI8(r).z) + u32(any(v == w)) + u32(all(v != w)) + u32(sign(a));
  out[id.x] = ~r;
}
