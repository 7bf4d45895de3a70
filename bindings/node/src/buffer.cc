// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/buffer.h"

#include <cstring>

#include "functions.h"
#include "gpu/core/device.h"
#include "loop.h"
#include "members.h"

namespace lockstep::bindings {
namespace {

// The ArrayBuffers of a buffer's mapping, which are detached when it ends; held weakly.
class MappedRanges {
 public:
  void Add(const Napi::ArrayBuffer& range) { ranges_.push_back(Napi::Weak(range.As<Napi::Object>())); }
  void Detach() {
    for (const Napi::ObjectReference& range : ranges_) {
      const Napi::HandleScope scope(range.Env());
      const Napi::Value value = range.Value();
      if (!value.IsEmpty() && !value.As<Napi::ArrayBuffer>().IsDetached())
        value.As<Napi::ArrayBuffer>().Detach();
    }
    ranges_.clear();
  }

 private:
  std::vector<Napi::ObjectReference> ranges_;
};

struct BufferHandle : Handle {
  BufferHandle(Napi::Env env, Shared<core::Buffer> made) : Handle(made), buffer(*made) {
    if (buffer.valid()) accounted.emplace(env, buffer.size());
    buffer.set_unmapped([this] { ranges.Detach(); });
  }
  ~BufferHandle() override { buffer.set_unmapped(nullptr); }

  core::Buffer& buffer;
  MappedRanges ranges;
};

BufferHandle& HandleOfBuffer(const Napi::CallbackInfo& info) {
  return static_cast<BufferHandle&>(HandleOf(info[0]));
}
core::Buffer& BufferOf(const Napi::CallbackInfo& info) { return HandleOfBuffer(info).buffer; }

// createBuffer(device, descriptor): a handle; undefined where there is no memory for a mapping at creation.
Napi::Value CreateBuffer(const Napi::CallbackInfo& info) {
  Shared<core::Buffer> buffer =
      Unwrap<core::Device>(info[0])->CreateBuffer(ReadAs<core::BufferDescriptor>(info[1]));
  if (!buffer) return info.Env().Undefined();
  return WrapHandle(info.Env(), std::make_unique<BufferHandle>(info.Env(), std::move(buffer)));
}

Napi::Value MapState(const Napi::CallbackInfo& info) {
  switch (BufferOf(info).map_state()) {
    case core::MapState::kUnmapped:
      return Napi::String::New(info.Env(), "unmapped");
    case core::MapState::kPending:
      return Napi::String::New(info.Env(), "pending");
    case core::MapState::kMapped:
      return Napi::String::New(info.Env(), "mapped");
  }
  return info.Env().Undefined();
}

// mapAsync(buffer, mode, offset, size, done): done(null), or done(name of the DOMException, message).
void MapAsync(const Napi::CallbackInfo& info) {
  const auto done = LoopOf(info.Env())
                        .Once<core::MapStatus, const std::string&>(
                            info[4], [](Napi::Env env, core::MapStatus status, const std::string& message) {
                              if (status == core::MapStatus::kSuccess)
                                return std::vector<napi_value>{env.Null()};
                              const bool aborted = status == core::MapStatus::kAborted;
                              return std::vector<napi_value>{
                                  Napi::String::New(env, aborted ? "AbortError" : "OperationError"),
                                  Napi::String::New(env, message)};
                            });
  BufferOf(info).MapAsync(ReadAs<uint32_t>(info[1]), ReadAs<uint64_t>(info[2]),
                          ReadAs<std::optional<uint64_t>>(info[3]), done);
}

// getMappedRange(buffer, offset, size): an ArrayBuffer, or undefined: OperationError. What is mapped for
// writing is the buffer's own memory; what is mapped for reading a copy, which nobody can write through.
Napi::Value GetMappedRange(const Napi::CallbackInfo& info) {
  BufferHandle& handle = HandleOfBuffer(info);
  const std::optional<std::span<std::byte>> range =
      handle.buffer.GetMappedRange(ReadAs<uint64_t>(info[1]), ReadAs<std::optional<uint64_t>>(info[2]));
  if (!range) return info.Env().Undefined();
  Napi::ArrayBuffer array;
  if (handle.buffer.mapped_for_writing() && !range->empty() && handle.buffer.memory()) {
    auto* memory = new std::shared_ptr<gpu::hal::Buffer>(handle.buffer.memory());
    array = Napi::ArrayBuffer::New(
        info.Env(), range->data(), range->size(),
        [](Napi::Env, void*, std::shared_ptr<gpu::hal::Buffer>* kept) { delete kept; }, memory);
  } else {
    array = Napi::ArrayBuffer::New(info.Env(), range->size());
    if (!range->empty()) std::memcpy(array.Data(), range->data(), range->size());
  }
  handle.ranges.Add(array);
  return array;
}

void Unmap(const Napi::CallbackInfo& info) { BufferOf(info).Unmap(); }

void DestroyBuffer(const Napi::CallbackInfo& info) {
  BufferOf(info).Destroy();
  HandleOfBuffer(info).accounted.reset();
}

}  // namespace

void ExportBuffer(Napi::Object exports) {
  Export<CreateBuffer>(exports, "createBuffer");
  Export<MapState>(exports, "mapState");
  Export<MapAsync>(exports, "mapAsync");
  Export<GetMappedRange>(exports, "getMappedRange");
  Export<Unmap>(exports, "unmap");
  Export<DestroyBuffer>(exports, "destroyBuffer");
}

}  // namespace lockstep::bindings
