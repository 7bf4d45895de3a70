// lockstep check --overrides count=4
override count: u32;
override scale: f32 = f32(count) / f32(count - 4);
override index = 8;
var<workgroup> tile: array<u32, count>;
@compute @workgroup_size(count) fn main() { tile[index] = u32(scale); }
