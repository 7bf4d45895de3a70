// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Lane form -> LLVM IR. ModuleEmitter holds what a kernel's functions share, Emitter makes the code of one
// function. One handler an operation, by subject:
//   emit_module.cc   functions, their signatures, the kernel's prologue
//   emit_inst.cc     which handler makes which operation
//   emit_region.cc   workgroup level, regions as loops over lane groups, slots of the frame
//   emit_control.cc  if, switch, loop, jumps, calls, polling for cancellation
//   emit_lanes.cc    vectors, masks, constants: what the others are written in
//   emit_arith.cc    arithmetic; emit_convert.cc conversions and composites; emit_builtin.cc builtin inputs
//   emit_place.cc    pointers; emit_load.cc, emit_store.cc, emit_atomic.cc what is done with them
//   emit_texture.cc  textures: calls of the host
//   emit_chunk.cc    vec4s; emit_lane_loop.cc  loops over the lanes of a group
#pragma once

#include <array>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/kernel.h"
#include "codegen/llvm/lane_value.h"
#include "codegen/llvm/place.h"
#include "codegen/spmd/lane_form.h"
#include "ir/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace lockstep::codegen {

struct EmitOptions {
  uint32_t native_lanes = 8;  // 32-bit lanes of the target's vectors
  bool weak_failures = false;
  bool shuffle_groups = false;
  bool has_half = false;  // the target converts f16 and f32 in hardware
};

// One scalar of a type: which, and where it lies in memory and in a lane's memory.
struct Leaf {
  ir::TypeId scalar;
  uint32_t offset = 0;  // bytes, WGSL's layout
  uint32_t word = 0;    // index among the type's scalars
};

class ModuleEmitter {
 public:
  ModuleEmitter(const LaneKernel& kernel, const EmitOptions& options, llvm::Module* module);

  // Makes the whole module; the entry point's symbol is kEntrySymbol. Empty, or what is too large.
  std::string Run();
  // Bytes of abi::Worker::frame that the code uses: the kernel's own and scratch memory for large variables
  // behind it.
  uint64_t frame_bytes() const { return scratch_begin_ + scratch_bytes_; }

  static constexpr const char* kEntrySymbol = "lockstep_kernel";

 private:
  friend class Emitter;

  llvm::FunctionType* SignatureOf(ir::FunctionId id);
  llvm::FunctionType* WorkgroupSignatureOf(ir::FunctionId id);
  bool LeadsToVar(ir::ValueId pointer) const;
  llvm::FunctionType* EntrySignature();
  void DeclareCalled(ir::BlockId block);
  void FindUses(ir::BlockId block);
  // The shape that all calls of `id` agree on for their result.
  Shape ResultShape(ir::FunctionId id) const;
  const std::vector<Leaf>& Leaves(ir::TypeId type);
  llvm::MDNode* ScopeOf(uint64_t key);
  void TellApart();
  llvm::Type* ScalarType(ir::TypeId scalar);  // of uniform values
  llvm::Type* VectorType(ir::TypeId scalar);  // of one part of a varying value
  llvm::Type* Vector(llvm::Type* element) const;
  void AppendValueTypes(ir::TypeId type, const Shape& shape, llvm::SmallVectorImpl<llvm::Type*>* types);
  uint64_t AllocateScratch(uint64_t bytes);

  const LaneKernel& kernel_;
  const ir::Module& ir_;
  EmitOptions options_;
  llvm::Module* module_;
  llvm::LLVMContext& context_;
  uint32_t lanes_;
  uint32_t native_;
  uint32_t part_count_;
  uint64_t scratch_begin_ = 0;
  bool instrumented_ = false;  // holds events
  uint64_t scratch_bytes_ = 0;
  std::vector<uint32_t> slots_;  // by VariableId: in Dispatch::buffers or Dispatch::textures
  std::unordered_map<uint32_t, llvm::Function*> functions_;  // by FunctionId
  std::unordered_map<uint32_t, Shape> result_shapes_;        // by FunctionId
  std::vector<ir::FunctionId> order_;
  std::vector<bool> used_;                                  // by ValueId: is an operand of something
  std::unordered_map<uint32_t, std::vector<Leaf>> leaves_;  // by TypeId
  llvm::MDNode* scope_domain_ = nullptr;
  std::unordered_map<uint64_t, llvm::MDNode*> scopes_;
  std::vector<llvm::MDNode*> scope_order_;
  std::vector<std::pair<llvm::Instruction*, llvm::MDNode*>> accesses_;
};

