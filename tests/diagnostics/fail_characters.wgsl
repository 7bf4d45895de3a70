// lockstep check
const a = 1 § 2;
const __b = 1;
const c = "text";
