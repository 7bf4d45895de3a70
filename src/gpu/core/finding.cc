// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/finding.h"

#include <utility>

#include "gpu/core/compute_pipeline.h"
#include "gpu/core/device.h"
#include "gpu/core/shader_module.h"
#include "observe/report/wording.h"

namespace lockstep::gpu::core {
namespace {

FindingKey KeyOf(const observe::Race& race) {
  return {race.first.span, race.second.span, race.first.kind, race.second.kind};
}
FindingKey KeyOf(const observe::OutOfBounds& access) {
  return {access.span, access.span, access.kind, access.kind};
}

}  // namespace

void Device::TellFindings(const observe::Findings& findings,
                          const std::vector<std::shared_ptr<ComputePipeline>>& dispatched) {
  const auto tell = [&](const auto& what, diag::Diagnostic diagnostic) {
    ComputePipeline& pipeline = *dispatched[what.dispatch];
    const SourceFile& file = pipeline.module()->source();
    if (!pipeline.IsNew(KeyOf(what)) || !options_.findings) return;
    std::string text = diag::RenderText(diagnostic, file);
    options_.findings({pipeline.label(), std::move(text), std::move(diagnostic), what});
  };
  for (const observe::Race& race : findings.races) {
    const SourceFile& file = dispatched[race.dispatch]->module()->source();
    tell(race, observe::Describe(race, dispatched.size(), file));
  }
  for (const observe::OutOfBounds& access : findings.out_of_bounds)
    tell(access, observe::Describe(access, dispatched.size()));
}

}  // namespace lockstep::gpu::core
