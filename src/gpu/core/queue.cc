// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

hal::TexelPlace PlaceOf(hal::Texture* memory, const TexelCopyTextureInfo& info) {
  return {memory, CopiedAspect(info), info.mip_level, info.origin};
}

// Commands as the device wants them, holding what they use: they outlive the objects of gpu/core.
class Prepared {
 public:
  explicit Prepared(const Device& device)
      : limits_(device.limits()), indirect_first_instance_(device.HasFeature("indirect-first-instance")) {}

  void Add(const RecordedCommand& command) {
    std::visit([this](const auto& c) { commands_.emplace_back(Translate(c)); }, command);
  }

  // What to say instead of running, if anything: that it was told to stop meanwhile, or nothing where the
  // compiler has refused one, which was reported to whoever made it.
  std::optional<Result<hal::ExecuteResult>> WaitForPipelines(const std::atomic<uint32_t>& cancel) {
    const auto stopped = [&]() -> Result<hal::ExecuteResult> {
      if (cancel.load() != 0) return Failure{FailureKind::kInterrupted, "interrupted"};
      return hal::ExecuteResult();
    };
    for (const PendingDispatch& pending : dispatches_) {
      const hal::ComputePipeline* pipeline = Await(pending.compiled, cancel);
      if (pipeline == nullptr) return stopped();
      std::get<hal::Dispatch>(commands_[pending.command]).pipeline = pipeline;
    }
    for (const PendingDraw& pending : draws_) {
      const hal::RenderPipeline* pipeline = Await(pending.compiled, cancel);
      if (pipeline == nullptr) return stopped();
      std::get<hal::RenderPass>(commands_[pending.command]).draws[pending.draw].pipeline = pipeline;
    }
    return std::nullopt;
  }
  Result<hal::ExecuteResult> Run(hal::Device& device, const hal::ExecuteOptions& options) {
    return device.Execute(commands_, options);
  }

  // Of the dispatches, in order.
  const std::vector<std::shared_ptr<ComputePipeline>>& pipelines() const { return pipelines_; }
  // "a dispatch of compute pipeline 'x'": a command by its number.
  std::string NameOf(uint64_t command) const {
    for (size_t i = 0; i < dispatches_.size(); ++i) {
      if (dispatches_[i].command == command)
        return fmt::format("a dispatch of {}", Named("compute pipeline", *pipelines_[i]));
    }
    for (const auto& [number, label] : passes_) {
      if (number == command) return Named("render pass", label);
    }
    return "a copy";
  }

 private:
  // What waits for its pipeline.
  struct PendingDispatch {
    size_t command;
    Compiled<hal::ComputePipeline> compiled;
  };
  struct PendingDraw {
    size_t command, draw;
    Compiled<hal::RenderPipeline> compiled;
  };

  // Null where the compiler has refused it, or where it was told to stop meanwhile.
  template <typename Made>
  static const Made* Await(const Compiled<Made>& compiled, const std::atomic<uint32_t>& cancel) {
    constexpr std::chrono::milliseconds kLook{10};
    while (compiled.wait_for(kLook) != std::future_status::ready) {
      if (cancel.load() != 0) return nullptr;
    }
    return compiled.get().get();
  }

  // Of a buffer, a texture or a query set: what the device made for it.
  template <typename Kept>
  auto* Keep(const Kept& object) {
    const auto& memory = object.memory();
    memory_.push_back(memory);
    return memory.get();
  }
  hal::Dispatch Translate(const DispatchCommand& command) {
    hal::Dispatch dispatch;
    dispatches_.push_back({commands_.size(), command.pipeline->compiled()});
    pipelines_.push_back(command.pipeline);
    dispatch.buffers = Resources(command.buffers);
    dispatch.workgroups = command.workgroups;
    dispatch.max_workgroups = limits_.max_compute_workgroups_per_dimension;
    const EvaluatedStage& stage = command.pipeline->stage();
    const uint64_t size =
        uint64_t{stage.workgroup_size[0]} * stage.workgroup_size[1] * stage.workgroup_size[2];
    if (stage.uses_workgroup_index) dispatch.max_total_workgroups = UINT32_MAX;
    if (stage.uses_global_invocation_index) dispatch.max_total_workgroups = UINT32_MAX / size;
    if (command.indirect) dispatch.indirect = Keep(*command.indirect);
    dispatch.indirect_offset = command.indirect_offset;
    return dispatch;
  }
  // Of a shader.
  std::vector<hal::BoundBuffer> Resources(const std::vector<BoundRange>& ranges) {
    std::vector<hal::BoundBuffer> resources;
    for (const BoundRange& range : ranges)
      resources.push_back({Keep(*range.buffer), range.offset, range.size / 4 * 4});
    return resources;
  }
  hal::BoundBuffer Whole(const BoundRange& range) {
    if (!range.buffer) return {};
    return {Keep(*range.buffer), range.offset, range.size};
  }

