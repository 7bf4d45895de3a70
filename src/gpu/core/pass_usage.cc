// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/pass_usage.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::gpu::core {
namespace {

Complaint Clash(const std::string& name, PassAccess first_access, const PassUse& first,
                PassAccess second_access, const PassUse& second) {
  static constexpr std::array<std::string_view, 3> kVerbs = {"read", "writable", "written"};
  const auto verb = [&](PassAccess access) { return kVerbs[static_cast<size_t>(access)]; };
  return fmt::format("{} is {} as {} and {} as {}", name, verb(first_access), first.Text(),
                     verb(second_access), second.Text());
}

}  // namespace

std::string PassUse::Text() const {
  switch (as) {
    case As::kBinding:
      return fmt::format("binding {} of group {}", index, group);
    case As::kVertexBuffer:
      return fmt::format("vertex buffer {}", index);
    case As::kIndexBuffer:
      return "index buffer";
    case As::kIndirect:
      return "indirect arguments";
    case As::kColorAttachment:
      return fmt::format("color attachment {}", index);
    case As::kResolveTarget:
      return fmt::format("resolve target of color attachment {}", index);
    case As::kDepthStencil:
      return "depth-stencil attachment";
  }
  UNREACHABLE("use in a pass");
}

void PassUsage::Add(uint32_t index, const std::shared_ptr<BindGroup>& group) {
  if (!groups_.insert(group).second) return;
  for (const BindGroupEntry& entry : group->entries()) {
    const BindGroupLayoutEntry& layout = *group->layout()->Find(entry.binding);
    const PassUse use{PassUse::As::kBinding, entry.binding, index};
    if (const auto* view = std::get_if<std::shared_ptr<TextureView>>(&entry.resource)) {
      const bool writable = layout.storage_texture && layout.storage_texture->writable();
      Add(*view, std::nullopt, writable ? PassAccess::kStorage : PassAccess::kRead, use);
    } else if (const auto* binding = std::get_if<BufferBinding>(&entry.resource)) {
      const bool writable = layout.buffer->type == BufferBindingType::kStorage;
      Add(binding->buffer, writable ? PassAccess::kStorage : PassAccess::kRead, use);
    }
  }
}

void PassUsage::Add(const std::shared_ptr<Buffer>& buffer, PassAccess access, PassUse use) {
  const auto [place, is_new] = index_.emplace(buffer.get(), buffers_.size());
  if (is_new) buffers_.push_back({buffer, {}});
  std::optional<PassUse>& first = buffers_[place->second].uses[static_cast<size_t>(access)];
  if (!first) first = use;
}

void PassUsage::Add(const std::shared_ptr<TextureView>& view, std::optional<hal::Aspect> aspect,
                    PassAccess access, PassUse use) {
  const auto [place, is_new] = index_.emplace(view->texture().get(), textures_.size());
  if (is_new) textures_.emplace_back();
  std::vector<UsedTexture>& uses = textures_[place->second];
  const bool there = std::any_of(uses.begin(), uses.end(), [&](const UsedTexture& other) {
    return other.view == view && other.aspect == aspect && other.access == access;
  });
  if (!there) uses.push_back({view, aspect, access, use});
}

void PassUsage::Merge(const PassUsage& other) {
  groups_.insert(other.groups_.begin(), other.groups_.end());
  for (const BufferUses& used : other.buffers_) {
    for (const PassAccess access : {PassAccess::kRead, PassAccess::kStorage}) {
      const std::optional<PassUse>& use = used.uses[static_cast<size_t>(access)];
      if (use) Add(used.buffer, access, *use);
    }
  }
  for (const std::vector<UsedTexture>& uses : other.textures_) {
    for (const UsedTexture& used : uses) Add(used.view, used.aspect, used.access, used.use);
  }
}

Complaint PassUsage::CheckTexture(const std::vector<UsedTexture>& uses) {
  const auto meet = [](const UsedTexture& a, const UsedTexture& b) {
    return std::any_of(hal::kAspects.begin(), hal::kAspects.end(), [&](hal::Aspect aspect) {
      return a.aspect.value_or(aspect) == aspect && b.aspect.value_or(aspect) == aspect &&
             a.view->Overlaps(*b.view, aspect);
    });
  };
  for (size_t i = 0; i < uses.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      if (uses[i].access == uses[k].access || !meet(uses[i], uses[k])) continue;
      return Clash(Named("texture", *uses[i].view->texture()), uses[k].access, uses[k].use, uses[i].access,
                   uses[i].use);
    }
  }
  return std::nullopt;
}

Complaint PassUsage::Check() const {
  for (const BufferUses& used : buffers_) {
    const auto& [read, storage] = used.uses;
    if (read && storage) {
      return Clash(Named("buffer", *used.buffer), PassAccess::kStorage, *storage, PassAccess::kRead, *read);
    }
  }
  for (const std::vector<UsedTexture>& uses : textures_) {
    if (Complaint complaint = CheckTexture(uses)) return complaint;
  }
  return std::nullopt;
}

}  // namespace lockstep::gpu::core
