// lockstep check
struct S { a: i32, b: vec2f }
fn f(u: u32) {
  _ = vec3f(1, 2);
  _ = vec2(1u, 2i);
  _ = S(1);
  _ = array<i32, 3>(1, 2);
  _ = array<i32, 2>(1, 2.5);
  _ = array(1u, 2i);
  _ = atomic<i32>(1);
  _ = bool(vec2f());
  _ = i32(1, 2);
}
