// lockstep check
const a = 1
const b = 2;
fn f(a: i32 b: i32) {}
