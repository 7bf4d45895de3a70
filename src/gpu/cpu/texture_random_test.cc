// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Random copies through the whole of gpu/core, right and wrong ones. Memory stands between pages that fault:
// whatever the rules let through must stay inside its texture and its buffer.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gpu/core/adapter.h"
#include "gpu/core/buffer.h"
#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"
#include "gpu/core/queue.h"
#include "gpu/core/texture.h"
#include "gpu/cpu/cpu_device.h"

namespace lockstep::gpu::cpu {
namespace {

using core::Extent3D;
using core::TexelCopyBufferInfo;
using core::TexelCopyTextureInfo;

// The CPU device, with all features: copies need nothing of them.
class AllFormats : public hal::Device {
 public:
  AllFormats() {
    Options options;
    options.guards = Guards::kBehind;
    device_ = MakeCpuDevice(options);
    info_ = device_->info();
    for (const std::string_view feature : hal::kEnumNames<hal::Support>) {
      if (!feature.empty()) info_.features.emplace_back(feature);
    }
  }
  const hal::AdapterInfo& info() const override { return info_; }
  Result<std::unique_ptr<hal::Buffer>> CreateBuffer(uint64_t size) override {
    return device_->CreateBuffer(size);
  }
  Result<std::unique_ptr<hal::Texture>> CreateTexture(const hal::TextureDescriptor& descriptor) override {
    return device_->CreateTexture(descriptor);
  }
  Result<std::unique_ptr<hal::QuerySet>> CreateQuerySet(hal::QueryType type, uint32_t count) override {
    return device_->CreateQuerySet(type, count);
  }
  Result<std::unique_ptr<hal::ComputePipeline>> CreateComputePipeline(
      const ir::Module& module, const hal::PipelineOptions& options) override {
    return device_->CreateComputePipeline(module, options);
  }
  Result<std::unique_ptr<hal::RenderPipeline>> CreateRenderPipeline(
      const hal::RenderPipelineDescriptor& descriptor, const hal::PipelineOptions& options) override {
    return device_->CreateRenderPipeline(descriptor, options);
  }
  Result<hal::ExecuteResult> Execute(std::span<const hal::Command> commands,
                                     const hal::ExecuteOptions& options) override {
    executed += commands.size();
    return device_->Execute(commands, options);
  }
  Result<std::string> Show(const ir::Module& module, std::string_view form,
                           const hal::PipelineOptions& options) override {
    return device_->Show(module, form, options);
  }

  size_t executed = 0;

 private:
  std::shared_ptr<hal::Device> device_;
  hal::AdapterInfo info_;
};

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  uint32_t Below(uint32_t end) { return static_cast<uint32_t>(engine_() % end); }
  bool Chance(uint32_t percent) { return Below(100) < percent; }
  // Mostly small, now and then a large one.
  uint32_t Length(uint32_t end) { return Chance(2) ? ~uint32_t{} - Below(3) : Below(end); }

 private:
  std::mt19937 engine_;
};

struct RandomCopies {
  explicit RandomCopies(uint32_t seed) : random(seed) {
    core::DeviceDescriptor descriptor;
    descriptor.required_features = hal->info().features;
    device = core::Adapter(hal).RequestDevice(descriptor).device;
    device->set_uncaptured_error([this](const core::Error&) { ++refused; });
  }

