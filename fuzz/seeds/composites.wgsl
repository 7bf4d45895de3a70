// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
@group(0) @binding(0) var<storage> ints: array<i32>;
@group(0) @binding(1) var<storage> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

struct Inner { m: mat3x2f, @align(16) n: vec3<i32>, last: u32 }
struct Outer { head: vec2u, @size(160) list: array<Inner, 3>, tail: array<array<f32, 2>, 2> }
@group(0) @binding(3) var<uniform> params: mat4x4f;
@group(0) @binding(4) var<storage, read_write> outers: array<Outer>;
var<private> state: Outer;
var<workgroup> tile: array<mat2x2f, 4>;
alias Pair = vec2<f32>;
const kTable = array(1, 2, 3, 5, 8);

fn change(p: ptr<function, Inner>, q: ptr<private, Outer>, i: u32) -> f32 {
  (*p).m[i][1] = 4.0;
  q.list[i].m = (*p).m * 2.0;
  q.list[i].n.zx = vec2i(3, i32(i));
  return p.m[1].x + determinant(mat2x2f(p.m[0], p.m[1]));
}

@compute @workgroup_size(2, 2)
fn composites(@builtin(local_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {
  var inner = Inner(mat3x2f(), vec3i(1), 7u);
  var copy = inner;
  let r = change(&inner, &state, l);
  tile[l] = mat2x2f(r, 1, 2, 3) * mat2x2f(params[0].xy, params[1].zw);
  workgroupBarrier();
  state.tail[id.x][id.y] += tile[l ^ 1u][id.x].y;
  outers[l].list[id.x] = state.list[id.y];
  outers[l] = state;
  let t = transpose(state.list[1].m);
  let column = params * vec4f(t[0], 1.0);
  copy.m = inner.m + copy.m;
  out[l] = u32(column.x + (vec4f(1.0) * params).w + f32(kTable[l]) + Pair(1, 2).y) + outers[0].list[2].last;
}
