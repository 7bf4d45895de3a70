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
  using Held = core::Buffer;
  BufferHandle(Napi::Env env, Shared<core::Buffer> made) : Handle(made), buffer(*made) {
    if (buffer.valid()) accounted.emplace(env, buffer.size());
    buffer.set_unmapped([this] { ranges.End(); });
  }
  ~BufferHandle() override { buffer.set_unmapped(nullptr); }

  core::Buffer& buffer;
  MappedRanges ranges;
};

// createBuffer(device, descriptor): a handle; undefined where there is no memory for a mapping at creation.
Napi::Value CreateBuffer(core::Device& device, const Napi::CallbackInfo& info) {
  Shared<core::Buffer> buffer = device.CreateBuffer(ReadAs<core::BufferDescriptor>(info[1]));
  if (!buffer) return info.Env().Undefined();
  return WrapHandle(info.Env(), std::make_unique<BufferHandle>(info.Env(), std::move(buffer)));
}

Napi::Value MapState(BufferHandle& handle, const Napi::CallbackInfo& info) {
  return Napi::String::New(info.Env(), std::string(core::EnumName(handle.buffer.map_state())));
}

// mapAsync(buffer, mode, offset, size, done): done(null), or done(name of the DOMException, message).
void MapAsync(BufferHandle& handle, const Napi::CallbackInfo& info) {
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
  handle.buffer.MapAsync(ReadAs<uint32_t>(info[1]), ReadAs<uint64_t>(info[2]),
                         ReadAs<std::optional<uint64_t>>(info[3]), done);
}

// getMappedRange(buffer, offset, size, make): what make(size) gives, an ArrayBuffer, with the range's
// contents; undefined: OperationError.
Napi::Value GetMappedRange(BufferHandle& handle, const Napi::CallbackInfo& info) {
  const auto offset = ReadAs<uint64_t>(info[1]);
  const auto wanted = ReadAs<std::optional<uint64_t>>(info[2]);
  const std::optional<uint64_t> size = handle.buffer.SizeOfMappedRange(offset, wanted);
  if (!size) return info.Env().Undefined();
  const Napi::Value made =
      info[3].As<Napi::Function>().Call({Napi::Number::New(info.Env(), static_cast<double>(*size))});
  if (info.Env().IsExceptionPending()) return info.Env().Undefined();  // there is no memory for it
  auto array = made.As<Napi::ArrayBuffer>();
  if (!made.IsArrayBuffer() || array.ByteLength() != *size)
    return ThrowTypeError(info.Env(), "getMappedRange: what makes ArrayBuffers has been replaced");
  // Given out now that there is memory for it; what made that may have unmapped the buffer.
  const std::optional<std::span<std::byte>> range = handle.buffer.GetMappedRange(offset, wanted);
  if (!range) return info.Env().Undefined();
  if (!range->empty()) std::memcpy(array.Data(), range->data(), range->size());
  handle.ranges.Add(array, *range, handle.buffer.mapped_for_writing());
  return array;
}

void Unmap(BufferHandle& handle, const Napi::CallbackInfo&) { handle.buffer.Unmap(); }

void DestroyBuffer(BufferHandle& handle, const Napi::CallbackInfo&) {
  handle.buffer.Destroy();
  handle.accounted.reset();
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
