// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of a running dispatch. Nothing recurses over the program: an invocation is a stack of frames (one
// a call), a frame a stack of regions (one a construct that is being executed), a region a block and the next
// instruction. So an invocation can stop at a barrier anywhere and go on later.
//
// Values are flat lists of 32-bit words, one a scalar, in order of their parts; a pointer is a `Pointer`,
// word by word. Memory is bytes in WGSL's layout; padding is never read or written.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "interp/interpreter.h"

namespace lockstep::interp {

inline constexpr uint32_t kModuleScope = UINT32_MAX;

// Whether an index on the way to a place was out of range and clamped, and of which type the first such was.
enum class OutOfRange : uint32_t { kNo, kUnsigned, kSigned };

// A place in memory: a variable and an offset.
struct Pointer {
  uint32_t depth =
      kModuleScope;  // of the frame that owns the variable; kModuleScope: a module-scope variable
  uint32_t id = 0;   // InstId of the `var`, or VariableId
  uint64_t offset = 0;
  OutOfRange out_of_range = OutOfRange::kNo;
  uint32_t index = 0;   // the first that was
  uint32_t length = 0;  // what it should be below
  uint32_t unused = 0;
};
inline constexpr uint32_t kPointerWords = sizeof(Pointer) / 4;

struct Region {
  ir::BlockId block;
  uint32_t next = 0;     // index of the instruction to run next
  ir::InstId construct;  // the If, Loop or Switch that the block belongs to; None for a function's body
  uint32_t round = 0;    // of a loop: how often it has gone round
};

struct Frame {
  ir::FunctionId function;
  ir::InstId call;                // in the caller; None for the entry point
  std::vector<uint32_t> words;    // values, by Machine::word_of_
  std::vector<std::byte> memory;  // `var`s, by Machine::byte_of_
  std::vector<Region> regions;
};

enum class State : uint8_t { kRunning, kAtBarrier, kDone };

struct Invocation {
  std::array<uint32_t, 3> local_id = {0, 0, 0};
  uint32_t local_index = 0;
  State state = State::kRunning;
  ir::InstId barrier;                 // where it waits
  bool uniform_load_read = false;     // a uniform_load has passed its first barrier and read
  std::vector<uint32_t> differenced;  // what it brings to the derivative that it waits at
  std::vector<Frame> frames;
  std::vector<std::vector<std::byte>> privates;  // by VariableId
};

// One that has begun.
struct Workgroup {
  std::array<uint32_t, 3> id = {0, 0, 0};
  uint64_t number = 0;                         // in linear order
  std::vector<std::vector<std::byte>> memory;  // by VariableId
  std::vector<Invocation> invocations;         // by local index
  std::vector<uint32_t> running;               // those that can go on, where they take turns
  uint64_t random = 0;                         // spurious failures
  uint32_t workgroup_barriers = 0, storage_barriers = 0, barriers = 0;  // that it has passed, for the log
};

class Machine {
 public:
  Machine(const ir::Module& module, std::span<const abi::BufferView> buffers,
          std::array<uint32_t, 3> workgroup_count, const Options& options);
  Result<> Run();

 private:
  // --- machine.cc: setting up ---
  void LayOutFunction(ir::FunctionId function);
  void LayOutValue(ir::ValueId value, uint32_t* words);
  void Flatten(ir::ValueId constant, std::vector<uint32_t>* words) const;
  uint32_t WordsOf(ir::TypeId type) const;

  // --- machine.cc: running ---
  uint64_t WorkgroupTotal() const;
  // Makes `group` the one that runs; no invocation has started.
  void Begin(Workgroup* group, uint64_t number);
  void StartInvocation(uint32_t index);
  void RunToEnd();
  void RunInvocation(Invocation& invocation);
  // All invocations stand at a barrier or are done: lets them go on. False where all are done.
  bool PassBarrier();
  void RunQuads();
  bool PassDerivatives(std::span<Invocation> quad);
  void Step();
  void Execute(ir::InstId inst);
  void LookForNan(ir::InstId inst);
  void Fail(FailureKind kind, std::string message);

  // --- interp_turns.cc ---
  void RunInTurns();
  uint64_t WorkgroupsAtOnce() const;
  void TakeTurn();
  void FindRunning();
  uint64_t Random();

  // --- values ---
  Frame& frame() { return current_->frames.back(); }
  std::span<const uint32_t> Get(ir::ValueId value);
  uint32_t* Slot(ir::ValueId value);
  void Set(ir::ValueId value, std::span<const uint32_t> words);
  uint32_t Word(ir::ValueId value) { return Get(value)[0]; }
  Pointer GetPointer(ir::ValueId value);
  void SetPointer(ir::ValueId value, Pointer pointer);
  std::span<const ir::ValueId> Operands(ir::InstId inst) const { return module_.operands(inst); }
  // Where part `part` of a flat composite begins.
  uint32_t PartWord(ir::TypeId composite, uint32_t part) const;

