// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "observe/race/detector.h"

#include <bit>

#include "observe/race/cell.h"

namespace lockstep::observe::race {
namespace {

constexpr uint64_t kOneEpoch = uint64_t{1} << kEpochShift;

}  // namespace

void WordSet::Add(uint32_t memory, uint64_t word, uint64_t words_of_memory) {
  std::vector<uint64_t>& bits = bits_[memory];
  if (bits.empty()) bits.resize((words_of_memory + 63) / 64);
  bits[word / 64] |= uint64_t{1} << (word % 64);
  empty_ = false;
}

class Detector::Thread : public abi::Observer {
 public:
  explicit Thread(const Program& program) : program_(program), current_(program) {
    workgroup = [](Observer* self, uint64_t number) { static_cast<Thread*>(self)->Workgroup(number); };
    batch = [](Observer* self, const abi::StageBatch& shaded) { static_cast<Thread*>(self)->Batch(shaded); };
    barrier = [](Observer* self, uint32_t bits) { static_cast<Thread*>(self)->Barrier(bits); };
    access = [](Observer* self, uint32_t, uint32_t packed, uint32_t variable, uint32_t first_invocation,
                uint64_t mask, const uint32_t* offsets, const uint32_t*) {
      static_cast<Thread*>(self)->Access(packed, variable, first_invocation, mask, offsets);
    };
    bounds = [](Observer* self, uint32_t site, uint32_t variable, uint32_t first_invocation, uint64_t mask,
                const uint32_t* indices, const uint32_t* lengths) {
      auto* thread = static_cast<Thread*>(self);
      thread->bounds_.Add(thread->program_, thread->current_, site, variable, first_invocation, mask, indices,
                          lengths);
    };
  }

  bool Allocate() {
    for (const uint64_t words : program_.memories) {
      memory_.push_back(words != 0 ? MakeCells(words) : nullptr);
      if (words != 0 && memory_.back() == nullptr) return false;
    }
    for (const Variable& variable : program_.variables) {
      const bool watched = variable.space != Space::kOther && variable.words != 0;
      table_.push_back(watched ? memory_[variable.memory].get() + variable.first_word : nullptr);
      suspects_.emplace_back();
    }
    cells = table_.data();
    return true;
  }

  const std::vector<std::vector<uint64_t>>& suspects() const { return suspects_; }
  const BoundsLog& bounds_log() const { return bounds_; }
  uint64_t SeenAt(uint32_t variable, uint64_t word) const { return SeenBy(table_[variable][word]); }

 private:
  void Workgroup(uint64_t number) {
    current_.Workgroup(number);
    Begin();
  }
  void Batch(const abi::StageBatch& shaded) {
    current_.Batch(shaded);
    cells = table_.data() + current_.numbers().variable;
    Begin();
  }
  void Begin() {
    Next(0);
    Next(1);
    first_[0] = epoch_[0];
    first_[1] = epoch_[1];
  }
  void Barrier(uint32_t bits) {
    if ((bits & abi::kBarrierWorkgroup) != 0) Next(0);
    if ((bits & abi::kBarrierStorage) != 0) Next(1);
  }
  void Next(uint32_t space) {
    epoch_[space] += kOneEpoch;
    quiet[space] = epoch_[space] | kMany | kPlainRead << kNowShift;
  }

  void Access(uint32_t packed, uint32_t variable, uint32_t first_invocation, uint64_t mask,
              const uint32_t* offsets) {
    variable += current_.numbers().variable;
    const Variable& v = program_.variables[variable];
    uint64_t* const row = table_[variable];
    if (row == nullptr) return;
    const uint32_t space = v.space == Space::kStorage ? 1 : 0;
    const uint64_t kinds = SetOf(abi::KindOfPacked(packed));
    const uint32_t words = abi::WordsOfPacked(packed);
    for (; mask != 0; mask &= mask - 1) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
      for (uint64_t word = offsets[lane], end = word + words; word < end && word < v.words; ++word) {
        const uint64_t before = row[word];
        const uint64_t after =
            After(before, kinds, first_invocation + lane, epoch_[space], first_[space], space == 1);
        row[word] = after;
        if (((after ^ before) & kSuspect) != 0) suspects_[variable].push_back(word);
      }
    }
  }

  const Program& program_;
  Current current_;
  std::vector<Cells> memory_;     // by memory
  std::vector<uint64_t*> table_;  // by variable
  std::vector<std::vector<uint64_t>> suspects_;
  BoundsLog bounds_;
  uint64_t epoch_[2] = {0, 0}, first_[2] = {0, 0};
};

