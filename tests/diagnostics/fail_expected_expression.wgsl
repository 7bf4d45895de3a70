// lockstep check
const a = ;
fn f() { let b = 1 + ; }
