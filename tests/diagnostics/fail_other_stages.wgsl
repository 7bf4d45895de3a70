// lockstep check
override corners: u32 = 0;
@group(4) @binding(0) var<uniform> color: vec4f;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i / (1 / corners))); }
@fragment fn fs() -> @location(0) vec4f { return color; }
