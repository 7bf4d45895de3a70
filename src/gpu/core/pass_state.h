// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// How passes and their encoder stand to each other (#command-encoding): a pass locks its encoder until it
// ends, and its commands and errors become the encoder's.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/core/binding_commands.h"
#include "gpu/core/command_buffer.h"

namespace lockstep::gpu::core {

class CommandEncoder;

class PassState {
 public:
  // `begun`: false where the encoder could not begin the pass.
  PassState(std::shared_ptr<CommandEncoder> encoder, bool begun)
      : encoder_(std::move(encoder)), begun_(begun) {}

  // WebGPU: #abstract-opdef-validate-the-encoder-state.
  bool CheckOpen(const BindingCommands& pass, std::string_view call) const;
  void Fail(const BindingCommands& pass, std::string message);
  void Use(const std::shared_ptr<Resource>& resource);
  void Record(RecordedCommand command);
  // False where it cannot end now, which was told.
  bool End(const BindingCommands& pass);
  // After the pass's own commands.
  void RecordEnd();
  void set_at_end(std::optional<WriteTimestampCommand> at_end) { at_end_ = std::move(at_end); }

 private:
  std::shared_ptr<CommandEncoder> encoder_;
  std::optional<WriteTimestampCommand> at_end_;
  bool begun_;
  bool ended_ = false;
};

}  // namespace lockstep::gpu::core
