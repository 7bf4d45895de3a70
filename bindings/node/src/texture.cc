// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/texture.h"

#include "functions.h"
#include "gpu/core/device.h"
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
  Export<IsSwizzle>(exports, "isSwizzle");
}

}  // namespace lockstep::bindings
