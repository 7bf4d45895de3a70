// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Commands that only move bytes.
#pragma once

#include <cstdint>

#include "gpu/hal/device.h"

namespace lockstep::gpu::cpu {

void Perform(const hal::CopyBuffer& copy);
void Perform(const hal::ClearBuffer& clear);
void Perform(const hal::CopyBufferToTexture& copy);
void Perform(const hal::CopyTextureToBuffer& copy);
void Perform(const hal::CopyTextureToTexture& copy);
void Perform(const hal::WriteTexture& write);
void Perform(const hal::WriteTimestamp& write, uint64_t now);
void Perform(const hal::ResolveQueries& resolve);

}  // namespace lockstep::gpu::cpu