class Emitter {
 public:
  Emitter(ModuleEmitter* shared, ir::FunctionId id, llvm::Function* function);
  void EmitEntry();
  void EmitWorkgroupFunction();
  void EmitFunction();

 private:
  using Value = llvm::Value*;
  enum class Level : uint8_t { kWorkgroup, kGroup };

  // Where an `exit`, `continue` or `next` goes.
  struct JoinPoint {
    llvm::BasicBlock* block = nullptr;
    std::vector<ir::ValueId> values;  // results or parameters
    std::vector<llvm::SmallVector<llvm::PHINode*, 4>>
        phis;  // for each value: its scalars' phis; none for slot values
    bool workgroup = false;
  };
  struct Construct {
    JoinPoint merge, body, continuing;
  };
  struct Known {
    LaneValue value;
    uint32_t region = 0;  // 0: everywhere; otherwise only inside that region
  };
  struct Buffer {
    Value data = nullptr;
    Value size = nullptr;
  };
  // One execution of stores: which lanes act.
  struct Guard {
    enum class Kind : uint8_t { kAlways, kUniform, kVarying };
    Kind kind = Kind::kAlways;
    Value condition = nullptr;  // i1
    Component mask;
  };

  Guard OnlyInvocations(const Place& place, const Guard& guard);

  // A lane known while code is made, or one that a loop over lanes has at run time.
  struct Lane {
    uint32_t index = 0;
    Value dynamic = nullptr;
  };

  // --- emit_module.cc ---
  void BindParameters();
  void BindWorkgroupParameters();
  void InitPrivates();
  const Buffer& BufferOf(uint32_t slot);
  Value WorkerField(uint32_t index, const char* name);
  Value CancelPointer();
  Value InvariantWord(Value base, uint32_t offset);  // that the kernel does not change
  Value InEntry(llvm::function_ref<Value()> make);   // emits in the function's entry block
  Value Alloca(uint64_t bytes, uint32_t align);

  // --- emit_region.cc ---
  static constexpr uint64_t kFrameScope = uint64_t{1} << 40;
  void EmitWorkgroupBlock(ir::BlockId block);
  struct SlotWrite {  // what a region writes at its end
    ir::TypeId type;
    Shape shape;
    Placement placement;
    ir::ValueId from;
  };
  void AddSlotWrites(ir::InstId inst, llvm::SmallVectorImpl<SlotWrite>* writes);
  void EmitRegion(llvm::ArrayRef<ir::InstId> insts, llvm::ArrayRef<SlotWrite> writes);
  void Hoist(llvm::ArrayRef<ir::InstId> insts);
  bool IsHoisted(ir::InstId inst) const;
  void GroupLoop(llvm::function_ref<void()> body);
  Value ShuffleStart();
  Value GroupCount();
  LaneValue Get(ir::ValueId id);
  LaneValue Find(ir::ValueId id);
  LaneValue LoadSlot(ir::TypeId type, Shape shape, const Placement& placement);
  void StoreSlot(ir::TypeId type, Shape shape, const Placement& placement, const LaneValue& value);
  Value SlotAddress(const Placement& placement, uint32_t scalar, uint32_t part);
  Value GroupFrame();
  void Set(ir::ValueId id, LaneValue value);
  LaneValue Conform(const LaneValue& value, ir::TypeId type, const Shape& shape);

  // --- emit_control.cc ---
  void EmitBlock(ir::BlockId block);
  void EmitInst(ir::InstId inst);
  void Dispatch(ir::InstId inst);
  bool FollowsLaneZero(ir::InstId inst);
  void EmitIf(ir::InstId inst);
  void EmitLoop(ir::InstId inst);
  void EmitSwitch(ir::InstId inst);
  void EmitCall(ir::InstId inst);
  llvm::CallInst* CallAndCheck(ir::FunctionId callee, llvm::ArrayRef<Value> args);
  void EmitWorkgroupCall(ir::InstId inst);
  void EmitReturn(ir::InstId inst);
  void EmitJump(ir::InstId inst);
  JoinPoint MakeJoin(llvm::ArrayRef<ir::ValueId> values, bool workgroup, const char* name);
  void JumpTo(JoinPoint& join, llvm::ArrayRef<ir::ValueId> operands);
  void BeginJoin(JoinPoint& join);
  void Poll();
  void ReturnStatus(Value status);
  llvm::BasicBlock* NewBlock(const char* name);
  void StartBlock(llvm::BasicBlock* block);
  // Branches on `condition` around `then`; both continue after it.
  void Guarded(Value condition, llvm::function_ref<void()> then);
  // parts of `fast` or `slow`, whichever `condition` chooses at run time; both make the same number of
  // values.
  Parts Choose(Value condition, llvm::function_ref<Parts()> fast, llvm::function_ref<Parts()> slow);

