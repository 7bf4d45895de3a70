// lockstep check
struct Runtime { tail: array<i32>, count: u32 }
struct Bad { p: ptr<private, i32> }
struct Align { @align(3) a: i32, @align(2) b: i32 }
struct Size { @size(0) a: i32, @size(2) b: i32, @size(8) c: array<i32> }
struct Large { a: array<vec4f, 200000000>, b: array<vec4f, 200000000> }
