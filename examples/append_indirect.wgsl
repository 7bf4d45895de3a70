// Finds numbers, appends them to a list, and lets the list's length decide how much the next dispatch does, without the host
// seeing it. `atomicAdd` on the counter hands out places; which number gets which place is free, hence `expect ... unordered`.
//
// values: 64 x u32 = iota
// found: 16 x u32
// arguments: 3 x u32 = [0, 1, 1]
// doubled: 16 x u32
// dispatch 4 entry find
// dispatch 1 entry plan
// dispatch indirect arguments entry double
// expect list: 16
// expect arguments: 1, 1, 1
// expect doubled unordered: 6, 14, 22, 30, 38, 46, 54, 62, 70, 78, 86, 94, 102, 110, 118, 126

struct List { length: atomic<u32> }

@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> list: List;
@group(0) @binding(2) var<storage, read_write> found: array<u32>;
@group(0) @binding(3) var<storage, read_write> arguments: array<u32>;
@group(0) @binding(4) var<storage, read_write> doubled: array<u32>;

@compute @workgroup_size(16)
fn find(@builtin(global_invocation_id) global: vec3u) {
  if global.x >= arrayLength(&values) {
    return;
  }
  let value = values[global.x];
  if value % 4u == 3u {
    found[atomicAdd(&list.length, 1u)] = value;
  }
}

@compute @workgroup_size(1)
fn plan() {
  arguments[0] = (atomicLoad(&list.length) + 63u) / 64u;
}

@compute @workgroup_size(64)
fn double(@builtin(global_invocation_id) global: vec3u) {
  if global.x < atomicLoad(&list.length) {
    doubled[global.x] = 2u * found[global.x];
  }
}
