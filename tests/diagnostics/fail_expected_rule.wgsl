// lockstep check
diagnostic(off, 1);