  // --- emit_lanes.cc ---
  uint32_t lanes() const { return shared_.lanes_; }
  uint32_t native() const { return shared_.native_; }
  uint32_t part_count() const { return shared_.part_count_; }
  Value U32(uint32_t v) { return b_.getInt32(v); }
  Value Splat(Value scalar);
  Value Iota(uint32_t part, int32_t stride);
  Value Part(const Component& c, uint32_t part);
  Parts AllParts(const Component& c);
  Value ToBits(Value mask);          // <N x i32> -> <N x i1>
  Value FromBits(Value bits);        // <N x i1> -> <N x i32>
  Value Scalar(const Component& c);  // CHECKs that the component is uniform
  Value AnyLane(const Component& c);
  Value AllLanes(const Component& c);
  Value BitsOf(const Component& mask);  // an integer of `lanes` bits, at least i32
  Value ExtractLane(Value vector, uint32_t lane);
  Value InsertLane(Value vector, Value scalar, uint32_t lane);
  Value LaneOf(const Component& c, uint32_t lane);  // that lane's scalar (bool: i1)
  Value LaneOf(const Component& c, const Lane& lane);
  Value LaneOfDynamic(const Component& c, Value lane);
  Component FromLanes(llvm::ArrayRef<Value> scalars, llvm::Type* element);
  // f for the scalars where all operands are uniform, for each part otherwise.
  Component Map(llvm::ArrayRef<const Component*> operands,
                llvm::function_ref<Value(llvm::ArrayRef<Value>)> f);
  LaneValue ConstantValue(ir::ValueId id);
  Component SelectComponent(const Component& condition, const Component& a, const Component& b);

  // --- emit_arith.cc, emit_convert.cc, emit_builtin.cc ---
  LaneValue Unary(ir::InstId inst);
  LaneValue Binary(ir::InstId inst);
  LaneValue Compare(ir::InstId inst);
  LaneValue Ternary(ir::InstId inst);
  LaneValue ValueOp(ir::InstId inst);
  Component UnaryScalar(ir::Op op, ir::TypeId scalar, const Component& a);
  Value Derivative(ir::Op op, Value v);
  Component BinaryScalar(ir::Op op, ir::TypeId scalar, const Component& a, const Component& b);
  bool AffineBinary(ir::Op op, ir::TypeId scalar, const Component& a, const Component& b, Component* result);
  Value FloatBinary(ir::Op op, Value a, Value b);
  Value IntegerBinary(ir::Op op, bool is_signed, Value a, Value b);
  Value DivRem(ir::Op op, bool is_signed, Value a, Value b);
  Value VectorDivRem(bool is_rem, bool is_signed, Value a, Value b);
  Value MulHigh(bool is_signed, Value a, Value b);
  Value MinMaxFloat(bool is_max, Value a, Value b);
  bool CompareBiased(ir::Op op, ir::TypeId scalar, const Component& a, const Component& b, Component* result);
  Value CompareScalar(ir::Op op, ir::TypeId scalar, Value a, Value b);
  Value Intrinsic(llvm::Intrinsic::ID id, llvm::ArrayRef<Value> args);
  Component ConvertScalar(ir::TypeId to, ir::TypeId from, const Component& a);
  LaneValue BitcastValue(ir::TypeId to, ir::TypeId from, const LaneValue& a);
  Value HalfToFloat(Value half_bits);  // i16-in-i32 -> float
  Value FloatToHalf(Value f);          // float -> i16-in-i32, round to nearest even
  Value HalfOf(Value word);
  Component Dot4(bool is_signed, const Component& a, const Component& b);
  LaneValue ExtractDynamic(ir::InstId inst);
  LaneValue Builtin(ir::Builtin builtin);
  Value WorkgroupCount(uint32_t axis);
  LaneValue LocalId();
  Component LocalIndex();
  Component LaneMask();

