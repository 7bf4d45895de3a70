// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#if defined(__AVX2__)
#define LOCKSTEP_RASTER_ISA avx2
#include "raster/texture_kernels.h"
#endif
