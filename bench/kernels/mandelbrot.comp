// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
// The GLSL twin of mandelbrot.wgsl, for Vulkan drivers without a WGSL compiler in front.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, set = 0, binding = 0) buffer Steps { uint steps[]; };

void main() {
  vec2 c = vec2(gl_GlobalInvocationID.xy) * (3.0 / 2048.0) - vec2(2.25, 1.5);
  vec2 z = vec2(0.0);
  uint n = 0u;
  while (n < 256u && z.x * z.x + z.y * z.y < 4.0) {
    z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
    n++;
  }
  steps[gl_GlobalInvocationID.y * 2048u + gl_GlobalInvocationID.x] = n;
}