  hal::RenderTarget Target(const TextureView& view, uint32_t depth_slice) {
    const TextureViewDescriptor& d = view.descriptor();
    const bool is_3d = view.dimension() == TextureViewDimension::k3d;
    return {Keep(*view.texture()), view.format(), d.base_mip_level, is_3d ? depth_slice : d.base_array_layer};
  }
  std::optional<hal::RenderColorAttachment> Attachment(const std::optional<Attachments::Color>& color) {
    if (!color) return std::nullopt;
    hal::RenderColorAttachment attachment;
    attachment.target = Target(*color->view, color->depth_slice);
    if (color->resolve) attachment.resolve = Target(*color->resolve, 0);
    attachment.load_op = color->load_op;
    attachment.store_op = color->store_op;
    attachment.clear_value = color->clear_value;
    return attachment;
  }
  hal::RenderDepthStencilAttachment Attachment(const Attachments::DepthStencil& depth_stencil) {
    const RenderPassDepthStencilAttachment& d = depth_stencil.state;
    hal::RenderDepthStencilAttachment attachment;
    attachment.target = Target(*depth_stencil.view, 0);
    attachment.depth_load_op = d.depth_load_op.value_or(LoadOp::kLoad);
    attachment.depth_store_op = d.depth_store_op.value_or(StoreOp::kStore);
    attachment.depth_clear_value = d.depth_clear_value.value_or(0);
    attachment.stencil_load_op = d.stencil_load_op.value_or(LoadOp::kLoad);
    attachment.stencil_store_op = d.stencil_store_op.value_or(StoreOp::kStore);
    attachment.stencil_clear_value = d.stencil_clear_value & 0xff;  // as many bits as stencil has
    return attachment;
  }
  hal::RenderDraw Draw(const DrawCommand& command) {
    hal::RenderDraw draw;
    draw.vertex_resources = Resources(command.bindings->vertex_resources);
    draw.fragment_resources = Resources(command.bindings->fragment_resources);
    for (const BoundRange& range : command.bindings->vertex_buffers)
      draw.vertex_buffers.push_back(Whole(range));
    draw.viewport = command.state.viewport;
    draw.scissor = command.state.scissor;
    draw.blend_constant = command.state.blend_constant;
    draw.stencil_reference = command.state.stencil_reference;
    draw.occlusion_query = command.state.occlusion_query;
    draw.index_format = command.index_format;
    draw.indices = Whole(command.indices);
    draw.count = command.count;
    draw.instance_count = command.instance_count;
    draw.first = command.first;
    draw.base_vertex = command.base_vertex;
    draw.first_instance = command.first_instance;
    if (command.indirect) draw.indirect = Keep(*command.indirect);
    draw.indirect_offset = command.indirect_offset;
    draw.indirect_first_instance = indirect_first_instance_;
    return draw;
  }
  hal::RenderPass Translate(const RenderPassCommand& command) {
    passes_.emplace_back(commands_.size(), command.label);
    hal::RenderPass pass;
    pass.width = command.attachments.size.width;
    pass.height = command.attachments.size.height;
    pass.sample_count = command.attachments.layout.sample_count;
    for (const std::optional<Attachments::Color>& color : command.attachments.colors)
      pass.colors.push_back(Attachment(color));
    if (command.attachments.depth_stencil)
      pass.depth_stencil = Attachment(*command.attachments.depth_stencil);
    if (command.occlusion_queries) pass.occlusion_queries = Keep(*command.occlusion_queries);
    pass.begun_queries = command.begun_queries;
    for (const DrawCommand& draw : command.draws) {
      draws_.push_back({commands_.size(), pass.draws.size(), draw.bindings->pipeline->compiled()});
      pass.draws.push_back(Draw(draw));
    }
    return pass;
  }
  hal::CopyBuffer Translate(const CopyCommand& command) {
    return {Keep(*command.from), command.from_offset, Keep(*command.to), command.to_offset, command.size};
  }
  hal::ClearBuffer Translate(const ClearCommand& command) {
    return {Keep(*command.buffer), command.offset, command.size};
  }

