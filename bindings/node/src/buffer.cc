// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/buffer.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "functions.h"
#include "gpu/core/device.h"
#include "loop.h"
#include "members.h"

namespace lockstep::bindings {
namespace {

// The ArrayBuffers of a buffer's mapping. They are copies: JavaScript has no way to keep one from being
// transferred to where it outlives the mapping. When that ends they are written back, where it was for
// writing, and detached.
class MappedRanges {
 public:
  void Add(const Napi::ArrayBuffer& range, std::span<std::byte> bytes, bool written) {
    ranges_.push_back({Napi::Persistent(range.As<Napi::Object>()), bytes, written});
  }
  void End() {
    for (const Range& range : ranges_) {
      const Napi::HandleScope scope(range.array.Env());
      auto array = range.array.Value().As<Napi::ArrayBuffer>();
      if (array.IsDetached()) continue;
      if (range.written && !range.bytes.empty())
        std::memcpy(range.bytes.data(), array.Data(), std::min(range.bytes.size(), array.ByteLength()));
      array.Detach();
    }
    ranges_.clear();
  }

 private:
  struct Range {
    Napi::ObjectReference array;
    std::span<std::byte> bytes;
    bool written;
  };
  std::vector<Range> ranges_;
};

struct BufferHandle : Handle {
  BufferHandle(Napi::Env env, Shared<core::Buffer> made) : Handle(made), buffer(*made) {
    if (buffer.valid()) accounted.emplace(env, buffer.size());
    buffer.set_unmapped([this] { ranges.End(); });
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
  return Napi::String::New(info.Env(), std::string(core::EnumName(BufferOf(info).map_state())));
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

// getMappedRange(buffer, offset, size, make): what make(size) gives, an ArrayBuffer, with the range's
// contents; undefined: OperationError.
Napi::Value GetMappedRange(const Napi::CallbackInfo& info) {
  BufferHandle& handle = HandleOfBuffer(info);
  const std::optional<std::span<std::byte>> range =
      handle.buffer.GetMappedRange(ReadAs<uint64_t>(info[1]), ReadAs<std::optional<uint64_t>>(info[2]));
  if (!range) return info.Env().Undefined();
  const auto size = Napi::Number::New(info.Env(), static_cast<double>(range->size()));
  const Napi::Value made = info[3].As<Napi::Function>().Call({size});
  if (info.Env().IsExceptionPending()) return info.Env().Undefined();  // there is no memory for it
  auto array = made.As<Napi::ArrayBuffer>();
  if (!range->empty()) std::memcpy(array.Data(), range->data(), range->size());
  handle.ranges.Add(array, *range, handle.buffer.mapped_for_writing());
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
