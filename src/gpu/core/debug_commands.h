// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUDebugCommandsMixin (#debug-markers): what all encoders have. The labels of the groups that are open
// stand in the messages of errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/error.h"

namespace lockstep::gpu::core {

class DebugCommands {
 public:
  // `outer`: whose open groups hold these, as an encoder's do a pass's.
  explicit DebugCommands(const DebugCommands* outer = nullptr) : outer_(outer) {}
  virtual ~DebugCommands() = default;
  void PushDebugGroup(std::string label);
  void PopDebugGroup();
  void InsertDebugMarker(std::string_view label);
  // " (in the debug group 'frame / blur')", or nothing.
  std::string InDebugGroup() const;

 protected:
  // WebGPU: #abstract-opdef-validate-the-encoder-state.
  virtual bool CheckOpen(std::string_view call) = 0;
  virtual void Fail(std::string message) = 0;  // spoils the encoder

  const std::vector<std::string>& debug_groups() const { return debug_groups_; }
  // A pass or bundle must not end with groups that are open.
  Complaint CheckPopped() const;

 private:
  const DebugCommands* outer_;
  std::vector<std::string> debug_groups_;  // those that are open, outermost first
};

}  // namespace lockstep::gpu::core
