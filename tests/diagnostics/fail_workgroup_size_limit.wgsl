// lockstep check
@compute @workgroup_size(512) fn axis() { }
@compute @workgroup_size(16, 16, 2) fn invocations() { }
