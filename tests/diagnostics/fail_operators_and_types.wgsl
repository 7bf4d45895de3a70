// lockstep check
var<workgroup> flag: atomic<u32>;
fn nothing() { }
fn f(v: vec3f, u: u32, i: i32, b: bool, m: mat2x2f) {
  let a = nothing();
  let c = flag;
  if u { }
  let d = !u;
  let e = -u;
  let g = u + i;
  let h = v * m;
  let j = b && u;
  let k = *u;
  let l = &1;
  var w = v;
  let n = &w.x;
}