  // --- interp_arith.cc: shapes of operations ---
  template <typename F>
  void Map1(ir::InstId inst, F f);
  template <typename F>
  void Map2(ir::InstId inst, F f);
  template <typename F>
  void MapFloat1(ir::InstId inst, F f);
  template <typename F>
  void MapFloat2(ir::InstId inst, F f);
  template <typename F>
  void MapNumber2(ir::InstId inst, F f);
  template <typename F>
  void Compare(ir::InstId inst, F f);
  template <typename F>
  void Approximate1(ir::InstId inst, F f);
  template <typename F>
  void Approximate2(ir::InstId inst, F f);
  ir::TypeKind ScalarKind(ir::ValueId value) const;

  // --- interp_memory.cc ---
  struct Place {
    std::byte* data = nullptr;  // null: already reported
    uint64_t size = 0;
  };
  Place VariableMemory(const Pointer& pointer);
  std::byte* Address(const Pointer& pointer, ir::TypeId type);
  uint64_t RuntimeLength(const Pointer& pointer, ir::TypeId runtime_array);
  std::string VariableName(const Pointer& pointer) const;
  bool Guarded(ir::InstId inst, uint32_t index);
  // Whether a write through `pointer` happens. Reports it where it must not be out of range.
  bool WriteAllowed(const Pointer& pointer);
  void ReportOutOfRange(const Pointer& pointer);
  void ReadMemory(ir::TypeId type, const std::byte* from, uint32_t** words) const;
  void WriteMemory(ir::TypeId type, std::byte* to, const uint32_t** words) const;
  void CopyMemory(ir::TypeId type, std::byte* to, const std::byte* from) const;
  void ZeroMemory(ir::TypeId type, std::byte* to) const;
  void LoadInto(ir::ValueId result, const Pointer& pointer);
  // The scalar of an atomic, or null where nothing is to be done (the guard is false, out of range).
  uint32_t* AtomicWord(ir::InstId inst, uint32_t guard_index);
  bool IsSignedIndex(ir::ValueId index) const;
  const abi::TextureView& TextureOf(ir::ValueId texture);
  // --- interp_log.cc ---
  void Log(ir::InstId inst, abi::AccessKind kind, ir::ValueId pointer,
           std::span<const uint32_t> written = {});
  void LogCopy(ir::InstId inst);
  void CountBarrier(ir::InstId barrier);

  // --- interp_control.cc ---
  void Enter(ir::BlockId block, ir::InstId construct, std::span<const ir::ValueId> arguments,
             uint32_t round = 0);
  void Assign(std::span<const ir::ValueId> to, std::span<const ir::ValueId> from);
  bool PopRegionsTo(ir::InstId construct);
  void PushFrame(ir::FunctionId function, ir::InstId call);
  uint64_t BytesOf(ir::FunctionId function) const;  // of one call
  void WaitAt(ir::InstId inst);
  void Differentiate(ir::InstId inst);
  void BeforeStageIo(ir::InstId inst);

  // --- one handler an operation ---
#define OP(Name, text, kind, effect) void Do##Name(ir::InstId inst);
#include "ir/op.def"

  const ir::Module& module_;
  const Options& options_;
  std::array<uint32_t, 3> workgroup_count_;
  std::vector<abi::BufferView>
      buffers_;                    // by VariableId; a texture's value is its place in options_.textures
  Workgroup* group_ = nullptr;     // that runs
  Invocation* current_ = nullptr;  // of that one
  uint64_t steps_ = 0;
  uint64_t schedule_ = 0;  // what turns are drawn from
  uint64_t longest_turn_ = 1;
  std::optional<Failure> failure_;

  std::vector<uint32_t> word_of_;                             // ValueId -> first word in its frame
  std::vector<std::vector<uint32_t>> constant_words_;         // ValueId -> words, for constants and variables
  std::unordered_map<ir::InstId, uint64_t, IdHash> byte_of_;  // `var` -> first byte in its frame
  uint64_t live_bytes_ = 0;                                   // of all frames that there are
  std::vector<uint32_t> frame_words_;                         // by FunctionId
  std::vector<uint64_t> frame_bytes_;
  std::vector<uint32_t> type_words_;  // by TypeId
  std::vector<uint32_t> scratch_;     // for assignments in parallel
};

}  // namespace lockstep::interp