Detector::Detector(const Program& program) : program_(program) {}
Detector::~Detector() = default;

Result<std::unique_ptr<Detector>> Detector::Make(const Program& program, uint32_t threads, uint32_t lanes) {
  std::unique_ptr<Detector> detector(new Detector(program));
  for (uint32_t i = 0; i < threads; ++i) {
    detector->threads_.push_back(std::make_unique<Thread>(program));
    detector->threads_.back()->lanes = lanes;
    if (!detector->threads_.back()->Allocate()) {
      return Failure{
          FailureKind::kEnvironment,
          "out of memory: watching for races takes twice the memory of the buffers for each thread"};
    }
  }
  return detector;
}

abi::Observer* Detector::observer(uint32_t thread) { return threads_[thread].get(); }

WordSet Detector::Suspects() const {
  WordSet suspects(program_.memories.size());
  for (const auto& thread : threads_) {
    for (uint32_t v = 0; v < program_.variables.size(); ++v) {
      for (const uint64_t word : thread->suspects()[v]) AddSuspect(v, word, &suspects);
    }
  }
  if (threads_.size() > 1) CompareThreads(&suspects);
  return suspects;
}

// Padding is no location, though a whole struct's access covers it.
void Detector::AddSuspect(uint32_t variable, uint64_t word, WordSet* suspects) const {
  if (IsPadding(program_, variable, word)) return;
  const Variable& v = program_.variables[variable];
  suspects->Add(v.memory, v.first_word + word, program_.memories[v.memory]);
}

// Workgroups on different threads have not met in a cell.
void Detector::CompareThreads(WordSet* suspects) const {
  for (uint32_t v = 0; v < program_.variables.size(); ++v) {
    if (program_.variables[v].space != Space::kStorage) continue;
    for (uint64_t word = 0; word < program_.variables[v].words; ++word) {
      uint64_t seen = 0;
      bool conflict = false;
      for (const auto& thread : threads_) {
        const uint64_t here = thread->SeenAt(v, word);
        conflict |= Conflict(seen, here);
        seen |= here;
      }
      if (conflict) AddSuspect(v, word, suspects);
    }
  }
}

BoundsLog Detector::Bounds() const {
  BoundsLog all;
  for (const auto& thread : threads_) all.Merge(thread->bounds_log());
  return all;
}

void BoundsLog::Add(const Program& program, const Current& current, uint32_t site, uint32_t variable,
                    uint32_t first_invocation, uint64_t mask, const uint32_t* indices,
                    const uint32_t* lengths) {
  const Site& s = program.sites[current.numbers().site + site];
  variable += current.numbers().variable;
  if (program.variables[variable].name.empty()) return;  // no variable of the program's own
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    Entry& entry = entries_[{s.source, s.span.begin, s.span.end, static_cast<uint32_t>(s.kind), variable,
                             lengths[lane] & ~abi::kSignedIndex}];
    const bool is_signed = (lengths[lane] & abi::kSignedIndex) != 0;
    const int64_t index =
        is_signed ? static_cast<int32_t>(indices[lane]) : static_cast<int64_t>(indices[lane]);
    constexpr size_t kMaxKept = 1 << 20;
    if (entry.indices.size() < kMaxKept) entry.indices.insert(index);
    const Current::Order order = current.OrderOf(first_invocation + lane);
    if (!(order < entry.order)) continue;
    entry.order = order;
    entry.first = current.At(first_invocation + lane);
  }
}

void BoundsLog::Merge(const BoundsLog& other) {
  for (const auto& [key, theirs] : other.entries_) {
    Entry& ours = entries_[key];
    ours.indices.insert(theirs.indices.begin(), theirs.indices.end());
    if (!(theirs.order < ours.order)) continue;
    ours.order = theirs.order;
    ours.first = theirs.first;
  }
}

std::vector<OutOfBounds> BoundsLog::Report(const Program& program, uint32_t dispatch) const {
  std::vector<OutOfBounds> found;
  for (const auto& [key, entry] : entries_) {
    OutOfBounds out;
    out.dispatch = dispatch;
    out.variable = program.variables[key.variable].name;
    out.address_space = program.variables[key.variable].address_space;
    out.span = {key.begin, key.end};
    out.kind = static_cast<abi::AccessKind>(key.kind);
    out.length = key.length;
    for (const int64_t index : entry.indices) {
      if (out.indices.size() < kMaxElements) out.indices.push_back(index);
    }
    out.count = entry.indices.size();
    out.first = entry.first;
    found.push_back(std::move(out));
  }
  return found;
}

}  // namespace lockstep::observe::race
