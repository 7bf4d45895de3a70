// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/texture.h"

#include <algorithm>

#include "functions.h"
#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"
#include "gpu/core/queue.h"
#include "gpu/core/sampler.h"
#include "members.h"

namespace lockstep::bindings {
namespace {

Napi::Value CreateTexture(core::Device& device, const Napi::CallbackInfo& info) {
  const Shared<core::Texture> texture = device.CreateTexture(ReadAs<core::TextureDescriptor>(info[1]));
  auto handle = std::make_unique<Handle>(texture);
  if (texture->memory()) handle->accounted.emplace(info.Env(), texture->memory()->bytes());
  return WrapHandle(info.Env(), std::move(handle));
}

void DestroyTexture(core::Texture& texture, const Napi::CallbackInfo& info) {
  texture.Destroy();
  FindHandle(info[0])->accounted.reset();
}

Napi::Value CreateView(core::Texture& texture, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), texture.CreateView(ReadAs<core::TextureViewDescriptor>(info[1])));
}

Napi::Value CreateSampler(core::Device& device, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), device.CreateSampler(ReadAs<core::SamplerDescriptor>(info[1])));
}

// missingFeature(device, format): why the device cannot have it, or undefined.
Napi::Value MissingFeature(core::Device& device, const Napi::CallbackInfo& info) {
  const core::Complaint complaint = core::MissingFeature(device, ReadAs<core::TextureFormat>(info[1]));
  if (!complaint) return info.Env().Undefined();
  return Napi::String::New(info.Env(), *complaint);
}

// captureTexture(device, texture, width, height, bytes of a texel): a handle of its texels as they are when
// the work that was submitted is done, for readCapture. The texture is one of a canvas: it can be copied
// from. Where it is invalid its texels are zero, and nobody hears of it again.
Napi::Value CaptureTexture(core::Device& device, const Napi::CallbackInfo& info) {
  static constexpr core::ErrorKind kKinds[] = {core::ErrorKind::kValidation, core::ErrorKind::kOutOfMemory};
  for (const core::ErrorKind kind : kKinds) device.PushErrorScope(kind);
  const auto texture = ReadAs<Shared<core::Texture>>(info[1]);
  const auto width = ReadAs<uint32_t>(info[2]), height = ReadAs<uint32_t>(info[3]);
  const uint32_t row = (width * ReadAs<uint32_t>(info[4]) + 255) / 256 * 256;
  const Shared<core::Buffer> buffer =
      device.CreateBuffer({"the canvas", uint64_t{row} * height, core::buffer_usage::kCopyDst});
  const Shared<core::CommandEncoder> encoder = device.CreateCommandEncoder("the canvas");
  core::TexelCopyBufferInfo to;
  to.buffer = buffer;
  to.bytes_per_row = row;
  to.rows_per_image = height;
  core::TexelCopyTextureInfo from;
  from.texture = texture;
  encoder->CopyTextureToBuffer(from, to, {width, height, 1});
  const Shared<core::CommandBuffer> commands[] = {encoder->Finish()};
  device.queue()->Submit(commands);
  for (size_t i = 0; i < std::size(kKinds); ++i) device.PopErrorScope([](const auto&) {});
  return Wrap(info.Env(), buffer);
}

// readCapture(device, capture): a Uint8Array of its rows, each at a multiple of 256 bytes. Waits until it is
// there.
Napi::Value ReadCapture(core::Device& device, const Napi::CallbackInfo& info) {
  const auto buffer = ReadAs<Shared<core::Buffer>>(info[1]);
  device.queue()->Submit({})->Wait();
  const std::span<const std::byte> bytes = device.queue()->ReadBuffer(*buffer);
  auto array = Napi::Uint8Array::New(info.Env(), bytes.size());
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(array.Data()));
  return array;
}

Napi::Value IsSwizzle(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), core::IsSwizzle(ReadAs<std::string>(info[0])));
}

}  // namespace

void ExportTexture(Napi::Object exports) {
  Export<CreateTexture>(exports, "createTexture");
  Export<DestroyTexture>(exports, "destroyTexture");
  Export<CreateView>(exports, "createView");
  Export<CreateSampler>(exports, "createSampler");
  Export<MissingFeature>(exports, "missingFeature");
  Export<CaptureTexture>(exports, "captureTexture");
  Export<ReadCapture>(exports, "readCapture");
  Export<IsSwizzle>(exports, "isSwizzle");
}

}  // namespace lockstep::bindings
