// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands of an encoder that copy textures.
#include <fmt/format.h>

#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

// WebGPU: #abstract-opdef-validating-gputexelcopybufferinfo, and the usage.
Complaint CheckBuffer(const Device& device, const TexelCopyBufferInfo& info, uint32_t usage) {
  if (Complaint complaint = CheckUsable("buffer", info.buffer, device)) return complaint;
  if (!info.buffer->Has(usage)) {
    return fmt::format("{} lacks the usage {} (it has {})", Named("buffer", *info.buffer),
                       BufferUsageNames(usage), BufferUsageNames(info.buffer->usage()));
  }
  if (info.bytes_per_row && *info.bytes_per_row % 256 != 0)
    return fmt::format("bytesPerRow {} is not a multiple of 256", *info.bytes_per_row);
  return std::nullopt;
}

// Of a copy between a buffer and a texture.
Complaint Check(const Device& device, const TexelCopyBufferInfo& buffer, uint32_t buffer_usage,
                const TexelCopyTextureInfo& texture, uint32_t texture_usage, const Extent3D& size) {
  if (Complaint complaint = CheckBuffer(device, buffer, buffer_usage)) return complaint;
  if (Complaint complaint = CheckTexelCopyTexture(device, texture, size, texture_usage)) return complaint;
  return CheckTexelCopyLayout(texture, buffer, {Named("buffer", *buffer.buffer), buffer.buffer->size(), true},
                              size, texture_usage);
}

Complaint Check(const Device& device, const TexelCopyTextureInfo& source,
                const TexelCopyTextureInfo& destination, const Extent3D& size) {
  if (Complaint complaint = CheckTexelCopyTexture(device, source, size, texture_usage::kCopySrc))
    return complaint;
  if (Complaint complaint = CheckTexelCopyTexture(device, destination, size, texture_usage::kCopyDst))
    return complaint;
  return CheckTextureToTexture(source, destination, size);
}

}  // namespace

void CommandEncoder::CopyBufferToTexture(const TexelCopyBufferInfo& source,
                                         const TexelCopyTextureInfo& destination, const Extent3D& copy_size) {
  if (!CheckOpen("copyBufferToTexture")) return;
  if (const Complaint complaint =
          Check(device(), source, buffer_usage::kCopySrc, destination, texture_usage::kCopyDst, copy_size))
    return Fail("copyBufferToTexture: " + *complaint);
  Use(source.buffer);
  Use(destination.texture);
  if (!copy_size.empty())
    recording_.commands.emplace_back(BufferToTextureCommand{source, destination, copy_size});
}

void CommandEncoder::CopyTextureToBuffer(const TexelCopyTextureInfo& source,
                                         const TexelCopyBufferInfo& destination, const Extent3D& copy_size) {
  if (!CheckOpen("copyTextureToBuffer")) return;
  if (const Complaint complaint =
          Check(device(), destination, buffer_usage::kCopyDst, source, texture_usage::kCopySrc, copy_size))
    return Fail("copyTextureToBuffer: " + *complaint);
  Use(source.texture);
  Use(destination.buffer);
  if (!copy_size.empty())
    recording_.commands.emplace_back(TextureToBufferCommand{source, destination, copy_size});
}

void CommandEncoder::CopyTextureToTexture(const TexelCopyTextureInfo& source,
                                          const TexelCopyTextureInfo& destination,
                                          const Extent3D& copy_size) {
  if (!CheckOpen("copyTextureToTexture")) return;
  if (const Complaint complaint = Check(device(), source, destination, copy_size))
    return Fail("copyTextureToTexture: " + *complaint);
  Use(source.texture);
  Use(destination.texture);
  if (!copy_size.empty())
    recording_.commands.emplace_back(TextureToTextureCommand{source, destination, copy_size});
}

}  // namespace lockstep::gpu::core
