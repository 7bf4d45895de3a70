// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/usage_scope.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::gpu::core {
namespace {

std::string NameOf(const UsedBuffer& used) { return Named("buffer", *used.range.buffer); }
std::string NameOf(const UsedView& used) { return Named("texture", *used.view->texture()); }

template <typename Used>
const Used* FindIn(const std::vector<Used>& all, uint32_t group, uint32_t binding) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Used& used) {
    return used.slot.group == group && used.slot.binding == binding;
  });
  return found != all.end() ? &*found : nullptr;
}

// They use the same subresource.
bool Meet(const UsedBuffer& a, const UsedBuffer& b) { return a.range.buffer == b.range.buffer; }
bool Meet(const UsedView& a, const UsedView& b) { return a.view->Aliases(*b.view); }

// They use the same part of it.
bool Overlap(const UsedBuffer& a, const UsedBuffer& b) {
  return Meet(a, b) && a.range.offset < b.range.offset + b.range.size &&
         b.range.offset < a.range.offset + a.range.size;
}
bool Overlap(const UsedView& a, const UsedView& b) { return Meet(a, b); }

template <typename Used>
Complaint ReadAndWritten(const std::vector<Used>& all) {
  for (const Used& writer : all) {
    if (!writer.slot.writable) continue;
    for (const Used& reader : all) {
      if (reader.slot.writable || !Meet(reader, writer)) continue;
      return fmt::format("{} is writable as binding {} of group {} and read as binding {} of group {}",
                         NameOf(writer), writer.slot.binding, writer.slot.group, reader.slot.binding,
                         reader.slot.group);
    }
  }
  return std::nullopt;
}

// Readers of what is writable are refused already.
template <typename Used>
Complaint Aliased(const std::vector<Used>& all) {
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const Slot &first = all[k].slot, &second = all[i].slot;
      if (!(first.writable || second.writable) || (first.visibility & second.visibility) == 0) continue;
      if (!Overlap(all[i], all[k])) continue;
      return fmt::format("binding {} of group {} and binding {} of group {} overlap in {} and are writable",
                         first.binding, first.group, second.binding, second.group, NameOf(all[i]));
    }
  }
  return std::nullopt;
}

}  // namespace

// WebGPU: #bound-buffer-ranges. A dynamic offset may push the end of a range past the buffer's: such a range
// is only as long as what is there, and the pass sees that this is enough for the shader.
void UsageScope::Add(uint32_t index, const BindGroup& group, std::span<const uint32_t> dynamic_offsets) {
  size_t next = 0;
  for (const BindGroupEntry& entry : group.entries()) {
    const BindGroupLayoutEntry& layout = *group.layout()->Find(entry.binding);
    Slot slot{index, entry.binding, layout.visibility, false};
    if (const auto* view = std::get_if<std::shared_ptr<TextureView>>(&entry.resource)) {
      slot.writable = layout.storage_texture && layout.storage_texture->writable();
      views_.push_back({slot, *view});
    }
    const auto* binding = std::get_if<BufferBinding>(&entry.resource);
    if (binding == nullptr) continue;
    slot.writable = layout.buffer->type == BufferBindingType::kStorage;
    UsedBuffer used{slot, {binding->buffer, binding->offset, binding->EffectiveSize()}};
    if (layout.dynamic()) {
      used.range.offset += dynamic_offsets[next++];
      const uint64_t left = binding->buffer->size() - used.range.offset;
      used.range.size = std::min(used.range.size, left) / 4 * 4;
    }
    buffers_.push_back(std::move(used));
  }
}

const UsedBuffer* UsageScope::Find(uint32_t group, uint32_t binding) const {
  return FindIn(buffers_, group, binding);
}

const UsedView* UsageScope::FindView(uint32_t group, uint32_t binding) const {
  return FindIn(views_, group, binding);
}

std::optional<std::string> UsageScope::CheckUsage(const Buffer* indirect) const {
  for (const UsedBuffer& used : buffers_) {
    if (!used.slot.writable || used.range.buffer.get() != indirect) continue;
    return fmt::format("{} is both writable (binding {}) and the indirect arguments", NameOf(used),
                       used.slot.binding);
  }
  if (Complaint complaint = ReadAndWritten(buffers_)) return complaint;
  return ReadAndWritten(views_);
}

std::optional<std::string> UsageScope::CheckAliasing() const {
  if (Complaint complaint = Aliased(buffers_)) return complaint;
  return Aliased(views_);
}

}  // namespace lockstep::gpu::core
