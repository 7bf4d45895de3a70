// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WebGPU's enumerations under their names here.
#pragma once

#include "gpu/hal/enums.h"
#include "gpu/hal/texture_format.h"

namespace lockstep::gpu::core {

using hal::EnumName;
using hal::FindEnum;
using hal::TextureFormat;
#define ENUM(Name) using hal::Name;
#define VALUE(enumerator, string)
#define END(Name)
#include "gpu/hal/enums.def"
#define ENUM(Name) using hal::Name;
#define VALUE(enumerator, string)
#define END(Name)
#include "abi/render_enums.def"
using hal::VertexFormat;

}  // namespace lockstep::gpu::core
