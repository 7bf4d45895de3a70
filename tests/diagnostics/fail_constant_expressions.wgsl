// lockstep check
const a: i32 = 2147483648;
const b = i32(1) + 2147483647;
const c = 1 / 0;
const d = 5u % 0u;
const e = 1u << 32;
const f = mat2x2f(1e30, 0, 0, 1e30) * mat2x2f(1e30, 0, 0, 1e30);
const g = vec2(1, 2)[2];
const h = u32(-1);
const i = 3e38f * 2;
