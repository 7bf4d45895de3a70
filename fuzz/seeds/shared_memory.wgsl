// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage> ints: array<i32>;
@group(0) @binding(1) var<storage> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

struct Counters { total: atomic<u32>, least: atomic<i32>, each: array<atomic<u32>, 8> }
@group(1) @binding(0) var<storage, read_write> counters: Counters;
var<workgroup> local: array<atomic<u32>, 16>;
var<workgroup> flag: u32;
var<workgroup> parts: array<vec4f, 32>;
override kRounds: u32 = 3;
@id(7) override kScale = 2.5f;
override kWide = kRounds * 8 > 20;

@compute @workgroup_size(32, 1, 1)
fn shared_memory(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) g: vec3<u32>) {
  let old = atomicAdd(&local[i % 16], g.x) + atomicSub(&counters.total, 1u);
  atomicMax(&counters.least, i32(old)); atomicMin(&counters.least, ints[i]);
  atomicAnd(&local[0], 0xffu); atomicOr(&local[1], old); atomicXor(&counters.each[i & 7], 1u);
  workgroupBarrier();
  if i == 0 { flag = atomicExchange(&local[2], 77u); atomicStore(&local[3], 1u); }
  let seen = workgroupUniformLoad(&flag);
  for (var r = 0u; r < kRounds; r++) {
    parts[i] = vec4f(f32(seen) * kScale);
    workgroupBarrier();
    let before = parts[(i + 31u) % 32u];
    workgroupBarrier();
    parts[i] += before;
    storageBarrier();
  }
  loop {
    let was = atomicLoad(&counters.total);
    let now = atomicCompareExchangeWeak(&counters.total, was, was + u32(parts[i].x));
    if now.exchanged || kWide { break; }
  }
  out[g.x] = arrayLength(&out) + u32(parts[i].y) + atomicLoad(&local[i % 16]);
}