  // --- emit_place.cc ---
  Place Resolve(ir::ValueId pointer);
  Place RootPlace(ir::ValueId root);
  Place VarPlace(ir::ValueId pointer, ir::TypeId type);
  void Step(Place* place, ir::ValueId index);
  bool NeedsMemory(ir::ValueId var) const;
  void DeclareVar(ir::InstId inst);
  void PassPointer(const Place& place, const Shape& shape, llvm::SmallVectorImpl<Value>* args);
  Component PassedOffset(const Place& place, const Shape& shape);
  LaneValue ArrayLength(ir::ValueId pointer);
  Value UniformAddress(const Place& place, uint32_t offset);
  Value Address(Value base, Value offset, uint32_t constant);
  Value OffsetVector(const Place& place, uint32_t part);
  Access Classify(const Place& place);
  Component ValidLanes();  // lanes that are invocations, where some are not
  Value AllValid();

  // --- emit_load.cc ---
  LaneValue Load(ir::ValueId pointer);
  LaneValue LoadPlace(const Place& place, ir::TypeId type);
  Value LoadScalarAt(const Place& place, Value address, ir::TypeId scalar);
  Value FromMemory(Value loaded, ir::TypeId scalar);
  Value ToMemory(Value value, ir::TypeId scalar);
  Parts LoadAffine(const Place& place, const Access& access, const std::vector<Leaf>& leaves);
  Parts LoadGather(const Place& place, const std::vector<Leaf>& leaves, bool mask_invalid);
  Value GatherPart(const Place& place, Value offsets, uint32_t constant, ir::TypeId scalar);
  llvm::Type* MemoryType(ir::TypeId scalar, bool word);
  Parts LoadLaneByLane(const Place& place, const std::vector<Leaf>& leaves, bool mask_invalid);
  template <typename T>
  T* Annotate(T* inst, const Place& place);

  // --- emit_chunk.cc ---
  std::array<Value, 4> Transpose(const std::array<Value, 4>& v);
  std::vector<uint32_t> ChunksOf(const Place& place, const std::vector<Leaf>& leaves);
  bool FillsChunks(const Place& place, const std::vector<Leaf>& leaves, const std::vector<uint32_t>& chunks);
  Parts LoadChunks(const Place& place, const std::vector<Leaf>& leaves, const std::vector<uint32_t>& chunks,
                   llvm::function_ref<Value(uint32_t lane, uint32_t offset)> address);
  void StoreChunks(const Place& place, const std::vector<Leaf>& leaves, const std::vector<uint32_t>& chunks,
                   const LaneValue& value, llvm::function_ref<Value(uint32_t lane, uint32_t offset)> address);
  Value Concatenate(llvm::ArrayRef<Value> vectors);

  // --- emit_lane_loop.cc ---
  // `body` for each lane whose bit is set, in order; `body` for every lane where `bits` is null.
  void LaneLoop(Value bits, llvm::function_ref<void(const Lane& lane)> body);
  void DoNotUnroll(llvm::Instruction* back_edge);
  Value SpilledLane(const Component& c, Value lane);
  Value RowOfWords(Value memory, llvm::Type* element, Value lane);

  // --- emit_store.cc ---
  Guard GuardOf(llvm::ArrayRef<ir::ValueId> operands, size_t index);
  void Store(ir::InstId inst);
  void StorePlace(const Place& place, ir::TypeId type, const LaneValue& value, const Guard& guard);
  void StoreUniform(const Place& place, const std::vector<Leaf>& leaves, const LaneValue& value,
                    const Guard& guard);
  void StoreRow(const Place& place, const Leaf& leaf, const Component& value, const Guard& guard);
  void StoreVectors(const Place& place, const Access& access, const std::vector<Leaf>& leaves,
                    const LaneValue& value, const Component* mask);
  void Scatter(const Place& place, const Access& access, const std::vector<Leaf>& leaves,
               const LaneValue& value, const Component* mask);
  void StoreScalarAt(const Place& place, Value address, Value value, ir::TypeId scalar);
  void Copy(const Place& to, const Place& from, ir::TypeId type, const Guard& guard);
  void ZeroFill(const Place& place, ir::TypeId type, const Guard& guard);
  // Runs `each` for every element of a large array type, with places stepped to it.
  void ForElements(uint32_t count, llvm::function_ref<void(Value index)> each);
  void ForParts(ir::TypeId type, llvm::ArrayRef<const Place*> places,
                llvm::function_ref<void(ir::TypeId, llvm::ArrayRef<Place>)> each);
  Value LaneAddress(const Place& place, const Access& access, const Lane& lane, uint32_t constant);

