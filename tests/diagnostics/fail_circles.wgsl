// lockstep check
const a = b;
const b = c;
const c = a;
fn f() { g(); }
fn g() { f(); }
struct S { next: S }
