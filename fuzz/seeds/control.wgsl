// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage> ints: array<i32>;
@group(0) @binding(1) var<storage> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

fn early(a: i32, n: u32) -> i32 {
  if a < 0 { return -1; }
  for (var i = 0u; i < n; i++) {
    if ints[i] == a { return i32(i); }
    if i > 40u { break; }
  }
  return 40;
}

fn nested(x: u32) -> u32 {
  var r = x;
  loop {
    r += 3u;
    if r % 5u == 0u { continue; }
    switch r & 7u {
      case 0u, 1u: { r++; }
      case 2u { break; }
      default: { while r % 11u != 0u { r -= 1u; if r == 50u { return r; } } }
      case 6u: { r *= 2u; }
    }
    continuing {
      r += u32(early(i32(r), 4u));
      break if r > 100u;
    }
  }
  return r;
}

@compute @workgroup_size(16)
fn control(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u) {
  var s = 0u;
  { let s = 3u; out[s + i] = s; }
  if i < 3u || (ints[i] > 7 && floats[i] != 0.0) { s = nested(i); } else if i == 9u { s = 4u; } else { s += w.x * n.x; }
  var k = 5;
  while k > 0 { k -= 2; if k == 1 { continue; } s += u32(k); }
  for (;;) { if s > 10u { break; } s += 1u; }
  _ = early(k, s);
  out[i] = s + u32(k == -1);
}
