// lockstep check
fn f() { } }
fn g() { }
