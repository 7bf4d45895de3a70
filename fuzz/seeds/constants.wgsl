// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0

requires unrestricted_pointer_parameters, packed_4x8_integer_dot_product;
diagnostic(off, derivative_uniformity);
const a = ((1 + 2 * 3 - 4 / 5 % 6) << 2) >> 1u;
const b: vec3<f32> = vec3(1, 2.0, 3f) * mat3x3(1, 0, 0, 0, 1, 0, 0, 0, 1);
const c = array<i32, a - 1>(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
const_assert c[2] == 3 && b.x < 2.0;
alias é = array<vec2<u32>, 0x10>;
@must_use fn helper(p: ptr<storage, é, read_write>, x: f32) -> u32 { return p[u32(x)].y; }
@group(0) @binding(0) var<storage, read_write> data: é;
/* a /* nested */ comment */
@compute @workgroup_size(a, 1i, 1) @diagnostic(warning, derivative_uniformity) fn constants() { data[1] = vec2(helper(&data, 1e2), bitcast<u32>(0x1.8p3f)); }
