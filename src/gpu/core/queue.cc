// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/core/device.h"
#include "gpu/core/prepared_commands.h"

namespace lockstep::gpu::core {
namespace {

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
  PreparedCommands commands;
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
  if (!job.findings.empty()) device.TellFindings(job.findings, job.commands);
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
  auto job = std::make_shared<Job>(Job{PreparedCommands(device()), options, {}, nullptr, {}, {}});
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
