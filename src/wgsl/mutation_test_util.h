// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Broken shaders for tests: takes valid ones apart into tokens and puts them together wrongly. Random bytes
// seldom get past the lexer; tokens in wrong places reach every rule of the resolver and the evaluator.
#pragma once

#include <cctype>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::wgsl {

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  // Words from `text` may replace others from now on.
  void Learn(std::string_view text) {
    for (std::string& token : Tokens(text)) {
      if (token[0] != ' ' && token[0] != '\n') words_.push_back(std::move(token));
    }
  }

  std::string Mutate(std::string_view text) {
    std::vector<std::string> tokens = Tokens(text);
    for (uint32_t changes = 1 + Below(4); changes > 0 && !tokens.empty(); --changes) Change(&tokens);
    std::string out;
    for (const std::string& token : tokens) out += token;
    if (Below(16) == 0 && !out.empty()) out[Below(out.size())] = static_cast<char>(Below(256));
    return out;
  }

  uint32_t Below(size_t n) { return static_cast<uint32_t>(random_() % n); }

 private:
  // Words, numbers, single signs and runs of blanks.
  static std::vector<std::string> Tokens(std::string_view text) {
    std::vector<std::string> tokens;
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    for (size_t i = 0; i < text.size();) {
      size_t end = i + 1;
      if (is_word(text[i])) {
        while (end < text.size() && is_word(text[end])) ++end;
      } else if (text[i] == ' ') {
        while (end < text.size() && text[end] == ' ') ++end;
      }
      tokens.emplace_back(text.substr(i, end - i));
      i = end;
    }
    return tokens;
  }

  void Change(std::vector<std::string>* tokens) {
    const size_t at = Below(tokens->size());
    const auto place = tokens->begin() + static_cast<std::ptrdiff_t>(at);
    const size_t rest = tokens->size() - at;
    switch (Below(6)) {
      case 0:
        tokens->erase(place, place + static_cast<std::ptrdiff_t>(1 + Below(std::min<size_t>(rest, 8))));
        return;
      case 1:
        std::swap((*tokens)[at], (*tokens)[Below(tokens->size())]);
        return;
      case 2: {  // a piece once more, anywhere
        const std::vector<std::string> piece(
            place, place + static_cast<std::ptrdiff_t>(1 + Below(std::min<size_t>(rest, 20))));
        tokens->insert(tokens->begin() + Below(tokens->size()), piece.begin(), piece.end());
        return;
      }
      case 3:
        (*tokens)[at] = kStrange[Below(std::size(kStrange))];
        return;
      default:
        if (!words_.empty()) (*tokens)[at] = words_[Below(words_.size())];
    }
  }

  static constexpr const char* kStrange[] = {"0",
                                             "1",
                                             "-1",
                                             "4294967295",
                                             "2147483648",
                                             "-9223372036854775808",
                                             "9223372036854775807",
                                             "1e38",
                                             "-1e400f",
                                             "0x1p-149",
                                             "1u",
                                             "0i",
                                             "1.0",
                                             "true",
                                             "(",
                                             ")",
                                             "{",
                                             "}",
                                             "<",
                                             ">",
                                             "[",
                                             "]",
                                             ",",
                                             ";",
                                             ".xyzw",
                                             ".x",
                                             "&",
                                             "*",
                                             "-",
                                             "!",
                                             "/",
                                             "%",
                                             "<<",
                                             ">>",
                                             "&&",
                                             "vec3f",
                                             "mat2x2f",
                                             "array<i32, 3>",
                                             "array<u32>",
                                             "atomic<u32>",
                                             "bool",
                                             "f32",
                                             "ptr<function, i32>",
                                             "override",
                                             "const",
                                             "let",
                                             "var",
                                             "var<workgroup>",
                                             "fn",
                                             "return",
                                             "@id(1)",
                                             "loop",
                                             "break",
                                             "continue",
                                             "continuing",
                                             "switch",
                                             "default",
                                             "discard",
                                             "struct",
                                             "alias",
                                             "_",
                                             "workgroupBarrier()"};

  std::mt19937_64 random_;
  std::vector<std::string> words_;
};

