// lockstep check
const a = 1; // ÿþ
const b = ;
