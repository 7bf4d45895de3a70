// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Small programs, run end to end: the body of `main` reads words of `in` through i(k), u(k), f(k) and writes
// `out`.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "support/run_program.h"

namespace lockstep::lower {

using tests::Words;

inline uint32_t Bits(float v) { return std::bit_cast<uint32_t>(v); }
inline uint32_t Bits(int32_t v) { return static_cast<uint32_t>(v); }
inline float AsFloat(uint32_t v) { return std::bit_cast<float>(v); }

inline Words Floats(std::initializer_list<float> values) {
  Words words;
  for (const float v : values) words.push_back(Bits(v));
  return words;
}
inline Words Ints(std::initializer_list<int32_t> values) {
  Words words;
  for (const int32_t v : values) words.push_back(Bits(v));
  return words;
}

struct Snippet {
  std::string body;
  Words expected;  // the first words of `out`, which starts as zeros
  Words in = {0};
  std::string globals = {};
  uint32_t invocations = 1;
  uint32_t workgroups = 1;
};

inline std::string TextOf(const Snippet& s) {
  return "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
         "@group(0) @binding(1) var<storage, read> in: array<u32>;\n"
         "fn u(k: u32) -> u32 { return in[k]; }\n"
         "fn i(k: u32) -> i32 { return bitcast<i32>(in[k]); }\n"
         "fn f(k: u32) -> f32 { return bitcast<f32>(in[k]); }\n"
         "fn put(k: u32, v: f32) { out[k] = bitcast<u32>(v); }\n"
         "fn put_i(k: u32, v: i32) { out[k] = bitcast<u32>(v); }\n" +
         s.globals + "\n@compute @workgroup_size(" + std::to_string(s.invocations) +
         ") fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) g: vec3u,\n"
         "          @builtin(workgroup_id) w: vec3u) {\n" +
         s.body + "\n}\n";
}

// The contents of `out` as lowered, and whether the CPU pipeline changes nothing; empty on any failure.
inline Words RunSnippet(const Snippet& s) {
  const tests::BuiltModule built = tests::BuildModule(TextOf(s));
  EXPECT_EQ(built.error, "");
  if (!built.error.empty()) return {};
  const size_t words = std::max<size_t>(s.expected.size(), 64);
  std::map<tests::Slot, Words> plain = {{{0, 0}, Words(words, 0)}, {{0, 1}, s.in}};
  std::map<tests::Slot, Words> reference = plain, processed = plain;
  interp::Options options;
  options.max_steps = 20'000'000;
  EXPECT_EQ(tests::RunModule(*built.lowered, &plain, {s.workgroups, 1, 1}, options), "");
  EXPECT_EQ(tests::RunModule(*built.reference, &reference, {s.workgroups, 1, 1}, options), "");
  options.expect_robust = true;
  EXPECT_EQ(tests::RunModule(*built.processed, &processed, {s.workgroups, 1, 1}, options), "")
      << ir::Print(*built.processed);
  EXPECT_EQ((reference[{0, 0}]), (processed[{0, 0}]))
      << ir::Print(*built.lowered) << ir::Print(*built.processed);
  return plain[{0, 0}];
}

inline void Check(const Snippet& s) {
  SCOPED_TRACE(s.globals + "\n" + s.body);
  Words out = RunSnippet(s);
  out.resize(s.expected.size());
  EXPECT_EQ(out, s.expected);
}

inline void CheckAll(std::initializer_list<Snippet> snippets) {
  for (const Snippet& s : snippets) Check(s);
}

}  // namespace lockstep::lower
