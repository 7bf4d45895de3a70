// lockstep check
var<workgroup> small: array<vec4f, 16>;
var<workgroup> large: array<vec4f, 1024>;
@compute @workgroup_size(1) fn main() { small[0] = large[0]; }
