// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What all WebGPU objects have (#webgpu-objects). They are shared (std::shared_ptr) and keep their device
// alive.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/core/error.h"

namespace lockstep::gpu::core {

class Device;

class Object {
 public:
  Object(std::shared_ptr<Device> device, std::string label)
      : device_(std::move(device)), label_(std::move(label)) {}
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Device& device() const { return *device_; }
  const std::shared_ptr<Device>& shared_device() const { return device_; }
  const std::string& label() const { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }
  // False where its creation failed or an error has spoilt it: whatever uses the object is an error then.
  bool valid() const { return invalid_because_.empty(); }
  // "its creation failed"; empty where it is valid. The first reason stays.
  const std::string& invalid_because() const { return invalid_because_; }
  void Invalidate(std::string_view why = "its creation failed") {
    if (valid()) invalid_because_ = why;
  }

 private:
  std::shared_ptr<Device> device_;
  std::string label_;
  std::string invalid_because_;
};

// What commands use and an application may destroy or map before they are submitted.
class Resource : public Object {
 public:
  using Object::Object;
  virtual std::string_view kind() const = 0;  // "buffer"
  // Why a submit may not use it now ("destroyed", "mapped"); empty where it may.
  virtual std::string_view unavailable_because() const = 0;
  bool available() const { return unavailable_because().empty(); }
};

// "buffer 'prices'", or "a buffer without a label": how messages name an object.
std::string Named(std::string_view kind, std::string_view label);
inline std::string Named(std::string_view kind, const Object& object) { return Named(kind, object.label()); }

// Why the device cannot use the object (WebGPU: #abstract-opdef-valid-to-use-with), by its name: "no buffer
// is given", "buffer 'prices' is of another device", "buffer 'prices' is invalid, since its creation failed".
Complaint CheckUsable(std::string_view kind, const Object* object, const Device& device);
template <typename T>
Complaint CheckUsable(std::string_view kind, const std::shared_ptr<T>& object, const Device& device) {
  return CheckUsable(kind, object.get(), device);
}

// "COPY_SRC | STORAGE", "none": the names of bits, the lowest first.
std::string FlagNames(uint32_t flags, std::span<const std::string_view> names);

}  // namespace lockstep::gpu::core
