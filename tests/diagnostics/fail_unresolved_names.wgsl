// lockstep check
const pi = 3;
const a = rate;
const b = pie;
fn f(count: u32) -> u32 { return coumt; }
fn g() { undeclared(1); }