  std::shared_ptr<core::Texture> Texture() {
    while (true) {
      core::TextureDescriptor d;
      d.format = static_cast<core::TextureFormat>(random.Below(hal::kEnumNames<core::TextureFormat>.size()));
      d.dimension = static_cast<core::TextureDimension>(random.Below(3));
      d.size = {1 + random.Below(40), 1 + random.Below(40), 1 + random.Below(6)};
      if (d.dimension == core::TextureDimension::k1d) d.size.height = d.size.depth_or_array_layers = 1;
      const hal::TextureFormatInfo& format = hal::FormatInfo(d.format);
      d.size.width = (d.size.width + format.block_width - 1) / format.block_width * format.block_width;
      d.size.height = (d.size.height + format.block_height - 1) / format.block_height * format.block_height;
      d.mip_level_count = 1 + random.Below(4);
      d.usage = core::texture_usage::kCopySrc | core::texture_usage::kCopyDst;
      const auto texture = device->CreateTexture(d);
      if (texture->valid()) return texture;
    }
  }
  // A place and a size for it, mostly such that they fit.
  TexelCopyTextureInfo Place(const std::shared_ptr<core::Texture>& texture) {
    const hal::TextureFormatInfo& format = texture->format_info();
    TexelCopyTextureInfo info{texture, random.Below(texture->descriptor().mip_level_count)};
    if (random.Chance(3)) info.mip_level += random.Below(4);
    if (format.depth_or_stencil()) info.aspect = static_cast<core::TextureAspect>(random.Below(3));
    const Extent3D extent = texture->PhysicalExtent(info.mip_level);
    if (!format.depth_or_stencil() && random.Chance(60)) {
      info.origin.x = random.Length(extent.width) / format.block_width * format.block_width;
      info.origin.y = random.Length(extent.height) / format.block_height * format.block_height;
    }
    if (random.Chance(5)) info.origin.x += random.Below(3);
    if (random.Chance(50)) info.origin.z = random.Length(extent.depth_or_array_layers);
    return info;
  }
  Extent3D Size(const TexelCopyTextureInfo& info) {
    const hal::TextureFormatInfo& format = info.texture->format_info();
    const Extent3D extent = info.texture->PhysicalExtent(info.mip_level);
    if (random.Chance(5)) return {random.Length(50), random.Length(50), random.Length(5)};
    const auto part = [&](uint32_t all, uint32_t origin, uint32_t block) {
      const uint32_t rest = (all - std::min(all, origin)) / block;
      return (format.depth_or_stencil() || random.Chance(30) ? rest : random.Below(rest + 1)) * block;
    };
    return {part(extent.width, info.origin.x, format.block_width),
            part(extent.height, info.origin.y, format.block_height),
            random.Below(extent.depth_or_array_layers -
                         std::min(extent.depth_or_array_layers, info.origin.z) + 1)};
  }
  void Layout(core::TexelCopyBufferLayout& layout, bool aligned) {
    layout.offset = random.Chance(2) ? UINT64_MAX - random.Below(40) : random.Below(64) * (aligned ? 16 : 1);
    if (random.Chance(95))
      layout.bytes_per_row = aligned ? (1 + random.Length(4)) * 256 : 300 + random.Below(400);
    if (random.Chance(95)) layout.rows_per_image = 20 + random.Length(24);
  }
  std::shared_ptr<core::Buffer> Buffer() {
    return device->CreateBuffer(
        {"", random.Below(200000), core::buffer_usage::kCopySrc | core::buffer_usage::kCopyDst, false});
  }

  void Step() {
    const auto texture = Texture();
    const TexelCopyTextureInfo place = Place(texture);
    const Extent3D size = Size(place);
    const auto encoder = device->CreateCommandEncoder();
    TexelCopyBufferInfo buffer;
    switch (random.Below(4)) {
      case 0:
        Layout(buffer, true);
        buffer.buffer = Buffer();
        encoder->CopyBufferToTexture(buffer, place, size);
        break;
      case 1:
        Layout(buffer, true);
        buffer.buffer = Buffer();
        encoder->CopyTextureToBuffer(place, buffer, size);
        break;
      case 2:
        encoder->CopyTextureToTexture(place, Place(texture), size);
        break;
      default:
        Layout(buffer, false);
        device->queue()->WriteTexture(place, std::vector<std::byte>(random.Below(120000)), buffer, size);
        break;
    }
    const std::shared_ptr<core::CommandBuffer> list[] = {encoder->Finish()};
    device->queue()->Submit(list)->Wait();
  }

  Random random;
  std::shared_ptr<AllFormats> hal = std::make_shared<AllFormats>();
  std::shared_ptr<core::Device> device;
  size_t refused = 0;
};

TEST(TexelCopies, WhatIsAcceptedStaysInside) {
  RandomCopies copies(1);
  for (int i = 0; i < 4000; ++i) copies.Step();
  // Both kinds, many times: else the test would test nothing.
  EXPECT_GT(copies.hal->executed, 800u);
  EXPECT_GT(copies.refused, 800u);
}

}  // namespace
}  // namespace lockstep::gpu::cpu
