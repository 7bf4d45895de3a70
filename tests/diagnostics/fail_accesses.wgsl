// lockstep check
struct S { count: u32 }
fn f(s: S, v: vec3f, u: u32, a: array<i32, 4>) {
  let b = u[0];
  let c = v[1.5];
  let d = a[4];
  let e = a[-1];
  let g = s.cuont;
  let h = u.x;
  let i = v.q;
  let j = v.xr;
  let k = v.xw;
}
@group(0) @binding(0) var<storage> tail: array<u32>;
fn g() -> u32 { return tail[-1]; }