  // --- emit_atomic.cc ---
  LaneValue AtomicLoad(ir::InstId inst);
  void AtomicStore(ir::InstId inst);
  LaneValue AtomicRmw(ir::InstId inst);
  void CompareExchange(ir::InstId inst);
  Component AtomicUniformAdd(ir::AtomicOp op, const Place& place, const Component& value, const Guard& guard);
  Value RmwScalar(const Place& place, Value address, ir::AtomicOp op, bool is_signed, Value operand);
  Value ReduceLanes(ir::AtomicOp op, bool is_signed, const Component& value, const Guard& guard);
  Value Combine(ir::AtomicOp op, bool is_signed, Value a, Value b);
  // Calls `act` once for each acting lane in lane order and gathers what it returns: `results` words a lane.
  LaneValue ForActingLanes(const Guard& guard, uint32_t results,
                           llvm::function_ref<llvm::SmallVector<Value, 2>(const Lane& lane)> act);
  Value NextRandom(uint32_t field);
  Value SpuriousFailure();

  // --- emit_texture.cc ---
  Value InvariantField(Value base, uint32_t offset, llvm::Type* type);
  Value TextureView(ir::ValueId texture);
  Value TexelRows();
  LaneValue TextureNumber(ir::InstId inst);
  LaneValue TextureLoad(ir::InstId inst);

  // --- emit_event.cc ---
  void Watch(ir::InstId inst);
  void WatchBounds(ir::InstId inst);
  void WatchBarrier(ir::InstId inst);
  Value ObserverField(uint32_t offset, llvm::Type* type);
  void CallHost(Value function, llvm::ArrayRef<Value> arguments);
  void CallObserver(uint32_t field, llvm::ArrayRef<Value> arguments);
  void LeaveFirstInvocation();
  Value LaneBits(const Component& guard);  // i64
  Value FirstInvocation();
  Value Rows(llvm::ArrayRef<ir::ValueId> values);
  Value OneOf(const Component& c, Value bits);
  Value IsQuiet(ir::InstId inst, const Component& offset, Value variable);

  ModuleEmitter& shared_;
  const LaneKernel& kernel_;
  const ir::Module& ir_;
  ir::FunctionId id_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
  bool is_entry_ = false;
  bool has_groups_ = false;  // runs once a workgroup and loops over its lane groups
  bool has_regions_ = false;
  Level level_ = Level::kGroup;
  bool lane_zero_ = false;  // values are lane 0's: see FollowsLaneZero
  uint32_t region_ = 0;     // the region being emitted; 0 at workgroup level
  uint32_t region_count_ = 0;
  Value group_ = nullptr;  // index of the lane group, in the entry point
  Value dispatch_ = nullptr;
  Value worker_ = nullptr;
  Value group_frame_ = nullptr;  // functions get it; in the entry point made for each region
  Value workgroup_id_[3] = {};
  llvm::BasicBlock* entry_block_ = nullptr;
  llvm::BasicBlock* slot_block_ = nullptr;  // where a region loads slots
  llvm::BasicBlock* spill_block_ =
      nullptr;  // in front of a loop over lanes: where values that it indexes are stored
  std::unordered_map<Value, Value> spills_;             // by a component's first part
  llvm::BasicBlock* group_latch_ = nullptr;             // where `return` in a region goes
  std::unordered_map<uint32_t, Known> known_;           // by ValueId
  std::unordered_map<uint32_t, Construct> constructs_;  // by InstId
  std::unordered_map<uint32_t, Buffer> buffers_;        // by slot
  std::unordered_map<uint32_t, Value> var_memory_;      // by ValueId of the `var`
  std::unordered_map<uint32_t, Value> fields_;          // of Dispatch and Worker
  std::unordered_map<uint32_t, bool> needs_memory_;     // by ValueId of the `var`
  Value texel_rows_ = nullptr;
  LaneValue mask_parameter_;                            // functions: which lanes are active
  std::unordered_map<uint32_t, Place> pointer_params_;  // by ValueId; with regions: without their offset
};

}  // namespace lockstep::codegen
