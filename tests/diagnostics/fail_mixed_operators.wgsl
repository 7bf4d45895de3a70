// lockstep check
const a = 1 + 2 << 3;
const b = true && false || true;
const c = 1 << 2 << 3;
const d = 1 < 2 < 3;
const e = 1 | 2 & 3;