// Valid shaders that between them use most of the language; mutation starts here.
inline constexpr const char* kShaderCorpus[] = {
    R"(struct S { a: f32, @align(16) b: vec3f, c: array<vec2u, 4> }
struct Tail { n: atomic<u32>, data: array<S> }
@group(0) @binding(0) var<storage, read_write> tail: Tail;
@group(0) @binding(1) var<uniform> u: S;
@group(0) @binding(2) var<storage> input: array<mat3x4f>;
var<workgroup> tile: array<array<f32, 8>, 4>;
var<private> p: vec4i = vec4i(1, 2, 3, 4);
fn helper(a: ptr<function, vec3f>, b: f32) -> f32 {
  (*a).x = b * 2 - a.y; a[1] += 1;
  let m = input[0] * vec3f(1); let t = transpose(mat2x2f(1, 2, 3, 4));
  return dot(*a, vec3f(b)) + m.x + t[0][1] + determinant(t);
}
@compute @workgroup_size(8, 4) fn main(@builtin(local_invocation_index) i: u32, @builtin(global_invocation_id) g: vec3u) {
  var v = vec3f(f32(i), 1, -2.5);
  tile[i / 8][i % 8] = helper(&v, u.b.z);
  workgroupBarrier();
  let old = atomicAdd(&tail.n, 1u);
  if old < arrayLength(&tail.data) { tail.data[old].c[i & 3] = g.xy; }
  p = select(p.wzyx, abs(p), p > vec4i(2)); p.x++; p.y <<= 1u;
  storageBarrier();
}
)",
    R"(override n: u32 = 4; @id(3) override scale: f32 = 1.5; override flag = n > 2 && 8 / n > 1;
const big = 1 << 20; const pi = 3.14159; const v = vec3(1, 2.5, pi); const arr = array(1, 2, 3);
const f = frexp(1.5).fract + modf(v.y).whole; const_assert big > 2 && arr[2] == 3;
alias F = f32;
var<workgroup> shared_values: array<F, n * 2>;
@group(0) @binding(0) var<storage, read_write> out: array<f32>;
fn pick(x: i32) -> F {
  switch x { case 1, 2: { return 1; } case 3, default: { return F(x) * scale; } }
}
@compute @workgroup_size(n) fn main(@builtin(local_invocation_id) id: vec3<u32>) {
  for (var k = 0u; k < n; k++) { if k == 3 { continue; } shared_values[k] = pow(f32(k), 2.0) + clamp(scale, 0, 1); }
  workgroupBarrier();
  var sum = 0.0; var j: i32 = 0;
  loop { sum += shared_values[id.x] * pick(j); continuing { j += 1; break if j >= 4; } }
  while sum > 10 { sum /= 2; }
  let bits = pack4x8unorm(vec4f(sum)) ^ bitcast<u32>(sum); let q = quantizeToF16(sum);
  out[id.x] = select(sum, -q, flag) + f32(countOneBits(bits) + extractBits(bits, 3, 5)) + f;
}
)",
    R"(@group(0) @binding(0) var<storage, read_write> bins: array<atomic<u32>, 16>;
@group(0) @binding(1) var<storage, read> data: array<f32>;
var<workgroup> local: array<atomic<i32>, 16>; var<workgroup> flag: bool;
@diagnostic(off, derivative_uniformity)
fn add(p: ptr<storage, atomic<u32>, read_write>, x: u32) { let r = atomicCompareExchangeWeak(p, x, x + 1); if r.exchanged { return; } }
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) w: vec3u) {
  if id.x == 0 { flag = data[0] > 0; }
  let all_of = workgroupUniformLoad(&flag);
  for (var i = id.x; i < arrayLength(&data); i += w.x * 64) {
    let slot = u32(clamp(data[i], 0.0, 15.0)); atomicMax(&local[slot], i32(i)); _ = atomicLoad(&local[slot]);
    if all_of && !(slot == 3 || slot >= 12) { bins_add(slot); }
  }
  add(&bins[id.x % 16], 1u);
}
fn bins_add(slot: u32) { atomicAdd(&bins[slot], 1); { let slot = vec2<bool>(true, false); _ = any(slot); } }
)"};

}  // namespace lockstep::wgsl
