// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The graph of WGSL's uniformity analysis (#uniformity-function) for one function. A node stands for a
// statement such as "this point runs in uniform control flow" or "this value is uniform"; an edge a -> b
// reads "a holds only if b does". What reaches MayBeNonUniform cannot be shown to be uniform; what must be
// uniform and reaches it is an error.
//
// Nodes are numbered, edges linked lists in one vector; every question is one breadth-first walk, so that a
// function costs time linear in its size and the paths that messages are made of are shortest ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/id.h"

namespace lockstep::wgsl::uniformity {

struct NodeId : IdBase<NodeId> {
  using IdBase::IdBase;
};

enum class NodeKind : uint8_t {
  kMayBeNonUniform,
  kControlStart,   // control flow where the function is called
  kParam,          // the value (or address) of parameter `payload`
  kParamContents,  // the memory behind function-space pointer parameter `payload`
  kValue,          // a value, or a variable's value at some point
  kControl,        // control flow where paths join
  kBranch,         // control flow behind the condition `payload` (an ExprId)
  kSource,         // expression `payload` reads what may be non-uniform
  kInput,          // entry point parameter `payload` (its position) may be non-uniform
  kCall,           // result of the call `payload` (an ExprId)
  kCallContents,   // memory behind argument `extra` after the call `payload`
};

struct Node {
  NodeKind kind = NodeKind::kValue;
  uint32_t payload = 0;
  uint32_t extra = 0;
  uint32_t first_edge = 0xffffffffu;
};

class Graph {
 public:
  static constexpr NodeId kNonUniform{0};  // MayBeNonUniform is the first node of every graph

  Graph() { Clear(); }
  void Clear();
  NodeId Add(NodeKind kind, uint32_t payload = 0, uint32_t extra = 0);
  void Edge(NodeId from, NodeId to);
  const Node& operator[](NodeId id) const { return nodes_[id.index]; }
  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }

  // For each node the next one on a shortest way to MayBeNonUniform; None where there is no way.
  std::vector<NodeId> WaysToNonUniform() const;

  // For each of `targets` which of `sources` it reaches: sorted positions in `sources`. Linear in the graph
  // for each 64 sources, whatever the number of targets.
  std::vector<std::vector<uint32_t>> Reaches(std::span<const NodeId> targets,
                                             std::span<const NodeId> sources) const;

  // A walk forward over several starts in turn. A node belongs to the first start that reaches it.
  class Walk {
   public:
    explicit Walk(const Graph& graph);
    void From(NodeId start, uint32_t tag);
    bool Reached(NodeId node) const { return tags_[node.index] != kNoTag; }
    uint32_t TagOf(NodeId node) const { return tags_[node.index]; }
    // From the start that reached `node` to `node`, both included.
    std::vector<NodeId> PathTo(NodeId node) const;

   private:
    static constexpr uint32_t kNoTag = 0xffffffffu;
    const Graph& graph_;
    std::vector<uint32_t> tags_;
    std::vector<NodeId> parents_;
    std::vector<NodeId> queue_;
  };

 private:
  struct EdgeTo {
    NodeId to;
    uint32_t next;
  };
  // Nodes by strongly connected component, each component after those that it has edges to.
  struct Components {
    std::vector<uint32_t> of;   // by node
    std::vector<NodeId> nodes;  // in that order
    uint32_t count = 0;
  };
  Components FindComponents(std::span<const NodeId> starts) const;
  std::vector<Node> nodes_;
  std::vector<EdgeTo> edges_;
};

}  // namespace lockstep::wgsl::uniformity
