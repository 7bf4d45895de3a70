// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/finding.h"

#include <utility>

#include "gpu/core/compute_pipeline.h"
#include "gpu/core/device.h"
#include "gpu/core/prepared_commands.h"
#include "gpu/core/render_pipeline.h"
#include "gpu/core/shader_module.h"
#include "observe/report/wording.h"

namespace lockstep::gpu::core {
namespace {

// The shader that an access stands in, and its pipeline.
struct Origin {
  Pipeline& pipeline;
  const SourceFile& file;
};

Origin OriginOf(const observe::Invoker& invoker, uint32_t number, const PreparedCommands& commands) {
  if (std::holds_alternative<observe::Invocation>(invoker)) {
    ComputePipeline& pipeline = *commands.pipelines()[number];
    return {pipeline, pipeline.module()->source()};
  }
  const auto* vertex = std::get_if<observe::ShadedVertex>(&invoker);
  const uint32_t draw = vertex != nullptr ? vertex->draw : std::get<observe::ShadedFragment>(invoker).draw;
  RenderPipeline& pipeline = *commands.drawn()[number][draw];
  return {pipeline, (vertex != nullptr ? pipeline.vertex_module() : pipeline.fragment_module())->source()};
}

}  // namespace

void Device::TellFindings(const observe::Findings& findings, const PreparedCommands& commands) {
  const auto tell = [&](const Origin& origin, const FindingKey& key, const auto& what,
                        diag::Diagnostic diagnostic) {
    if (!origin.pipeline.IsNew(key) || !options_.findings) return;
    std::string text = diag::RenderText(diagnostic, origin.file);
    options_.findings({std::string(origin.pipeline.kind()), origin.pipeline.label(), std::move(text),
                       std::move(diagnostic), what});
  };
  const auto count_of = [&](const observe::Invoker& invoker) {
    return std::holds_alternative<observe::Invocation>(invoker) ? commands.pipelines().size()
                                                                : commands.drawn().size();
  };
  for (const observe::Race& race : findings.races) {
    const Origin first = OriginOf(race.first.by, race.dispatch, commands);
    const Origin second = OriginOf(race.second.by, race.dispatch, commands);
    const FindingKey key = {&first.file,      &second.file,    race.first.span,
                            race.second.span, race.first.kind, race.second.kind};
    tell(first, key, race, observe::Describe(race, count_of(race.first.by), first.file, second.file));
  }
  for (const observe::OutOfBounds& access : findings.out_of_bounds) {
    const Origin origin = OriginOf(access.first, access.dispatch, commands);
    const FindingKey key = {&origin.file, &origin.file, access.span, access.span, access.kind, access.kind};
    tell(origin, key, access, observe::Describe(access, count_of(access.first)));
  }
}

}  // namespace lockstep::gpu::core
