// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "runner/data_file.h"
#include "runner/element_name.h"
#include "runner/scalar.h"
#include "runner/suggest_fix.h"

namespace lockstep::runner {
namespace {

// Sets the flag when the time is up, unless it is let go before. With `abandon` it also looks whether what
// the flag tells to stop does: where that goes on it calls `abandon`, which does not return.
class TimeLimit {
 public:
  TimeLimit(double seconds, CancelFlag& cancel, std::function<void()> abandon = {})
      : cancel_(cancel), abandon_(std::move(abandon)), thread_([this, seconds] { Watch(seconds); }) {}
  ~TimeLimit() { Finish(); }
  // No more. Whether it was this limit that set the flag.
  bool Finish() {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
    }
    done_.notify_all();
    if (thread_.joinable()) thread_.join();
    return fired_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kLook{10};  // how often it looks at the flag
  // For what runs to stop when it is told to, and to keep what is known by then. A user waits for less.
  static constexpr std::chrono::milliseconds kGraceAfterUser{50}, kGraceAfterTime{1000};

  void Watch(double seconds) {
    const auto end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
    const auto finished = [this] { return finished_; };
    std::unique_lock lock(mutex_);
    while (!fired_ || abandon_) {
      const auto now = Clock::now();
      const auto next = now + kLook;
      if (done_.wait_until(lock, now >= end ? next : abandon_ ? std::min(end, next) : end, finished)) return;
      // In vain while another limit is being dealt with.
      uint32_t running = kRunning;
      if (!fired_ && Clock::now() >= end) fired_ = cancel_.compare_exchange_strong(running, kStoppedByTime);
      if (!abandon_ || (!fired_ && cancel_.load() != kStoppedByUser)) continue;
      if (done_.wait_for(lock, fired_ ? kGraceAfterTime : kGraceAfterUser, finished)) return;
      abandon_();  // with the lock: whoever would let go now waits
    }
  }

  CancelFlag& cancel_;
  const std::function<void()> abandon_;
  bool fired_ = false;
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
  std::thread thread_;
};

class Runner {
 public:
  Runner(const RunRequest& request, const gpu::devices::Options& devices, CancelFlag& cancel,
         const Abandon& abandon)
      : request_(request),
        devices_(devices),
        cancel_(cancel),
        abandon_(abandon),
        session_(std::make_shared<Session>(request, devices)) {}

  RunReport Go() {
    report_.session = session_;
    const Result<> done = Steps();
    if (!done.ok()) report_.failure = done.failure();
    return std::move(report_);
  }

 private:
  Result<> Steps() {
    if (Result<> ran = PrepareAndRun(); !ran.ok()) return ran;
    return Save();
  }

  Result<> PrepareAndRun() {
    std::function<void()> abandon;
    if (abandon_) abandon = [this] { abandon_(WhyStopped()); };
    const TimeLimit limit(request_.time_limit, cancel_, std::move(abandon));
    if (Result<> prepared = session_->Prepare(); !prepared.ok()) return Interrupted(prepared);
    if (Result<> made = MakeExpectations(); !made.ok()) return made;
    report_.device_kind = session_->adapter().kind == gpu::hal::DeviceKind::kCpu ? "cpu" : "gpu";
    report_.device_name = session_->adapter().name;
    if (Result<> ran = request_.watch ? Watched() : Repeats(); !ran.ok()) return Interrupted(ran);
    return Ok();
  }

  // Says who interrupted: the user, or the clock.
  Result<> Interrupted(const Result<>& failed) const {
    const uint32_t why = cancel_.load();
    const bool interrupted = failed.failure().kind == FailureKind::kInterrupted;
    if (why == kStoppedByUser || (interrupted && why == kStoppedByTime)) return WhyStopped();
    return failed;
  }
  Failure WhyStopped() const {
    if (cancel_.load() == kStoppedByUser) return Failure{FailureKind::kInterrupted, "interrupted"};
    const std::string limit = FormatDouble(request_.time_limit);
    if (request_.watch) {
      return Failure{FailureKind::kProgram,
                     fmt::format("the time limit of {} s is reached: nothing is known of races (--time-limit "
                                 "SECONDS); a schedule does not end where invocations wait for others, since "
                                 "WebGPU does not promise that those go on meanwhile",
                                 limit)};
    }
    return Failure{
        FailureKind::kProgram,
        fmt::format("the time limit of {} s is reached: the run was stopped (--time-limit SECONDS)", limit)};
  }

  Result<> MakeExpectations() {
    for (const Placed<ExpectItem>& expect : session_->expects()) {
      const SessionBuffer* buffer = session_->FindBuffer(expect.item.name);
      CHECK(buffer != nullptr);
      Result<Expectation> made = MakeExpectation(expect.item, buffer->type.layout, expect.origin.folder);
      if (!made.ok()) {
        return Failure{FailureKind::kUsage, fmt::format("{}: expect {}: {}", expect.origin.place,
                                                        buffer->name, made.failure().message)};
      }
      expectations_.push_back({buffer, std::move(*made)});
      report_.expects.push_back({buffer->name, std::nullopt, 0});
    }
    return Ok();
  }

