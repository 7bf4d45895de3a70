// lockstep check --overrides count=-1
override count: u32 = 1;
@compute @workgroup_size(count) fn main() { }
