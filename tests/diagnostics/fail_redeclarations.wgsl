// lockstep check
const a = 1;
fn a() { }
fn f(b: i32) { let b = 2; }
fn g(c: i32, c: i32) { }
struct S { m: i32, m: f32 }