  Result<> Repeats() {
    for (uint32_t repeat = 1; repeat <= request_.repeat; ++repeat) {
      if (cancel_.load() != kRunning) return Failure{FailureKind::kInterrupted, "interrupted"};
      Result<RunTimes> times = session_->RunOnce(cancel_);
      if (!times.ok()) return times.failure();
      report_.times_ms.push_back(std::round(times->seconds * 1e9) / 1e6);  // whole nanoseconds
      if (repeat == 1) {
        WarnOfSkipped(*times);
        KeepOutputs();
      } else if (report_.repeats_agree) {
        CompareWithFirst(repeat);
      }
      CheckExpectations(repeat);
    }
    return Ok();
  }

  // The canonical schedule, then others.
  Result<> Watched() {
    const auto start = std::chrono::steady_clock::now();
    const Result<RunTimes> times = session_->RunOnce(cancel_, {&report_.findings, 0});
    if (!times.ok()) return times.failure();
    const double canonical = SecondsSince(start);
    report_.times_ms.push_back(times->seconds * 1e3);
    WarnOfSkipped(*times);
    KeepOutputs();
    CheckExpectations(1);
    SuggestFixes(request_, devices_, cancel_, session_->program(), report_.findings);
    return OtherSchedules(canonical);
  }

  // A schedule in which the program waits for what cannot happen in it (a lock, a look-back) is no failure:
  // it is given some time and then left; the next ones less.
  Result<> OtherSchedules(double canonical) {
    double patience = 1 + 20 * canonical;
    for (uint32_t schedule = 1; schedule <= request_.schedules; ++schedule) {
      Result<bool> ended = EndsWithin(patience, schedule);
      // Some of the time may have gone into compiling it.
      if (ended.ok() && !*ended && report_.unfinished_schedules == 0) ended = EndsWithin(patience, schedule);
      if (!ended.ok() && cancel_.load() == kStoppedByTime) return WarnOfSchedulesLeft(schedule - 1);
      if (!ended.ok()) return ended.failure();
      if (*ended) {
        ++report_.schedules;
        CompareSchedule();
      } else {
        ++report_.unfinished_schedules;
        patience = std::max(patience / 2, 0.2 + 4 * canonical);
      }
    }
    return Ok();
  }

  // The verdict is there all the same.
  Result<> WarnOfSchedulesLeft(uint32_t done) {
    report_.warnings.push_back(fmt::format(
        "the time limit of {} s is reached: {} of {} other schedules have run (--time-limit SECONDS)",
        FormatDouble(request_.time_limit), done, request_.schedules));
    return Ok();
  }

  // Runs the other schedule; false where it takes longer than `seconds` and is stopped.
  Result<bool> EndsWithin(double seconds, uint32_t schedule) {
    TimeLimit patience(seconds, cancel_);
    const Result<RunTimes> run = session_->RunOnce(cancel_, {nullptr, ScheduleSeed(schedule)});
    if (patience.Finish()) {
      uint32_t by_time = kStoppedByTime;  // not what the user may ask meanwhile
      cancel_.compare_exchange_strong(by_time, kRunning);
      return run.ok();
    }
    if (!run.ok()) return run.failure();
    return true;
  }

  // Of the other schedule `number`: never 0, which is the canonical one.
  uint64_t ScheduleSeed(uint64_t number) const {
    if (!request_.shuffle) return number;
    const uint64_t seed = (*request_.shuffle + 1) * 0x9e3779b97f4a7c15u + number;
    return seed != 0 ? seed : UINT64_MAX;
  }

  static double SecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void CompareSchedule() {
    for (size_t i = 0; i < report_.buffers.size(); ++i) {
      const OutputBuffer& first = report_.buffers[i];
      const bool known = std::any_of(report_.schedule_dependent.begin(), report_.schedule_dependent.end(),
                                     [&](const ScheduleDifference& d) { return d.variable == first.name; });
      if (known || !first.writable) continue;
      const std::span<const std::byte> now = session_->Memory(session_->buffers()[i]);
      if (std::memcmp(first.memory.data(), now.data(), now.size()) == 0) continue;
      const std::optional<uint64_t> index = FirstDifference(first, now);
      if (!index) continue;
      report_.schedule_dependent.push_back(
          Differing(first, now, *index, NameOf(session_->buffers()[i], *index)));
    }
  }

  // "state.items[3].count"; where the buffer's variable has no such, the number of the scalar.
  std::string NameOf(const SessionBuffer& buffer, uint64_t index) const {
    const ScalarPlace place = PlaceOf(buffer.type.layout, index);
    return ElementName(session_->program(), buffer.variable, place.offset)
        .value_or(fmt::format("{}[{}]", buffer.name, index));
  }

