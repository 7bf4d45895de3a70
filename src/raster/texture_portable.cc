// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#define LOCKSTEP_RASTER_ISA portable
#include "raster/texture_kernels.h"
