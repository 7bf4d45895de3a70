// lockstep check
struct R { tail: array<i32> }
fn a(p: R) { }
fn b() -> ptr<private, i32> { }
fn c() -> i32 { }
fn d(x: i32) -> i32 { if x > 0 { return 1; } }
fn e() { loop { } }
fn f() { loop { continuing { } } }
fn g() -> i32 { return; }
fn h() { return 1; }
fn i() -> i32 { return 1.5; }
fn j() { var large: array<i32, 20480>; }
