// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WGSL: #func-var-value-analysis. Instead of a node for each variable at each statement there is one current
// node for each variable, with a log of changes: a branch runs, its changes are taken back, the other branch
// runs, and only the variables that either of them changed get a joining node. Cost is proportional to
// assignments (times how deeply they are nested), not to variables times statements.
#include <algorithm>

#include "wgsl/uniformity_impl.h"

namespace lockstep::wgsl::uniformity {

void VariableValues::Clear() {
  log_.clear();
  changed_.clear();
}

void VariableValues::Set(VariableId variable, NodeId value) {
  log_.emplace_back(variable, current_[variable.index]);
  changed_.push_back(variable);
  current_[variable.index] = value;
}

VariableValues::Changes VariableValues::TakeBack(Mark mark) {
  Changes changes;
  ++stamp_;
  for (size_t i = mark; i < log_.size(); ++i) {
    const VariableId variable = log_[i].first;
    if (stamps_[variable.index] == stamp_) continue;
    stamps_[variable.index] = stamp_;
    changes.emplace_back(variable, current_[variable.index]);
  }
  while (log_.size() > mark) {
    const auto [variable, before] = log_.back();
    log_.pop_back();
    current_[variable.index] = before;
    changed_.push_back(variable);
  }
  return changes;
}

void VariableValues::Apply(const Changes& changes) {
  for (const auto& [variable, value] : changes) Set(variable, value);
}

void VariableValues::Merge(const Changes& left, const Changes& right) {
  const uint32_t left_stamp = ++stamp_;
  for (const auto& [variable, value] : left) {
    stamps_[variable.index] = left_stamp;
    left_[variable.index] = value;
  }
  const auto join = [&](VariableId variable, NodeId a, NodeId b) {
    if (!a.has_value() || !b.has_value()) return;  // declared inside of the branch
    if (a == b) return Set(variable, a);
    const NodeId node = graph_.Add(NodeKind::kValue);
    graph_.Edge(node, a);
    graph_.Edge(node, b);
    Set(variable, node);
  };
  const uint32_t done_stamp = ++stamp_;
  for (const auto& [variable, value] : right) {
    const bool in_left = stamps_[variable.index] == left_stamp;
    join(variable, in_left ? left_[variable.index] : current_[variable.index], value);
    stamps_[variable.index] = done_stamp;
  }
  for (const auto& [variable, value] : left) {
    if (stamps_[variable.index] != done_stamp) join(variable, value, current_[variable.index]);
  }
}

void VariableValues::RecordOne(Join& join, size_t slot) {
  Join::Entry& entry = join.entries[slot];
  const NodeId now = current_[(*join.variables)[slot].index];
  if (!now.has_value() || now == entry.last) return;
  if (!entry.last.has_value()) {
    entry.node = now;
  } else {
    if (entry.node == entry.last) {
      entry.node = graph_.Add(NodeKind::kValue);
      graph_.Edge(entry.node, entry.last);
    }
    graph_.Edge(entry.node, now);
  }
  entry.last = now;
}

void VariableValues::Record(Join& join) {
  if (join.variables == nullptr) return;
  if (!join.is_reached) {
    join.is_reached = true;
    join.entries.resize(join.variables->size());
    for (size_t slot = 0; slot < join.entries.size(); ++slot) RecordOne(join, slot);
  } else {
    for (size_t i = join.seen; i < changed_.size(); ++i) {
      const auto found = std::lower_bound(join.variables->begin(), join.variables->end(), changed_[i]);
      if (found == join.variables->end() || *found != changed_[i]) continue;
      RecordOne(join, static_cast<size_t>(found - join.variables->begin()));
    }
  }
  join.seen = changed_.size();
}

void VariableValues::Apply(const Join& join) {
  if (!join.is_reached) return;
  for (size_t slot = 0; slot < join.entries.size(); ++slot) {
    if (join.entries[slot].node.has_value()) Set((*join.variables)[slot], join.entries[slot].node);
  }
}

}  // namespace lockstep::wgsl::uniformity
