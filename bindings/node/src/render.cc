// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render passes and bundles.
#include "commands.h"
#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"
#include "gpu/core/render_bundle.h"
#include "gpu/core/render_pass.h"

namespace lockstep::bindings {
namespace {

Napi::Value BeginRenderPass(core::CommandEncoder& encoder, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), encoder.BeginRenderPass(ReadAs<core::RenderPassDescriptor>(info[1])));
}

Napi::Value CreateRenderBundleEncoder(core::Device& device, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(),
              device.CreateRenderBundleEncoder(ReadAs<core::RenderBundleEncoderDescriptor>(info[1])));
}

Napi::Value FinishBundle(core::RenderBundleEncoder& encoder, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), encoder.Finish(ReadAs<std::string>(info[1])));
}

// --- GPURenderCommandsMixin ---

// setIndexBuffer(commands, buffer, format, offset, size)
template <typename Commands>
void SetIndexBuffer(Commands& commands, const Napi::CallbackInfo& info) {
  commands.SetIndexBuffer(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<core::IndexFormat>(info[2]),
                          ReadAs<uint64_t>(info[3]), ReadAs<std::optional<uint64_t>>(info[4]));
}

// setVertexBuffer(commands, slot, buffer or null, offset, size)
template <typename Commands>
void SetVertexBuffer(Commands& commands, const Napi::CallbackInfo& info) {
  commands.SetVertexBuffer(ReadAs<uint32_t>(info[1]), ReadAs<Shared<core::Buffer>>(info[2]),
                           ReadAs<uint64_t>(info[3]), ReadAs<std::optional<uint64_t>>(info[4]));
}

template <typename Commands>
void Draw(Commands& commands, const Napi::CallbackInfo& info) {
  commands.Draw(ReadAs<uint32_t>(info[1]), ReadAs<uint32_t>(info[2]), ReadAs<uint32_t>(info[3]),
                ReadAs<uint32_t>(info[4]));
}

template <typename Commands>
void DrawIndexed(Commands& commands, const Napi::CallbackInfo& info) {
  commands.DrawIndexed(ReadAs<uint32_t>(info[1]), ReadAs<uint32_t>(info[2]), ReadAs<uint32_t>(info[3]),
                       ReadAs<int32_t>(info[4]), ReadAs<uint32_t>(info[5]));
}

// draw…Indirect(commands, buffer, offset)
template <typename Commands, auto Call>
void DrawIndirectly(Commands& commands, const Napi::CallbackInfo& info) {
  (commands.*Call)(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<uint64_t>(info[2]));
}

template <typename Commands>
void ExportRenderCommands(Napi::Object exports, const std::string& suffix) {
  ExportPassCommands<Commands, core::RenderPipeline>(exports, suffix);
  ExportIn<SetIndexBuffer<Commands>>(exports, "setIndexBuffer", suffix);
  ExportIn<SetVertexBuffer<Commands>>(exports, "setVertexBuffer", suffix);
  ExportIn<Draw<Commands>>(exports, "draw", suffix);
  ExportIn<DrawIndexed<Commands>>(exports, "drawIndexed", suffix);
  ExportIn<DrawIndirectly<Commands, &Commands::DrawIndirect>>(exports, "drawIndirect", suffix);
  ExportIn<DrawIndirectly<Commands, &Commands::DrawIndexedIndirect>>(exports, "drawIndexedIndirect", suffix);
}

// --- of passes alone ---

// setViewport(pass, x, y, width, height, minDepth, maxDepth)
void SetViewport(core::RenderPass& pass, const Napi::CallbackInfo& info) {
  pass.SetViewport({ReadAs<float>(info[1]), ReadAs<float>(info[2]), ReadAs<float>(info[3]),
                    ReadAs<float>(info[4]), ReadAs<float>(info[5]), ReadAs<float>(info[6])});
}

// setScissorRect(pass, x, y, width, height)
void SetScissorRect(core::RenderPass& pass, const Napi::CallbackInfo& info) {
  pass.SetScissorRect({ReadAs<uint32_t>(info[1]), ReadAs<uint32_t>(info[2]), ReadAs<uint32_t>(info[3]),
                       ReadAs<uint32_t>(info[4])});
}

void SetBlendConstant(core::RenderPass& pass, const Napi::CallbackInfo& info) {
  pass.SetBlendConstant(ReadAs<abi::Color>(info[1]));
}

void SetStencilReference(core::RenderPass& pass, const Napi::CallbackInfo& info) {
  pass.SetStencilReference(ReadAs<uint32_t>(info[1]));
}

void BeginOcclusionQuery(core::RenderPass& pass, const Napi::CallbackInfo& info) {
  pass.BeginOcclusionQuery(ReadAs<uint32_t>(info[1]));
}

void EndOcclusionQuery(core::RenderPass& pass, const Napi::CallbackInfo&) { pass.EndOcclusionQuery(); }

void ExecuteBundles(core::RenderPass& pass, const Napi::CallbackInfo& info) {
  pass.ExecuteBundles(ReadAs<std::vector<Shared<core::RenderBundle>>>(info[1]));
}

void End(core::RenderPass& pass, const Napi::CallbackInfo&) { pass.End(); }

}  // namespace

void ExportRender(Napi::Object exports) {
  Export<BeginRenderPass>(exports, "beginRenderPass");
  Export<CreateRenderBundleEncoder>(exports, "createRenderBundleEncoder");
  Export<FinishBundle>(exports, "finishRenderBundle");
  ExportRenderCommands<core::RenderPass>(exports, "InRenderPass");
  ExportRenderCommands<core::RenderBundleEncoder>(exports, "InRenderBundle");
  Export<SetViewport>(exports, "setViewport");
  Export<SetScissorRect>(exports, "setScissorRect");
  Export<SetBlendConstant>(exports, "setBlendConstant");
  Export<SetStencilReference>(exports, "setStencilReference");
  Export<BeginOcclusionQuery>(exports, "beginOcclusionQuery");
  Export<EndOcclusionQuery>(exports, "endOcclusionQuery");
  Export<ExecuteBundles>(exports, "executeBundles");
  Export<End>(exports, "endInRenderPass");
}

}  // namespace lockstep::bindings