  hal::WriteTimestamp Translate(const WriteTimestampCommand& command) {
    return {Keep(*command.queries), command.index};
  }
  hal::ResolveQueries Translate(const ResolveQueriesCommand& command) {
    return {Keep(*command.queries), command.first, command.count, Keep(*command.to), command.to_offset};
  }
  hal::TexelPlace Place(const TexelCopyTextureInfo& info) { return PlaceOf(Keep(*info.texture), info); }
  hal::CopyBufferToTexture Translate(const BufferToTextureCommand& command) {
    return {Keep(*command.from.buffer), LinearLayout(command.from), Place(command.to), command.size};
  }
  hal::CopyTextureToBuffer Translate(const TextureToBufferCommand& command) {
    return {Place(command.from), Keep(*command.to.buffer), LinearLayout(command.to), command.size};
  }
  hal::CopyTextureToTexture Translate(const TextureToTextureCommand& command) {
    return {Place(command.from), Place(command.to), command.size};
  }

  const hal::Limits& limits_;
  bool indirect_first_instance_;
  std::vector<hal::Command> commands_;
  std::vector<PendingDispatch> dispatches_;
  std::vector<PendingDraw> draws_;
  std::vector<std::pair<size_t, std::string>> passes_;       // the labels of render passes, by command
  std::vector<std::shared_ptr<ComputePipeline>> pipelines_;  // of dispatches_; not touched by other threads
  std::vector<std::shared_ptr<void>> memory_;
};

std::optional<Error> Validate(const Device& device,
                              std::span<const std::shared_ptr<CommandBuffer>> command_buffers) {
  for (size_t i = 0; i < command_buffers.size(); ++i) {
    const std::shared_ptr<CommandBuffer>& buffer = command_buffers[i];
    if (const Complaint complaint = CheckUsable("command buffer", buffer, device))
      return ValidationError(fmt::format("entry {} of submit: {}", i, *complaint));
    if (std::find(command_buffers.begin(), command_buffers.begin() + static_cast<ptrdiff_t>(i), buffer) !=
        command_buffers.begin() + static_cast<ptrdiff_t>(i)) {
      return ValidationError(fmt::format("{} is submitted twice", Named("command buffer", *buffer)));
    }
    for (const std::shared_ptr<Resource>& used : buffer->recording().used) {
      if (used->available()) continue;
      return ValidationError(fmt::format("{} is {} and used by a submit", Named(used->kind(), *used),
                                         used->unavailable_because()));
    }
  }
  return std::nullopt;
}

Complaint CheckWrite(const Device& device, const TexelCopyTextureInfo& destination, uint64_t bytes,
                     const TexelCopyBufferLayout& layout, const Extent3D& size) {
  static constexpr uint32_t kUsage = texture_usage::kCopyDst;
  if (Complaint complaint = CheckTexelCopyTexture(device, destination, size, kUsage)) return complaint;
  if (destination.texture->destroyed())
    return fmt::format("{} is destroyed", Named("texture", *destination.texture));
  return CheckTexelCopyLayout(destination, layout, {"the data", bytes, false}, size, kUsage);
}

// A submit on its way through the threads.
struct Job {
  Prepared commands;
  hal::ExecuteOptions options;
  observe::Findings findings;
  Watchdog* watchdog = nullptr;
  std::optional<uint64_t> endless;  // the command that took too long
  std::optional<Result<hal::ExecuteResult>> executed;

  // What the device says where the submit does not.
  void Complete(Device& device) {
    options.timestamp_step = device.options().timestamp_step;
    if (device.options().watch && options.findings == nullptr) options.findings = &findings;
    if (options.cancel != nullptr) return;
    options.cancel = &device.stop();
    watchdog = &device.watchdog();
    options.progress = &watchdog->progress();
  }
  void Run(hal::Device& device) {
    executed = commands.WaitForPipelines(*options.cancel);
    if (executed) return;
    if (watchdog != nullptr) watchdog->Begin();
    executed = commands.Run(device, options);
    if (watchdog != nullptr) endless = watchdog->End();
  }
};

SubmitResult Finish(Device& device, Job& job) {
  if (!job.findings.empty()) device.TellFindings(job.findings, job.commands.pipelines());
  SubmitResult result;
  if (job.endless) {
    result.failure = Failure{FailureKind::kProgram,
                             fmt::format("{} takes more than {} s: it is stopped, and the device is lost",
                                         job.commands.NameOf(*job.endless), job.watchdog->seconds())};
  } else if (!job.executed->ok()) {
    result.failure = job.executed->failure();
  } else {
    result.ran = true;
    result.times = std::move(**job.executed);
    return result;
  }
  if (result.failure->kind != FailureKind::kInterrupted) device.Lose(result.failure->message);
  return result;
}

}  // namespace

const SubmitResult& Submission::Wait() {
  events_->ProcessUntil([this] { return result_.has_value(); });
  return *result_;
}

