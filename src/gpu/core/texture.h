// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUTexture and GPUTextureView (#textures). Like a buffer's, a texture's memory is held by the submits that
// use it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/enums.h"
#include "gpu/core/error.h"
#include "gpu/core/object.h"
#include "gpu/hal/texture.h"

namespace lockstep::gpu::core {

using hal::Extent3D;
using hal::Origin3D;

// GPUTextureUsage
namespace texture_usage {
inline constexpr uint32_t kCopySrc = 0x01, kCopyDst = 0x02, kTextureBinding = 0x04, kStorageBinding = 0x08;
inline constexpr uint32_t kRenderAttachment = 0x10, kTransientAttachment = 0x20, kAll = 0x3f;
}  // namespace texture_usage
std::string TextureUsageNames(uint32_t usage);  // "COPY_SRC | STORAGE_BINDING", "none"

// Why a device cannot have textures and views of the format: it lacks a feature. WebGPU makes that a
// TypeError (#abstract-opdef-validate-texture-format-required-features); here it is a validation error of
// whatever uses the format, for callers that cannot throw.
Complaint MissingFeature(const Device& device, TextureFormat format);
// What is wrong with a texture or a view of these usages: "has the usage ...".
Complaint CheckFormatOfUsage(const Device& device, TextureFormat format, uint32_t usage);
// A GPUTextureViewDescriptor's swizzle: four of "rgba01". Another string is a TypeError, likewise.
bool IsSwizzle(std::string_view text);

struct TextureDescriptor {
  std::string label;
  Extent3D size;
  uint32_t mip_level_count = 1;
  uint32_t sample_count = 1;
  TextureDimension dimension = TextureDimension::k2d;
  TextureFormat format = TextureFormat::kRgba8Unorm;
  uint32_t usage = 0;
  std::vector<TextureFormat> view_formats;
  // Looked at by devices without core-features-and-limits alone, which there are none of.
  std::optional<TextureViewDimension> texture_binding_view_dimension;
};

struct TextureViewDescriptor {
  std::string label;
  std::optional<TextureFormat> format;
  std::optional<TextureViewDimension> dimension;
  uint32_t usage = 0;  // 0: the texture's
  TextureAspect aspect = TextureAspect::kAll;
  uint32_t base_mip_level = 0;
  std::optional<uint32_t> mip_level_count;
  uint32_t base_array_layer = 0;
  std::optional<uint32_t> array_layer_count;
  std::string swizzle = "rgba";
};

class TextureView;

class Texture : public Resource, public std::enable_shared_from_this<Texture> {
 public:
  Texture(std::shared_ptr<Device> device, const TextureDescriptor& descriptor,
          std::unique_ptr<hal::Texture> memory);

  // width, height and so on; depthOrArrayLayers is size.depth_or_array_layers.
  const TextureDescriptor& descriptor() const { return descriptor_; }
  TextureFormat format() const { return descriptor_.format; }
  const hal::TextureFormatInfo& format_info() const { return hal::FormatInfo(descriptor_.format); }
  TextureDimension dimension() const { return descriptor_.dimension; }
  bool Has(uint32_t usage) const { return (descriptor_.usage & usage) == usage; }
  uint32_t array_layer_count() const;  // WebGPU: #abstract-opdef-array-layer-count
  Extent3D PhysicalExtent(uint32_t mip_level) const;

  std::shared_ptr<TextureView> CreateView(const TextureViewDescriptor& descriptor = {});
  void Destroy();
  bool destroyed() const { return destroyed_; }
  std::string_view kind() const override { return "texture"; }
  std::string_view unavailable_because() const override;

  const std::shared_ptr<hal::Texture>& memory() const { return memory_; }

 private:
  std::shared_ptr<hal::Texture> memory_;  // null: invalid or destroyed
  TextureDescriptor descriptor_;
  bool destroyed_ = false;
};

class TextureView : public Object {
 public:
  // `descriptor` with its defaults resolved: all its optional members are there.
  TextureView(std::shared_ptr<Texture> texture, const TextureViewDescriptor& descriptor);

  const std::shared_ptr<Texture>& texture() const { return texture_; }
  const TextureViewDescriptor& descriptor() const { return descriptor_; }
  TextureFormat format() const { return *descriptor_.format; }
  TextureViewDimension dimension() const { return *descriptor_.dimension; }
  bool Has(uint32_t usage) const { return (descriptor_.usage & usage) == usage; }
  bool Sees(hal::Aspect aspect) const;
  hal::Aspect SeenAspect() const;  // the first that it sees: the only one of a view that shaders read
  abi::Swizzle Swizzle() const;
  bool Aliases(const TextureView& other) const;  // WebGPU: #texture-view-aliasing
  // Likewise, of one aspect.
  bool Overlaps(const TextureView& other, hal::Aspect aspect) const;
  Extent3D RenderExtent() const;  // WebGPU: #abstract-opdef-compute-render-extent

 private:
  std::shared_ptr<Texture> texture_;
  TextureViewDescriptor descriptor_;
};

// The aspect is one of those (WebGPU: #gputextureaspect-set-of-aspects).
bool Includes(TextureAspect aspects, hal::Aspect aspect);

}  // namespace lockstep::gpu::core
