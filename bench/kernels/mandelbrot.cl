// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
// The OpenCL twin of mandelbrot.wgsl.
__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void run(__global uint* steps) {
  const uint x = get_global_id(0), y = get_global_id(1);
  const float cx = (float)x * (3.0f / 2048.0f) - 2.25f, cy = (float)y * (3.0f / 2048.0f) - 1.5f;
  float zx = 0, zy = 0;
  uint n = 0;
  while (n < 256 && zx * zx + zy * zy < 4.0f) {
    const float next = zx * zx - zy * zy + cx;
    zy = 2.0f * zx * zy + cy;
    zx = next;
    n++;
  }
  steps[y * 2048 + x] = n;
}
