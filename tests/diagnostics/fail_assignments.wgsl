// lockstep check
struct R { tail: array<i32> }
@group(0) @binding(0) var<storage> input: array<i32>;
@group(0) @binding(1) var<storage, read_write> r: R;
fn f(a: i32) {
  let b = 1;
  var v = vec3f();
  var flag = true;
  input[0] = 1;
  a = 2;
  b = 2;
  r.tail = r.tail;
  v.xx = vec2f();
  v = 1;
  flag++;
  v += true;
}