  static ScheduleDifference Differing(const OutputBuffer& buffer, std::span<const std::byte> now,
                                      uint64_t index, std::string element) {
    ScheduleDifference difference{buffer.name, std::move(element), {}, {}};
    const ScalarPlace place = PlaceOf(buffer.layout, index);
    const std::byte* const memory[2] = {buffer.memory.data(), now.data()};
    for (int i = 0; i < 2; ++i) {
      Scalar scalar{place.kind, 0};
      std::memcpy(&scalar.bits, memory[i] + place.offset, ScalarBytes(place.kind));
      AppendScalar(difference.values[i], scalar, NumberStyle::kText);
      AppendScalar(difference.json_values[i], scalar, NumberStyle::kJson);
    }
    return difference;
  }

  // By scalars: padding belongs to nobody.
  static std::optional<uint64_t> FirstDifference(const OutputBuffer& first, std::span<const std::byte> now) {
    std::optional<uint64_t> found;
    uint64_t index = 0;
    ForEachScalar(first.layout, [&](uint64_t offset, ScalarKind kind) {
      const uint64_t at = index++;
      if (found || std::memcmp(first.memory.data() + offset, now.data() + offset, ScalarBytes(kind)) == 0)
        return;
      found = at;
    });
    return found;
  }

  void WarnOfSkipped(const RunTimes& times) {
    for (const size_t index : times.skipped) {
      const Placed<DispatchItem>& dispatch = session_->dispatches()[index];
      report_.warnings.push_back(
          fmt::format("{}: the counts in '{}' at offset {} are over the limit: the dispatch did nothing",
                      dispatch.origin.place, dispatch.item.arguments.ToString(), dispatch.item.offset));
    }
  }

  void KeepOutputs() {
    for (const SessionBuffer& buffer : session_->buffers()) {
      OutputBuffer output{buffer.name,       buffer.group,    buffer.binding,     buffer.type.type,
                          buffer.type.count, buffer.writable, buffer.type.layout, {}};
      const std::span<const std::byte> memory = session_->Memory(buffer);
      output.memory.assign(memory.begin(), memory.end());
      report_.buffers.push_back(std::move(output));
    }
  }

  void CompareWithFirst(uint32_t repeat) {
    for (size_t i = 0; i < report_.buffers.size() && report_.repeats_agree; ++i) {
      const OutputBuffer& first = report_.buffers[i];
      const std::span<const std::byte> now = session_->Memory(session_->buffers()[i]);
      if (std::memcmp(first.memory.data(), now.data(), now.size()) == 0) continue;
      const std::optional<uint64_t> index = FirstDifference(first, now);
      if (!index) continue;
      report_.repeats_agree = false;
      report_.disagreement = fmt::format("repeats differ: {} is not the same in repeats 1 and {}",
                                         NameOf(session_->buffers()[i], *index), repeat);
    }
  }

  void CheckExpectations(uint32_t repeat) {
    for (size_t i = 0; i < expectations_.size(); ++i) {
      ExpectResult& result = report_.expects[i];
      if (!result.ok()) continue;
      const SessionBuffer& buffer = *expectations_[i].buffer;
      result.difference = Compare(expectations_[i].expectation, buffer.type.layout, session_->Memory(buffer));
      result.repeat = repeat;
    }
  }

  Result<> Save() {
    for (const std::string& save : request_.saves) {
      const size_t equals = save.find('=');
      const ParsedLine name = ParseBufferFlag(save.substr(0, equals) + ": u32");
      const SessionBuffer* buffer = session_->FindBuffer(std::get<BufferItem>(name.items[0].value).name);
      for (const OutputBuffer& output : report_.buffers) {
        if (output.group != buffer->group || output.binding != buffer->binding) continue;
        if (Result<> written = WriteDataFile(save.substr(equals + 1), output.layout, output.memory);
            !written.ok())
          return written;
      }
    }
    return Ok();
  }

  struct Checked {
    const SessionBuffer* buffer;
    Expectation expectation;
  };

  const RunRequest& request_;
  const gpu::devices::Options& devices_;
  CancelFlag& cancel_;
  const Abandon& abandon_;
  std::shared_ptr<Session> session_;
  RunReport report_;
  std::vector<Checked> expectations_;
};

}  // namespace

bool RunReport::expectations_hold() const {
  return std::all_of(expects.begin(), expects.end(), [](const ExpectResult& result) { return result.ok(); });
}

RunReport Run(const RunRequest& request, const gpu::devices::Options& devices, CancelFlag& cancel,
              const Abandon& abandon) {
  return Runner(request, devices, cancel, abandon).Go();
}

}  // namespace lockstep::runner
