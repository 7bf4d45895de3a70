// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "lower/lower_test_util.h"

namespace lockstep::lower {
namespace {

constexpr int32_t kMin = INT32_MIN;

// One expression of u(0), u(1) ..., as u32.
void CheckUint(const std::string& expression, Words in, uint32_t expected) {
  Check({.body = "out[0] = " + expression + ";", .expected = {expected}, .in = std::move(in)});
}
void CheckInt(const std::string& expression, std::initializer_list<int32_t> in, int32_t expected) {
  Check({.body = "put_i(0, " + expression + ");", .expected = Ints({expected}), .in = Ints(in)});
}
void CheckFloat(const std::string& expression, std::initializer_list<float> in, float expected) {
  Check({.body = "put(0, " + expression + ");", .expected = Floats({expected}), .in = Floats(in)});
}

TEST(LowerOperators, Unsigned) {
  CheckUint("u(0) + u(1)", {0xffffffff, 2}, 1);
  CheckUint("u(0) - u(1)", {1, 2}, 0xffffffff);
  CheckUint("u(0) * u(1)", {0x10001, 0x10001}, 0x20001);
  CheckUint("u(0) / u(1)", {7, 2}, 3);
  CheckUint("u(0) / u(1)", {7, 0}, 7);
  CheckUint("u(0) % u(1)", {7, 4}, 3);
  CheckUint("u(0) % u(1)", {7, 0}, 0);
  CheckUint("u(0) & u(1)", {0b1100, 0b1010}, 0b1000);
  CheckUint("u(0) | u(1)", {0b1100, 0b1010}, 0b1110);
  CheckUint("u(0) ^ u(1)", {0b1100, 0b1010}, 0b0110);
  CheckUint("~u(0)", {0x0f0f0f0f}, 0xf0f0f0f0);
  CheckUint("u(0) << u(1)", {1, 31}, 0x80000000);
  CheckUint("u(0) << u(1)", {3, 33}, 6);
  CheckUint("u(0) >> u(1)", {0x80000000, 31}, 1);
  CheckInt("1 << u32(i(0))", {4}, 16);
  CheckUint("u32(u(0) < u(1))", {1, 0xffffffff}, 1);
  CheckUint("u32(u(0) >= u(1))", {1, 0xffffffff}, 0);
}

TEST(LowerOperators, Signed) {
  CheckInt("i(0) + i(1)", {INT32_MAX, 1}, kMin);
  CheckInt("i(0) * i(1)", {kMin, -1}, kMin);
  CheckInt("i(0) / i(1)", {-7, 2}, -3);
  CheckInt("i(0) / i(1)", {-7, 0}, -7);
  CheckInt("i(0) / i(1)", {kMin, -1}, kMin);
  CheckInt("i(0) % i(1)", {-7, 4}, -3);
  CheckInt("i(0) % i(1)", {-7, 0}, 0);
  CheckInt("i(0) % i(1)", {kMin, -1}, 0);
  CheckInt("-i(0)", {kMin}, kMin);
  CheckInt("-i(0)", {5}, -5);
  CheckInt("i(0) >> u(1)", {-8, 1}, -4);
  CheckInt("i(0) >> u(1)", {-8, 32}, -8);
  CheckInt("i(0) << u(1)", {-1, 4}, -16);
  CheckInt("i32(i(0) < i(1))", {-1, 1}, 1);
  CheckInt("select(10, 20, i(0) <= i(1))", {-1, -1}, 20);
  CheckInt("~i(0)", {0}, -1);
}

TEST(LowerOperators, Floats) {
  CheckFloat("f(0) + f(1)", {0.1f, 0.2f}, 0.1f + 0.2f);
  CheckFloat("f(0) - f(1)", {0.1f, 0.2f}, 0.1f - 0.2f);
  CheckFloat("f(0) * f(1)", {0.1f, 0.2f}, 0.1f * 0.2f);
  CheckFloat("f(0) / f(1)", {1, 3}, 1.0f / 3.0f);
  CheckFloat("f(0) % f(1)", {-5.5, 2}, -1.5);
  CheckFloat("f(0) % f(1)", {5.5, -2}, 1.5);
  CheckFloat("-f(0)", {0}, -0.0f);
  CheckFloat("f32(f(0) < f(1))", {1, 2}, 1);
  CheckFloat("f32(f(0) == f(0))", {NAN}, 0);
  CheckFloat("f32(f(0) != f(0))", {NAN}, 1);
  CheckFloat("f32(!(f(0) >= f(1)))", {NAN, 1}, 1);
}

TEST(LowerOperators, VectorsAndScalars) {
  CheckAll({
      {"let v = vec3f(f(0), f(1), f(2)) * 2; put(0, v.x); put(1, v.y); put(2, v.z);", Floats({2, 4, 6}),
       Floats({1, 2, 3})},
      {"let v = f(0) - vec3f(1, 2, 3); put(0, v.x); put(1, v.y); put(2, v.z);", Floats({9, 8, 7}),
       Floats({10})},
      {"var d = vec2i(0, -1); let v = vec2i(i(0), i(1)) / d; put_i(0, v.x); put_i(1, v.y);", Ints({-4, kMin}),
       Ints({-4, kMin})},
      {"var d = vec4u(0, 1, 2, 35); let v = vec4u(u(0)) << d; out[0] = v.x; out[1] = v.y; out[2] = v.z; "
       "out[3] = v.w;",
       {3, 6, 12, 24},
       {3}},
      {"let v = vec2f(f(0), f(1)) < vec2f(2); out[0] = u32(v.x); out[1] = u32(v.y); out[2] = u32(all(v)); "
       "out[3] = u32(any(v));",
       {1, 0, 0, 1},
       Floats({1, 3})},
      {"let v = vec2<bool>(u(0) == 1, u(1) == 1) & vec2<bool>(true, true); out[0] = u32(v.x); out[1] = "
       "u32(v.y);",
       {1, 0},
       {1, 0}},
      {"let v = !vec2<bool>(u(0) == 1, u(1) == 1); out[0] = u32(v.x); out[1] = u32(v.y);", {0, 1}, {1, 0}},
      {"out[0] = u32((u(0) == 1) | (u(1) == 1)); out[1] = u32((u(0) == 1) & (u(1) == 1)); "
       "out[2] = u32((u(0) == 1) != (u(1) == 1));",
       {1, 0, 1},
       {1, 0}},
      {"var v = vec3f(f(0)); v %= vec3f(2, 3, 4); put(0, v.x); put(1, v.y); put(2, v.z);", Floats({1, 1, 3}),
       Floats({7})},
  });
}

TEST(LowerOperators, Swizzles) {
  CheckAll({
      {"let v = vec4u(u(0), u(1), u(2), u(3)); let s = v.wzyx; out[0] = s.x; out[1] = s.y; out[2] = s.z; "
       "out[3] = s.w;",
       {4, 3, 2, 1},
       {1, 2, 3, 4}},
      {"let v = vec2u(u(0), u(1)); let s = v.rggr; out[0] = s.r; out[1] = s.g; out[2] = s.b; out[3] = s.a;",
       {1, 2, 2, 1},
       {1, 2}},
      {"var v = vec4u(1, 2, 3, 4); let s = v.yw; out[0] = s.x; out[1] = s.y; out[2] = v.zyx.x;", {2, 4, 3}},
      {"var v = vec3u(1, 2, 3); let p = &v; out[0] = p.z; let s = p.zx; out[1] = s.y; out[2] = (*p)[u(0)];",
       {3, 1, 2},
       {1}},
      {"let v = vec3u(1, 2, 3); out[0] = v[u(0)]; out[1] = v[u(1)];", {2, 3}, {1, 2}},
      {"let v = vec3i(1, 2, 3); put_i(0, v[i(0)]);", Ints({3}), Ints({2})},
  });
}

TEST(LowerOperators, SwizzleAssignment) {
  CheckAll({
      {"var v = vec4u(1, 2, 3, 4); v.xz = vec2u(u(0), u(1)); out[0] = v.x; out[1] = v.y; out[2] = v.z; "
       "out[3] = v.w;",
       {10, 2, 20, 4},
       {10, 20}},
      {"var v = vec3u(1, 2, 3); v.zyx = v; out[0] = v.x; out[1] = v.y; out[2] = v.z;", {3, 2, 1}},
      {"var v = vec3u(1, 2, 3); v.yx += vec2u(u(0), 20); out[0] = v.x; out[1] = v.y; out[2] = v.z;",
       {21, 12, 3},
       {10}},
      {"var v = vec3u(1, 2, 3); let p = &v; p.yz *= 2u; out[0] = v.x; out[1] = v.y; out[2] = v.z;",
       {1, 4, 6}},
  });
}

TEST(LowerOperators, ShortCircuit) {
  const std::string note = "fn note(v: u32, r: bool) -> bool { out[v] = 1; return r; }";
  CheckAll({
      {"let r = note(1, u(0) == 1) && note(2, true); out[0] = u32(r);", {0, 1, 0}, {0}, note},
      {"let r = note(1, u(0) == 1) && note(2, true); out[0] = u32(r);", {1, 1, 1}, {1}, note},
      {"let r = note(1, u(0) == 1) || note(2, true); out[0] = u32(r);", {1, 1, 1}, {0}, note},
      {"let r = note(1, u(0) == 1) || note(2, true); out[0] = u32(r);", {1, 1, 0}, {1}, note},
      {"let r = u(0) == 1 && (u(1) == 1 || u(2) == 1) && !(u(3) == 1); out[0] = u32(r);", {1}, {1, 0, 1, 0}},
      // Both sides of & and | are evaluated.
      {"let r = note(1, u(0) == 1) & note(2, true); out[0] = u32(r);", {0, 1, 1}, {0}, note},
  });
}

TEST(LowerOperators, Conversions) {
  CheckAll({
      {"put_i(0, i32(f(0))); put_i(1, i32(f(1))); put_i(2, i32(f(2))); put_i(3, i32(f(3)));",
       Ints({-1, 2147483520, kMin, 0}), Floats({-1.9f, 3e9f, -3e9f, NAN})},
      {"out[0] = u32(f(0)); out[1] = u32(f(1)); out[2] = u32(f(2));",
       {0, 4294967040, 1},
       Floats({-1, 5e9f, 1.9f})},
      {"put(0, f32(u(0))); put(1, f32(i(0))); put(2, f32(u(0) == 1)); out[3] = u32(bool(f(1))); out[4] = "
       "u32(i(0));",
       {Bits(4294967296.0f), Bits(-1.0f), 0, 1, 0xffffffff},
       {0xffffffff, Bits(0.5f)}},
      {"let v = vec3f(vec3u(u(0), 2, 3)); put(0, v.x); put(1, v.z); let t = vec2i(vec2f(f(1), -2.5)); "
       "put_i(2, t.x); "
       "put_i(3, t.y);",
       {Bits(1.0f), Bits(3.0f), 7, Bits(-2)},
       {1, Bits(7.5f)}},
      {"out[0] = bitcast<u32>(f(0)); put(1, bitcast<f32>(u(0))); let v = bitcast<vec2u>(vec2f(f(0), 2)); "
       "out[2] = v.y;",
       {Bits(1.5f), Bits(1.5f), Bits(2.0f)},
       Floats({1.5f})},
  });
}

TEST(LowerOperators, Constructors) {
  CheckAll({
      {"let v = vec4u(vec2u(u(0), u(1)), 3, u(0)); out[0] = v.x; out[1] = v.y; out[2] = v.z; out[3] = v.w;",
       {7, 8, 3, 7},
       {7, 8}},
      {"let v = vec4u(1, vec3u(u(0))); out[0] = v.x; out[1] = v.y; out[2] = v.w;", {1, 7, 7}, {7}},
      {"let a = array(u(0), 2u, u(1)); out[0] = a[0]; out[1] = a[u(2)];", {7, 8}, {7, 8, 2}},
      {"let a = array<vec2u, 2>(vec2u(u(0)), vec2u(1, 2)); out[0] = a[u(1)].y; out[1] = a[0].x;",
       {2, 7},
       {7, 1}},
      {"let s = S(u(0), vec2f(1, f(1))); out[0] = s.a; put(1, s.b.y); let z = S(); out[2] = z.a;",
       {7, Bits(2.5f), 0},
       {7, Bits(2.5f)},
       "struct S { a: u32, b: vec2f }"},
      {"let m = mat2x3f(f(0), f(1), f(2), 4, 5, 6); put(0, m[0].z); put(1, m[1].x); put(2, m[u(3)][u(3)]);",
       Floats({3, 4, 5}),
       {Bits(1.0f), Bits(2.0f), Bits(3.0f), 1}},
      {"let m = mat2x2f(vec2f(f(0), 2), vec2f(3, 4)); let n = mat2x2f(m); put(0, n[0][0]); put(1, n[1][1]);",
       Floats({9, 4}), Floats({9})},
      {"let a = array<u32, 3>(); out[0] = a[u(0)] + 1;", {1}, {1}},
  });
}

TEST(LowerOperators, Matrices) {
  const std::string a = "let a = mat2x3f(f(0), 2, 3, 4, 5, 6);";    // 2 columns, 3 rows
  const std::string b = "let b = mat3x2f(7, 8, 9, 10, f(1), 12);";  // 3 columns, 2 rows
  const Words in = Floats({1, 11});
  CheckAll({
      {a + b + "let c = a * b; put(0, c[0].x); put(1, c[0].y); put(2, c[1].z); put(3, c[2].x);",
       Floats({39, 54, 87, 59}), in},
      {a + b + "let c = b * a; put(0, c[0].x); put(1, c[0].y); put(2, c[1].x); put(3, c[1].y);",
       Floats({58, 64, 139, 154}), in},
      {a + "let v = a * vec2f(f(1), 1); put(0, v.x); put(1, v.y); put(2, v.z);", Floats({15, 27, 39}), in},
      {a + "let v = vec3f(1, f(0), 2) * a; put(0, v.x); put(1, v.y);", Floats({9, 21}), in},
      {a + "let m = (a + a) * f(1) - a; put(0, m[0].x); put(1, m[1].z);", Floats({21, 126}), in},
      {a + "let m = 2 * a; put(0, m[1].y); let t = transpose(a); put(1, t[2].y); put(2, t[1].x);",
       Floats({10, 6, 2}), in},
      {"var m = mat2x2f(1, 2, 3, 4); m *= mat2x2f(f(0), 0, 0, 2); m[1].x += 1; m[u(2)] = vec2f(9); put(0, "
       "m[0].x); "
       "put(1, m[0].y); put(2, m[1].x); put(3, m[1].y);",
       Floats({9, 9, 7, 8}),
       {Bits(1.0f), Bits(11.0f), 0}},
  });
}

TEST(LowerOperators, ConstantsAndOverrides) {
  CheckAll({
      {"out[0] = n * 2; const k = 3; out[1] = u32(k) + u(0); out[2] = table[u(0)]; out[3] = big[u(0)];",
       {8, 4, 20, 6},
       {1},
       "override n: u32 = 4; const table = array(10u, 20u, 30u); const big = array<u32, 70>(5, 6, 7, " +
           [] {
             std::string zeros;
             for (int i = 3; i < 70; ++i) zeros += "0, ";
             return zeros;
           }() +
           ");"},
      {"out[0] = select(1u, 2u, flag); put(1, scale * f(0));",
       {2, Bits(3.0f)},
       Floats({2}),
       "override flag = true; override scale = 1.0 + 0.5;"},
      {"put_i(0, -2147483648); out[1] = 4294967295u; put(2, 1e-40);", {Bits(kMin), 0xffffffff, Bits(1e-40f)}},
  });
}

}  // namespace
}  // namespace lockstep::lower
