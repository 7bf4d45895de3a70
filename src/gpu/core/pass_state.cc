// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/pass_state.h"

#include <fmt/format.h>

#include <utility>

#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"

namespace lockstep::gpu::core {

bool PassState::CheckOpen(const BindingCommands& pass, std::string_view call) const {
  if (ended_) {
    pass.device().Report(ValidationError(fmt::format("{}: the pass has ended", pass.Where(call))));
    return false;
  }
  return pass.valid();
}

void PassState::Fail(const BindingCommands& pass, std::string message) {
  encoder_->FailIn(pass, std::move(message));
}

void PassState::Use(const std::shared_ptr<Resource>& resource) { encoder_->Use(resource); }

void PassState::Record(RecordedCommand command) {
  encoder_->recording_.commands.push_back(std::move(command));
}

bool PassState::End(const BindingCommands& pass) {
  const auto refuse = [&](std::string_view why) {
    pass.device().Report(ValidationError(fmt::format("{}: {}", pass.Where("end"), why)));
    return false;
  };
  if (ended_) return refuse("the pass has ended");
  if (!begun_) return refuse("the pass was not begun");
  if (encoder_->state_ != CommandEncoder::State::kLocked) return refuse("the encoder is finished");
  ended_ = true;
  encoder_->state_ = CommandEncoder::State::kOpen;
  return true;
}

void PassState::RecordEnd() {
  if (at_end_) Record(*at_end_);
}

}  // namespace lockstep::gpu::core
