// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "lower/lower_test_util.h"

namespace lockstep::lower {
namespace {

TEST(LowerMemory, ZeroAndPrivateInitialisers) {
  CheckAll({
      {"var a: array<u32, 5>; var s: S; out[0] = a[4] + s.m[1].y + u32(s.f); out[1] = p; out[2] = q.y; "
       "out[3] = r[1];",
       {0, 7, 5, 9},
       {0},
       "struct S { f: bool, m: array<vec2u, 2> } var<private> p: u32 = 7; var<private> q = vec2u(4, 5); "
       "var<private> r = array<u32, 2>(8, 9);"},
      {"var big: array<u32, 100>; big[u(0)] = 3; out[0] = big[99] + big[5];", {3}, {99}},
      {"p += l; out[l] = p;", {1, 2, 3, 4}, {0}, "var<private> p: u32 = 1;", 4},
  });
}

TEST(LowerMemory, LargeAggregates) {
  CheckAll({
      {"var a: array<u32, 100>; for (var k = 0u; k < 100; k++) { a[k] = k; } var b = a; b[3] = 50; let c = "
       "b; "
       "b[4] = 60; out[0] = a[3]; out[1] = b[3]; out[2] = c[4]; out[3] = b[4]; out[4] = c[u(0)];",
       {3, 50, 4, 60, 99},
       {99}},
      {"let a = make(5); out[0] = a[u(0)]; out[1] = make(7)[u(0)]; out[2] = sum(a); out[3] = sum(make(1));",
       {25, 35, 5 * 4950, 4950},
       {5},
       "alias A = array<u32, 100>; fn make(f: u32) -> A { var a: A; for (var k = 0u; k < 100; k++) { a[k] = "
       "k * f; } "
       "return a; } fn sum(a: A) -> u32 { var s = 0u; for (var k = 0u; k < 100; k++) { s += a[k]; } return "
       "s; }"},
      // An argument is a copy.
      {"var a: array<u32, 100>; a[1] = 5; out[0] = both(a, &a); out[1] = a[1];",
       {5, 6},
       {0},
       "alias A = array<u32, 100>; fn both(v: A, p: ptr<function, A>) -> u32 { p[1] = 6; return v[1]; }"},
      {"var s = S(u(0), array<array<u32, 10>, 10>()); s.m[2][3] = 8; let t = S(9, s.m); s.m[2][3] = 1; "
       "out[0] = t.n; out[1] = t.m[2][3]; let row = t.m[2]; out[2] = row[3]; out[3] = s.m[u(1)][3];",
       {9, 8, 8, 1},
       {5, 2},
       "struct S { n: u32, m: array<array<u32, 10>, 10> }"},
      {"s = S(1, array<u32, 80>()); s.a[7] = 3; t = s; out[0] = t.n + t.a[7]; let z = S(); out[1] = "
       "z.a[u(0)];",
       {4, 0},
       {7},
       "struct S { n: u32, a: array<u32, 80> } var<private> s: S; var<private> t: S;"},
      {"var k = 0u; var a: array<u32, 70>; loop { let c = a; a[k] = k + 1; k++; continuing { out[0] += c[0]; "
       "break if k == 3; } } "
       "out[1] = a[2];",
       {2, 3}},
      {"tile[l] = l; let a = workgroupUniformLoad(&tile); tile[l] = 100; out[l] = a[3 - l];",
       {3, 2, 1, 0},
       {0},
       "var<workgroup> tile: array<u32, 70>;",
       4},
  });
}

TEST(LowerMemory, PointersAndReferences) {
  CheckAll({
      {"var a = array<vec3u, 2>(); let p = &a; let q = &p[1]; (*q).y = 5; q.z = 6; let r = &(*p)[0]; *r = "
       "vec3u(1); "
       "out[0] = a[1].y; out[1] = a[1].z; out[2] = a[0].x; out[3] = (&a[1]).y;",
       {5, 6, 1, 5}},
      {"let p = &out[u(0)]; *p = 3; *p += 1; let q = p; out[0] = *q;", {4, 4}, {1}},
      // An index is evaluated where the pointer is made.
      {"var k = 0u; var a = array<u32, 2>(7, 8); let p = &a[k]; k = 1; out[0] = *p;", {7}},
      {"put_in(&store, 2, 9); out[0] = store.data[2]; let p = &store.n; *p = 4; out[1] = store.n;",
       {9, 4},
       {0},
       "struct S { n: u32, data: array<u32, 4> } var<workgroup> store: S; "
       "fn put_in(s: ptr<workgroup, S>, k: u32, v: u32) { s.data[k] = v; }"},
      {"inc(&out); out[1] = len(&in);",
       {5, 3},
       {1, 2, 3},
       "fn inc(p: ptr<storage, array<u32>, read_write>) { p[0] += 5; } "
       "fn len(p: ptr<storage, array<u32>, read>) -> u32 { return arrayLength(p); }"},
  });
}

TEST(LowerMemory, Layouts) {
  const std::string types =
      "struct Inner { a: vec3f, b: f32, c: mat3x3f } "
      "struct Outer { n: u32, inner: Inner, list: array<vec3u, 2>, @align(32) @size(64) last: u32, tail: "
      "array<Pair> } "
      "struct Pair { x: u32, y: vec2u } "
      "@group(0) @binding(2) var<storage, read_write> o: Outer;";
  // n 0, inner 16 (a 16, b 28, c 32..80), list 80..112, last 128..192, tail 192 (stride 16)
  const tests::BuiltModule built =
      tests::BuildModule(types +
                         "@compute @workgroup_size(1) fn main() { o.n = 1; o.inner.a = vec3f(2); o.inner.b = "
                         "3; o.inner.c[2] = vec3f(4); "
                         "o.list[1] = vec3u(5, 6, 7); o.last = 8; o.tail[1].y = vec2u(9, "
                         "arrayLength(&o.tail)); o.tail[7].x = 55; "
                         "let copy = o.inner; o.tail[0].x = u32(copy.b + copy.c[2].y); }");
  ASSERT_EQ(built.error, "");
  Words expected(48 + 12, 0xeeeeeeee);
  std::map<tests::Slot, Words> buffers = {{{0, 2}, expected}};
  expected[0] = 1;
  for (const int k : {4, 5, 6}) expected[k] = Bits(2.0f);
  expected[7] = Bits(3.0f);
  for (const int k : {16, 17, 18}) expected[k] = Bits(4.0f);
  for (uint32_t k = 0; k < 3; ++k) expected[24 + k] = 5 + k;
  expected[32] = 8;
  expected[54] = 9;
  expected[55] = 3;
  expected[48] = 7;
  std::map<tests::Slot, Words> processed = buffers;
  EXPECT_EQ(tests::RunModule(*built.lowered, &buffers, {1, 1, 1}, {}), "");
  EXPECT_EQ((buffers[{0, 2}]), expected);
  interp::Options strict;
  strict.expect_robust = true;
  EXPECT_EQ(tests::RunModule(*built.processed, &processed, {1, 1, 1}, strict), "")
      << ir::Print(*built.processed);
  EXPECT_EQ((processed[{0, 2}]), expected) << ir::Print(*built.processed);
}

TEST(LowerMemory, RobustAccess) {
  CheckAll({
      {"var a = array<u32, 4>(1, 2, 3, 4); out[0] = a[u(0)]; a[u(0)] = 9; out[1] = a[3]; out[2] = a[u(1)];",
       {4, 4, 4},
       {4, 0xffffffff}},
      {"let a = array<u32, 4>(1, 2, 3, 4); out[0] = a[i(0)]; var v = vec3u(1, 2, 3); v[u(1)] = 7; out[1] = "
       "v[u(1)];",
       {4, 3},
       Ints({-1, 3})},
      {"out[0] = in[u(0)]; let p = &in[u(0)]; out[1] = *p; out[in[1]] = 77;", {5, 5}, {1000, 1000, 5}},
      {"out[0] = atomicAdd(&c[u(0)], 5); out[1] = atomicLoad(&c[1]); out[2] = atomicLoad(&c[u(0)]);",
       {0, 0, 0},
       {2},
       "var<workgroup> c: array<atomic<u32>, 2>;"},
      {"let r = atomicCompareExchangeWeak(&c[u(0)], 0, 5); out[0] = r.old_value; out[1] = u32(r.exchanged); "
       "out[2] = atomicLoad(&c[1]);",
       {0, 0, 0},
       {2},
       "var<workgroup> c: array<atomic<u32>, 2>;"},
      {"var m = mat2x2f(1, 2, 3, 4); put(0, m[u(0)][u(1)]); m[u(0)].x = 9; put(1, m[1].x);",
       Floats({4, 3}),
       {2, 2}},
  });
}

// What a pointer out of range reaches is decided where it is formed.
TEST(LowerMemory, RobustAccessThroughPointers) {
  const std::string set =
      "fn read_at(p: ptr<function, u32>) -> u32 { return *p; } fn write_at(p: ptr<function, u32>) { *p = 9; "
      "}";
  CheckAll({
      {"var a = array<u32, 4>(1, 2, 3, 4); out[0] = read_at(&a[u(0)]); write_at(&a[u(0)]); out[1] = a[3];",
       {4, 4},
       {7},
       set},
      {"var a = array<array<u32, 2>, 2>(); a[u(0)][1] = 5; let p = &a[u(0)]; p[1] = 6; out[0] = a[1][1]; "
       "out[1] = p[0];",
       {0, 0},
       {7}},
      {"let p = &s.list[u(0)]; p.n = 4; s.list[1].n = 3; out[0] = (*p).n; out[1] = s.list[u(0)].m[u(0)];",
       {3, 0},
       {7},
       "struct T { n: u32, m: array<u32, 2> } struct S { list: array<T, 2> } var<workgroup> s: S;"},
      {"out[0] = workgroupUniformLoad(&c[u(0)]);", {0}, {2}, "var<workgroup> c: array<u32, 2>;"},
  });
}

TEST(LowerMemory, BoolsMatricesAndStructsInWorkgroupMemory) {
  CheckAll({
      {"flags[l] = l == 1; workgroupBarrier(); out[l] = select(0u, l + 10, flags[1 - l]); "
       "if workgroupUniformLoad(&flags[1]) { out[2 + l] = 5; }",
       {10, 0, 5, 5},
       {0},
       "var<workgroup> flags: array<bool, 2>;",
       2},
      {"m[l] = vec3f(f32(l)); m[1].z = 8; let c = m; put(l, c[1].z + c[l].x); m = c * 2; put(2, m[1].z);",
       Floats({8, 9, 16}),
       {0},
       "var<private> m: mat2x3f;",
       2},
      {"s.b = true; s.v = vec2f(1, 2); let t = workgroupUniformLoad(&s); out[0] = u32(t.b); put(1, t.v.y);",
       {1, Bits(2.0f)},
       {0},
       "struct S { b: bool, v: vec2f } var<workgroup> s: S;"},
      {"t[l].m[1] = vec2f(f32(l), 3); let c = t[l]; put(l, c.m[1].x + c.m[1].y + c.m[0].x);",
       Floats({3, 4}),
       {0},
       "struct T { n: u32, m: mat2x2f } var<private> t: array<T, 2>;",
       2},
  });
}

TEST(LowerMemory, LinearIndexing) {
  const tests::BuiltModule built = tests::BuildModule(
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;"
      "@compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_index) g: u32, "
      "@builtin(workgroup_index) w: u32) {"
      "  out[g] = w + 1; }");
  ASSERT_EQ(built.error, "");
  std::map<tests::Slot, Words> buffers = {{{0, 0}, Words(16, 0)}};
  EXPECT_EQ(tests::RunModule(*built.processed, &buffers, {2, 1, 2}, {}), "");
  // Four invocations a row, two rows a layer.
  EXPECT_EQ((buffers[{0, 0}]), (Words{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
}

TEST(LowerMemory, Atomics) {
  const std::string c = "var<workgroup> c: atomic<u32>; var<workgroup> d: atomic<i32>;";
  CheckAll({
      {"atomicStore(&c, 5); out[0] = atomicAdd(&c, 3); out[1] = atomicSub(&c, 1); out[2] = atomicMax(&c, 9); "
       "out[3] = atomicMin(&c, 4); out[4] = atomicAnd(&c, 6); out[5] = atomicOr(&c, 3); out[6] = "
       "atomicXor(&c, 1); "
       "out[7] = atomicExchange(&c, 50); out[8] = atomicLoad(&c);",
       {5, 8, 7, 9, 4, 4, 7, 6, 50},
       {0},
       c},
      {"atomicStore(&d, -5); put_i(0, atomicMax(&d, -7)); put_i(1, atomicMin(&d, 3)); put_i(2, atomicAdd(&d, "
       "-2147483648)); "
       "put_i(3, atomicLoad(&d));",
       Ints({-5, -5, -5, 2147483643}),
       {0},
       c},
      {"let r = atomicCompareExchangeWeak(&c, 0, u(0)); out[0] = r.old_value; out[1] = u32(r.exchanged); "
       "let s = atomicCompareExchangeWeak(&c, 0, 9); out[2] = s.old_value; out[3] = u32(s.exchanged);",
       {0, 1, 7, 0},
       {7},
       c},
      {"let slot = atomicAdd(&c, 1); out[slot] = l + 1; workgroupBarrier(); if l == 0 { out[9] = "
       "atomicLoad(&c); }",
       {1, 2, 3, 4, 0, 0, 0, 0, 0, 4},
       {0},
       c,
       4},
      {"atomicAdd(&s.list[l % 2].n, l); workgroupBarrier(); out[l] = atomicLoad(&s.list[l].n);",
       {2, 4},
       {0},
       "struct T { pad: u32, n: atomic<u32> } struct S { list: array<T, 4> } var<workgroup> s: S;",
       4},
      {"add(&c, l); workgroupBarrier(); out[l] = atomicLoad(&c);",
       {6, 6, 6, 6},
       {0},
       c + "fn add(p: ptr<workgroup, atomic<u32>>, v: u32) { atomicAdd(p, v); }",
       4},
  });
}

TEST(LowerMemory, BarriersAndWorkgroupMemory) {
  CheckAll({
      {"tile[l] = in[l]; workgroupBarrier(); out[l] = tile[3 - l];",
       {4, 3, 2, 1},
       {1, 2, 3, 4},
       "var<workgroup> tile: array<u32, 4>;",
       4},
      {"tile[l] = l; for (var s = 2u; s > 0; s /= 2) { workgroupBarrier(); if l < s { tile[l] += tile[l + "
       "s]; } } "
       "workgroupBarrier(); out[l] = tile[0];",
       {6, 6, 6, 6},
       {0},
       "var<workgroup> tile: array<u32, 4>;",
       4},
      {"if l == 2 { flag = 9; } let v = workgroupUniformLoad(&flag); flag = l; out[l] = v;",
       {9, 9, 9, 9},
       {0},
       "var<workgroup> flag: u32;",
       4},
      {"atomicAdd(&n, 1); let v = workgroupUniformLoad(&n); out[l] = v;",
       {4, 4, 4, 4},
       {0},
       "var<workgroup> n: atomic<u32>;",
       4},
      // In the middle of an expression, in a helper, and in a loop.
      {"out[l] = helper(l) + workgroupUniformLoad(&shared_n) * 10;",
       {20, 21, 22, 23},
       {0},
       "var<workgroup> shared_n: u32; fn helper(k: u32) -> u32 { if k == 0 { shared_n = 2; } "
       "workgroupBarrier(); return k; }",
       4},
      {"for (var k = 0u; k < 3; k++) { if l == k { tile = k; } workgroupBarrier(); out[l] += tile; "
       "workgroupBarrier(); }",
       {3, 3, 3, 3},
       {0},
       "var<workgroup> tile: u32;",
       4},
      // Each workgroup begins with zeros.
      {"atomicAdd(&n, 1); workgroupBarrier(); out[g.x] = atomicLoad(&n);",
       {2, 2, 2, 2},
       {0},
       "var<workgroup> n: atomic<u32>;",
       2,
       2},
      {"out[g.x] = w.x * 10 + l; storageBarrier(); out[8 + g.x] = out[w.x * 2 + (1 - l)];",
       {0, 1, 10, 11, 0, 0, 0, 0, 1, 0, 11, 10},
       {0},
       "",
       2,
       2},
  });
}

TEST(LowerMemory, EntryInputs) {
  const tests::BuiltModule built = tests::BuildModule(
      "struct In { @builtin(global_invocation_id) g: vec3u, @builtin(num_workgroups) n: vec3u }"
      "@group(0) @binding(0) var<storage, read_write> out: array<vec4u>;"
      "@compute @workgroup_size(2, 2) fn main(in: In, @builtin(workgroup_id) w: vec3u, "
      "  @builtin(local_invocation_id) l: vec3u, @builtin(local_invocation_index) i: u32) {"
      "  out[in.g.x + in.g.y * 4 + in.g.z * 16] = vec4u(in.n.x * 100 + in.n.y * 10 + in.n.z, w.x * 100 + w.y "
      "* 10 + w.z,"
      "    l.x * 10 + l.y, i); }");
  ASSERT_EQ(built.error, "");
  std::map<tests::Slot, Words> buffers = {{{0, 0}, Words(32 * 4, 0)}};
  EXPECT_EQ(tests::RunModule(*built.lowered, &buffers, {2, 2, 2}, {}), "");
  const Words& out = buffers[{0, 0}];
  const uint32_t at = 4 * (3 + 2 * 4 + 1 * 16);  // global (3, 2, 1): workgroup (1, 1, 1), local (1, 0)
  EXPECT_EQ(out[at], 222u);
  EXPECT_EQ(out[at + 1], 111u);
  EXPECT_EQ(out[at + 2], 10u);
  EXPECT_EQ(out[at + 3], 1u);
}

TEST(LowerMemory, OnlyWhatTheEntryUses) {
  const tests::BuiltModule built = tests::BuildModule(
      "@group(0) @binding(3) var<storage, read_write> b: u32; var<private> unused: u32;"
      "@group(0) @binding(1) var<storage, read> a: u32; @group(0) @binding(0) var<uniform> c: u32;"
      "fn helper() { b = a; } fn dead() { unused = c; }"
      "@compute @workgroup_size(1) fn main() { helper(); }");
  ASSERT_EQ(built.error, "");
  ASSERT_EQ(built.lowered->variables.size(), 2u);
  EXPECT_EQ(built.lowered->variables[ir::VariableId(0)].name, "b");
  EXPECT_EQ(built.lowered->variables[ir::VariableId(1)].name, "a");
  EXPECT_EQ(built.lowered->functions.size(), 2u);
}

TEST(LowerMemory, OverrideSizes) {
  const std::string text =
      "override n = 4u; override x: u32; var<workgroup> tile: array<u32, n * 2>;"
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;"
      "@compute @workgroup_size(x, 2) fn main(@builtin(local_invocation_index) l: u32) {"
      "  tile[l] = l; workgroupBarrier(); if l == 0 { out[0] = tile[l + 100]; out[1] = n; } }";
  const tests::BuiltModule built = tests::BuildModule(text, "", {{"x", 5}, {"n", 5}});
  ASSERT_EQ(built.error, "");
  std::map<tests::Slot, Words> buffers = {{{0, 0}, Words(2, 0)}};
  EXPECT_EQ(tests::RunModule(*built.lowered, &buffers, {1, 1, 1}, {}), "");
  EXPECT_EQ((buffers[{0, 0}]), (Words{9, 5}));
}

}  // namespace
}  // namespace lockstep::lower
