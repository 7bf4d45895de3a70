// lockstep check
while true { }
