// lockstep check
override given: u32 = 4;
override missing: i32;
override size = 1 / (given - 4);
@compute @workgroup_size(1) fn main() { _ = u32(missing) + given; }
