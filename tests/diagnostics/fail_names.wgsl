// lockstep check
const loop = 1;
const macro = 2;
const _ = 3;
fn f() { let return = 4; }
