// lockstep check
@must_use fn two(a: i32, b: f32) -> i32 { return 1; }
fn pointer(p: ptr<function, i32>) { }
fn f(u: u32, v: vec3f) {
  var x = 1;
  two(1, 2);
  abs(u);
  _ = two(1);
  _ = two(1.5, 2);
  pointer(x);
  _ = max(u, 1.5);
  _ = dot(v, 1);
  _ = unknown(1);
  workgroupBarrier(1);
}
@compute @workgroup_size(1) fn entry() { }
fn g() { entry(); }
