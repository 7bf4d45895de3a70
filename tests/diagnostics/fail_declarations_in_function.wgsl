// lockstep check
fn f() {
  struct S { a: i32 }
  alias T = i32;
  override n = 4;
}
let x = 1;
const y: i32;
fn g() { let z: i32; const w; }
