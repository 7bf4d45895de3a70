// lockstep check
const a = 1;
/* never closed
const b = 2;
