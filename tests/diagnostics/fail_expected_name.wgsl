// lockstep check
const = 1;
struct { a: i32 }
