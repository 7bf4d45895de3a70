// lockstep check
const a = 1;
enable f16;
requires linear_indexing;