std::shared_ptr<Submission> Queue::Submit(std::span<const std::shared_ptr<CommandBuffer>> command_buffers,
                                          const hal::ExecuteOptions& options) {
  auto submission = std::make_shared<Submission>(device().shared_events());
  auto job = std::make_shared<Job>(Job{Prepared(device()), options, {}, nullptr, {}, {}});
  const std::optional<Error> error = Validate(device(), command_buffers);
  const bool runs = !error && !device().lost();
  for (const std::shared_ptr<CommandBuffer>& buffer : command_buffers) {
    if (!buffer) continue;
    for (const RecordedCommand& command : buffer->recording().commands) {
      if (runs) job->commands.Add(command);
    }
    buffer->Invalidate("it was submitted already");  // error or not
  }
  if (!runs) {
    if (error) device().Report(*error);
    submission->result_.emplace();
    return submission;
  }
  job->Complete(device());
  device().queue_worker().Do(
      [&hal = device().hal(), job = job.get()] { job->Run(hal); },
      [device = shared_device(), job, submission] { submission->result_ = Finish(*device, *job); });
  return submission;
}

void Queue::WriteBuffer(const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                        std::span<const std::byte> data) {
  const auto fail = [&](const std::string& message) {
    device().Report(ValidationError("writeBuffer: " + message));
  };
  if (const Complaint complaint = CheckUsable("buffer", buffer, device())) return fail(*complaint);
  const std::string name = Named("buffer", *buffer);
  if (!buffer->available()) return fail(fmt::format("{} is {}", name, buffer->unavailable_because()));
  if (!buffer->Has(buffer_usage::kCopyDst)) return fail(fmt::format("{} lacks the usage COPY_DST", name));
  if (offset % 4 != 0) return fail(fmt::format("the offset {} into {} is not a multiple of 4", offset, name));
  if (data.size() % 4 != 0)
    return fail(fmt::format("{} bytes for {} are not a multiple of 4", data.size(), name));
  if (offset > buffer->size() || data.size() > buffer->size() - offset) {
    return fail(
        fmt::format("{} bytes at {} do not fit {} of {} bytes", data.size(), offset, name, buffer->size()));
  }
  if (data.empty() || device().lost()) return;
  const auto write = [offset](hal::Buffer& memory, std::span<const std::byte> bytes) {
    std::memcpy(memory.bytes().data() + offset, bytes.data(), bytes.size());
  };
  if (device().queue_worker().idle()) return write(*buffer->memory(), data);
  auto copy = std::make_shared<std::vector<std::byte>>(data.begin(), data.end());
  device().queue_worker().Do(
      [write, memory = buffer->memory().get(), copy = copy.get()] { write(*memory, *copy); },
      [memory = buffer->memory(), copy] {});
}

void Queue::WriteTexture(const TexelCopyTextureInfo& destination, std::span<const std::byte> data,
                         const TexelCopyBufferLayout& data_layout, const Extent3D& size) {
  if (const Complaint complaint = CheckWrite(device(), destination, data.size(), data_layout, size))
    return device().Report(ValidationError("writeTexture: " + *complaint));
  if (size.empty() || device().lost()) return;
  const std::span<const std::byte> used =
      data.subspan(data_layout.offset, RequiredBytes(destination, data_layout, size));
  TexelCopyBufferLayout layout = data_layout;
  layout.offset = 0;
  struct Write {
    std::shared_ptr<hal::Texture> memory;
    std::vector<std::byte> data;
    hal::WriteTexture write;
    std::optional<Failure> failure;
    void Run(hal::Device& device) {
      const hal::Command command = write;
      const Result<hal::ExecuteResult> done = device.Execute({&command, 1}, {});
      if (!done.ok()) failure = done.failure();
    }
  };
  auto job = std::make_shared<Write>();
  job->memory = destination.texture->memory();
  job->write = {used, LinearLayout(layout), PlaceOf(job->memory.get(), destination), size};
  const auto finish = [device = shared_device(), job] {
    if (job->failure) device->Lose(job->failure->message);
  };
  if (device().queue_worker().idle()) {
    job->Run(device().hal());
    return finish();
  }
  job->data.assign(used.begin(), used.end());
  job->write.from = job->data;
  device().queue_worker().Do([&hal = device().hal(), job = job.get()] { job->Run(hal); }, finish);
}

std::span<const std::byte> Queue::ReadBuffer(const Buffer& buffer) const {
  return buffer.memory() != nullptr
             ? std::span<const std::byte>(buffer.memory()->bytes()).first(buffer.size())
             : std::span<const std::byte>();
}

}  // namespace lockstep::gpu::core
