// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/uniformity_graph.h"

#include <algorithm>

namespace lockstep::wgsl::uniformity {

namespace {
constexpr uint32_t kNoEdge = 0xffffffffu;
}  // namespace

void Graph::Clear() {
  nodes_.clear();
  edges_.clear();
  Add(NodeKind::kMayBeNonUniform);
}

NodeId Graph::Add(NodeKind kind, uint32_t payload, uint32_t extra) {
  nodes_.push_back({kind, payload, extra, kNoEdge});
  return NodeId(static_cast<uint32_t>(nodes_.size() - 1));
}

void Graph::Edge(NodeId from, NodeId to) {
  if (from == to) return;
  edges_.push_back({to, nodes_[from.index].first_edge});
  nodes_[from.index].first_edge = static_cast<uint32_t>(edges_.size() - 1);
}

std::vector<NodeId> Graph::WaysToNonUniform() const {
  // Edges by their target, in one array.
  std::vector<uint32_t> starts(nodes_.size() + 1, 0);
  for (const EdgeTo& edge : edges_) ++starts[edge.to.index + 1];
  for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<NodeId> sources(edges_.size());
  std::vector<uint32_t> fill(starts.begin(), starts.end() - 1);
  for (uint32_t from = 0; from < nodes_.size(); ++from) {
    for (uint32_t e = nodes_[from].first_edge; e != kNoEdge; e = edges_[e].next) {
      sources[fill[edges_[e].to.index]++] = NodeId(from);
    }
  }
  std::vector<NodeId> ways(nodes_.size());
  std::vector<NodeId> queue = {kNonUniform};
  ways[kNonUniform.index] = kNonUniform;
  for (size_t i = 0; i < queue.size(); ++i) {
    const NodeId node = queue[i];
    for (uint32_t e = starts[node.index]; e < starts[node.index + 1]; ++e) {
      if (ways[sources[e].index].has_value()) continue;
      ways[sources[e].index] = node;
      queue.push_back(sources[e]);
    }
  }
  return ways;
}

// Tarjan's algorithm with its own stack, over what `starts` reach.
Graph::Components Graph::FindComponents(std::span<const NodeId> starts) const {
  constexpr uint32_t kUnseen = 0xffffffffu;
  struct Open {
    NodeId node;
    uint32_t edge;
  };
  Components out;
  out.of.assign(nodes_.size(), kUnseen);
  std::vector<uint32_t> order(nodes_.size(), kUnseen), low(nodes_.size(), 0);
  std::vector<NodeId> pending;
  std::vector<Open> open;
  uint32_t next_order = 0;
  const auto enter = [&](NodeId node) {
    order[node.index] = low[node.index] = next_order++;
    pending.push_back(node);
    open.push_back({node, nodes_[node.index].first_edge});
  };
  for (const NodeId start : starts) {
    if (order[start.index] == kUnseen) enter(start);
    while (!open.empty()) {
      const NodeId node = open.back().node;
      if (const uint32_t e = open.back().edge; e != kNoEdge) {
        open.back().edge = edges_[e].next;
        const NodeId to = edges_[e].to;
        if (order[to.index] == kUnseen) {
          enter(to);
        } else if (out.of[to.index] == kUnseen) {
          low[node.index] = std::min(low[node.index], order[to.index]);
        }
        continue;
      }
      open.pop_back();
      if (!open.empty()) low[open.back().node.index] = std::min(low[open.back().node.index], low[node.index]);
      if (low[node.index] != order[node.index]) continue;
      for (NodeId member; member != node; pending.pop_back()) {
        member = pending.back();
        out.of[member.index] = out.count;
        out.nodes.push_back(member);
      }
      ++out.count;
    }
  }
  return out;
}

std::vector<std::vector<uint32_t>> Graph::Reaches(std::span<const NodeId> targets,
                                                  std::span<const NodeId> sources) const {
  const Components components = FindComponents(targets);
  std::vector<std::vector<uint32_t>> reached(targets.size());
  for (size_t first = 0; first < sources.size(); first += 64) {
    std::vector<uint64_t> own(nodes_.size(), 0), bits(components.count, 0);
    const size_t count = std::min<size_t>(64, sources.size() - first);
    for (size_t i = 0; i < count; ++i) own[sources[first + i].index] |= uint64_t{1} << i;
    for (const NodeId node : components.nodes) {
      uint64_t& mine = bits[components.of[node.index]];
      mine |= own[node.index];
      for (uint32_t e = nodes_[node.index].first_edge; e != kNoEdge; e = edges_[e].next) {
        mine |= bits[components.of[edges_[e].to.index]];
      }
    }
    for (size_t t = 0; t < targets.size(); ++t) {
      for (size_t i = 0; i < count; ++i) {
        const bool reaches = (bits[components.of[targets[t].index]] >> i & 1) != 0;
        if (reaches) reached[t].push_back(static_cast<uint32_t>(first + i));
      }
    }
  }
  return reached;
}

Graph::Walk::Walk(const Graph& graph)
    : graph_(graph), tags_(graph.nodes_.size(), kNoTag), parents_(graph.nodes_.size()) {}

void Graph::Walk::From(NodeId start, uint32_t tag) {
  if (Reached(start)) return;
  queue_.assign(1, start);
  tags_[start.index] = tag;
  for (size_t i = 0; i < queue_.size(); ++i) {
    const NodeId node = queue_[i];
    for (uint32_t e = graph_.nodes_[node.index].first_edge; e != kNoEdge; e = graph_.edges_[e].next) {
      const NodeId to = graph_.edges_[e].to;
      if (Reached(to)) continue;
      tags_[to.index] = tag;
      parents_[to.index] = node;
      queue_.push_back(to);
    }
  }
}

std::vector<NodeId> Graph::Walk::PathTo(NodeId node) const {
  std::vector<NodeId> path;
  for (; node.has_value(); node = parents_[node.index]) path.push_back(node);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace lockstep::wgsl::uniformity
