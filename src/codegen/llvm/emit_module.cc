// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions and their signatures; the kernel's prologue.
//
// The entry point is abi::KernelEntry. A function that was not inlined is
//     { i32 status, result scalars... } f(dispatch, worker, group frame, parameters...)
// A parameter is its scalars, each one LLVM scalar or `parts` vectors by its shape. A pointer is passed as
// the base address, the size of the binding, and the offset from the base (a scalar or vectors, by its
// shape). One that holds a barrier (BarrierPlan) runs once a workgroup:
//     i32 status f(dispatch, worker, parameters...)
// Only uniform parameters are passed; others and the result are in the frame. A pointer is passed as base
// address and size, or, where it leads to a `var`, as its offset in the group's part of the frame; then the
// offset from there where it is uniform.
#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/MDBuilder.h"

namespace lockstep::codegen {

using Value = llvm::Value*;

namespace {
// Fields of abi::Dispatch, abi::BufferView and abi::Worker.
constexpr uint32_t kDispatchBuffers = offsetof(abi::Dispatch, buffers);
constexpr uint32_t kDispatchCancel = offsetof(abi::Dispatch, cancel);
constexpr uint32_t kViewData = offsetof(abi::BufferView, data);
constexpr uint32_t kViewSize = offsetof(abi::BufferView, size);
constexpr uint32_t kWorkgroupMemory = offsetof(abi::Worker, workgroup_memory);
}  // namespace

ModuleEmitter::ModuleEmitter(const LaneKernel& kernel, const EmitOptions& options, llvm::Module* module)
    : kernel_(kernel),
      ir_(kernel.module),
      options_(options),
      module_(module),
      context_(module->getContext()) {
  lanes_ = kernel.lanes;
  native_ = std::min(lanes_, std::max(options.native_lanes, LeastLanes(ir_)));
  part_count_ = lanes_ / native_;
  CHECK(part_count_ * native_ == lanes_);
  scratch_begin_ = (kernel.frame_bytes() + 63) & ~uint64_t{63};
  uint32_t buffers = 0, textures = 0;
  for (const ir::Variable& variable : ir_.variables) {
    slots_.push_back(variable.is_buffer() ? buffers++ : variable.is_texture() ? textures++ : UINT32_MAX);
  }
}

std::string ModuleEmitter::Run() {
  DeclareCalled(ir_.functions[ir_.entry].body);
  used_.assign(ir_.value_count(), false);
  FindUses(ir_.functions[ir_.entry].body);
  for (const ir::FunctionId id : order_) FindUses(ir_.functions[id].body);
  llvm::Function* entry =
      llvm::Function::Create(EntrySignature(), llvm::Function::ExternalLinkage, kEntrySymbol, module_);
  for (const ir::FunctionId id : order_) {
    Emitter emitter(this, id, functions_[id.index]);
    if (kernel_.barriers.HasRegions(id))
      emitter.EmitWorkgroupFunction();
    else
      emitter.EmitFunction();
  }
  Emitter(this, ir_.entry, entry).EmitEntry();
  TellApart();
  for (llvm::Function& function : *module_) {
    if (!function.isDeclaration()) function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  constexpr uint64_t kMaxFrame = uint64_t{1} << 26;
  if (frame_bytes() > kMaxFrame) return "the variables of one workgroup take more than 64 MiB on this device";
  return {};
}

void ModuleEmitter::DeclareCalled(ir::BlockId block) {
  ir::ForEachInst(ir_, block, [&](ir::InstId inst) {
    if (ir_.insts[inst].op != ir::Op::kCall) return;
    const ir::FunctionId callee(ir_.insts[inst].imm);
    const bool seen = functions_.count(callee.index) != 0;
    if (!ir_.results(inst).empty()) {
      const bool uniform = kernel_.shapes.Get(ir_.result(inst)).uniform();
      const auto known = result_shapes_.find(callee.index);
      if (known == result_shapes_.end()) {
        result_shapes_[callee.index].kind = uniform ? ShapeKind::kUniform : ShapeKind::kVarying;
      } else if (!uniform) {
        known->second.kind = ShapeKind::kVarying;
      }
    }
    if (seen) return;
    functions_[callee.index] = nullptr;
    DeclareCalled(ir_.functions[callee].body);
    order_.push_back(callee);
  });
  if (block != ir_.functions[ir_.entry].body) return;
  for (const ir::FunctionId id : order_) {
    llvm::FunctionType* type = kernel_.barriers.HasRegions(id) ? WorkgroupSignatureOf(id) : SignatureOf(id);
    llvm::Function* function =
        llvm::Function::Create(type, llvm::Function::InternalLinkage, ir_.functions[id].name, module_);
    function->setCallingConv(llvm::CallingConv::Fast);
    function->addFnAttr(llvm::Attribute::NoInline);  // the IR's own inliner has decided
    functions_[id.index] = function;
  }
}

void ModuleEmitter::FindUses(ir::BlockId block) {
  ir::ForEachInst(ir_, block, [&](ir::InstId inst) {
    for (const ir::ValueId operand : ir_.operands(inst)) used_[operand.index] = true;
    instrumented_ |= ir_.insts[inst].op == ir::Op::kWatch || ir_.insts[inst].op == ir::Op::kWatchBounds;
  });
}

Shape ModuleEmitter::ResultShape(ir::FunctionId id) const {
  const auto known = result_shapes_.find(id.index);
  return known == result_shapes_.end() ? Shape() : known->second;
}

llvm::FunctionType* ModuleEmitter::EntrySignature() {
  llvm::Type* pointer = llvm::PointerType::get(context_, 0);
  llvm::Type* word = llvm::Type::getInt32Ty(context_);
  return llvm::FunctionType::get(word, {pointer, pointer, word, word, word}, false);
}

llvm::FunctionType* ModuleEmitter::SignatureOf(ir::FunctionId id) {
  llvm::Type* pointer = llvm::PointerType::get(context_, 0);
  llvm::SmallVector<llvm::Type*, 16> params = {pointer, pointer, pointer};
  const ir::Function& function = ir_.functions[id];
  for (const ir::ValueId param : function.params) {
    AppendValueTypes(ir_.type_of(param), kernel_.shapes.Get(param), &params);
  }
  llvm::SmallVector<llvm::Type*, 8> results = {llvm::Type::getInt32Ty(context_)};
  if (ir_.types[function.result].kind != ir::TypeKind::kVoid) {
    AppendValueTypes(function.result, ResultShape(id), &results);
  }
  return llvm::FunctionType::get(llvm::StructType::get(context_, results), params, false);
}

bool ModuleEmitter::LeadsToVar(ir::ValueId pointer) const {
  const ir::AddressSpace space = ir_.types[ir_.type_of(pointer)].space;
  return space == ir::AddressSpace::kFunction || space == ir::AddressSpace::kPrivate;
}

llvm::FunctionType* ModuleEmitter::WorkgroupSignatureOf(ir::FunctionId id) {
  llvm::Type* pointer = llvm::PointerType::get(context_, 0);
  llvm::Type* word = llvm::Type::getInt32Ty(context_);
  llvm::Type* size = llvm::Type::getInt64Ty(context_);
  llvm::SmallVector<llvm::Type*, 16> params = {pointer, pointer};
  for (const ir::ValueId param : ir_.functions[id].params) {
    const bool in_slot = kernel_.placements.Get(param).home == Home::kGroupSlot;
    if (ir_.types.IsPointer(ir_.type_of(param))) {
      if (!LeadsToVar(param)) params.push_back(pointer);
      params.push_back(size);
      if (!in_slot) params.push_back(word);
    } else if (!in_slot) {
      AppendValueTypes(ir_.type_of(param), kernel_.shapes.Get(param), &params);
    }
  }
  return llvm::FunctionType::get(word, params, false);
}

void ModuleEmitter::AppendValueTypes(ir::TypeId type, const Shape& shape,
                                     llvm::SmallVectorImpl<llvm::Type*>* types) {
  llvm::Type* word = llvm::Type::getInt32Ty(context_);
  if (ir_.types.IsPointer(type)) {
    types->push_back(llvm::PointerType::get(context_, 0));
    types->push_back(llvm::Type::getInt64Ty(context_));
    if (shape.uniform()) {
      types->push_back(word);
    } else {
      types->append(part_count_, Vector(word));
    }
    return;
  }
  for (const Leaf& leaf : Leaves(type)) {
    if (shape.uniform() || shape.kind == ShapeKind::kAffine) {
      types->push_back(ScalarType(leaf.scalar));
    } else {
      types->append(part_count_, VectorType(leaf.scalar));
    }
  }
}

llvm::Type* ModuleEmitter::ScalarType(ir::TypeId scalar) {
  switch (ir_.types[scalar].kind) {
    case ir::TypeKind::kBool:
      return llvm::Type::getInt1Ty(context_);
    case ir::TypeKind::kI32:
    case ir::TypeKind::kU32:
    case ir::TypeKind::kAtomic:
    case ir::TypeKind::kTexture:  // its place in Dispatch::textures
      return llvm::Type::getInt32Ty(context_);
    case ir::TypeKind::kF32:
      return llvm::Type::getFloatTy(context_);
    case ir::TypeKind::kF16:
      return llvm::Type::getHalfTy(context_);
    case ir::TypeKind::kVoid:
    case ir::TypeKind::kVector:
    case ir::TypeKind::kMatrix:
    case ir::TypeKind::kArray:
    case ir::TypeKind::kRuntimeArray:
    case ir::TypeKind::kStruct:
    case ir::TypeKind::kPointer:
      break;
  }
  UNREACHABLE("not a scalar type");
}

llvm::Type* ModuleEmitter::Vector(llvm::Type* element) const {
  if (native_ == 1) return element;
  return llvm::FixedVectorType::get(element, native_);
}

llvm::Type* ModuleEmitter::VectorType(ir::TypeId scalar) {
  if (ir_.types[scalar].kind == ir::TypeKind::kBool) return Vector(llvm::Type::getInt32Ty(context_));
  return Vector(ScalarType(scalar));
}

const std::vector<Leaf>& ModuleEmitter::Leaves(ir::TypeId type) {
  const auto found = leaves_.find(type.index);
  if (found != leaves_.end()) return found->second;
  std::vector<Leaf> leaves;
  const uint32_t parts = ir_.types.PartCount(type);
  if (ir_.types.IsPointer(type)) {  // in a slot: its offset
    leaves.push_back({ir_.types.U32(), 0, 0});
  } else if (parts == 0) {
    const bool atomic = ir_.types[type].kind == ir::TypeKind::kAtomic;
    leaves.push_back({atomic ? ir_.types[type].element : type, 0, 0});
  }
  for (uint32_t i = 0; i < parts; ++i) {
    const uint32_t offset = ir_.types.PartOffset(type, i);
    for (const Leaf& leaf : Leaves(ir_.types.PartType(type, i))) {
      leaves.push_back({leaf.scalar, offset + leaf.offset, static_cast<uint32_t>(leaves.size())});
    }
  }
  return leaves_[type.index] = std::move(leaves);
}

// Memory with different keys never overlaps: buffers (WebGPU forbids bindings that alias where one is
// written), variables of the workgroup, frame and scratch memory.
llvm::MDNode* ModuleEmitter::ScopeOf(uint64_t key) {
  const auto found = scopes_.find(key);
  if (found != scopes_.end()) return found->second;
  llvm::MDBuilder builder(context_);
  if (scope_domain_ == nullptr) scope_domain_ = builder.createAnonymousAliasScopeDomain("memory");
  scope_order_.push_back(builder.createAnonymousAliasScope(scope_domain_));
  return scopes_[key] = scope_order_.back();
}

// Gives every access the list of the scopes that it is not in.
void ModuleEmitter::TellApart() {
  std::unordered_map<llvm::MDNode*, llvm::MDNode*> others;
  for (const auto& [inst, own] : accesses_) {
    llvm::MDNode*& list = others[own];
    if (list == nullptr) {
      llvm::SmallVector<llvm::Metadata*, 16> nodes;
      for (llvm::MDNode* scope : scope_order_) {
        if (scope != own) nodes.push_back(scope);
      }
      list = llvm::MDNode::get(context_, nodes);
    }
    inst->setMetadata(llvm::LLVMContext::MD_noalias, list);
  }
}

uint64_t ModuleEmitter::AllocateScratch(uint64_t bytes) {
  const uint64_t offset = scratch_begin_ + scratch_bytes_;
  scratch_bytes_ += (bytes + 63) & ~uint64_t{63};
  return offset;
}

Emitter::Emitter(ModuleEmitter* shared, ir::FunctionId id, llvm::Function* function)
    : shared_(*shared),
      kernel_(shared->kernel_),
      ir_(shared->ir_),
      id_(id),
      function_(function),
      b_(shared->context_) {
  entry_block_ = llvm::BasicBlock::Create(b_.getContext(), "entry", function_);
  dispatch_ = function_->getArg(0);
  worker_ = function_->getArg(1);
  llvm::AttrBuilder attributes(b_.getContext());
  attributes.addAttribute(llvm::Attribute::NoAlias);
  attributes.addAttribute(llvm::Attribute::NonNull);
  function_->addParamAttrs(0, attributes);
  function_->addParamAttrs(1, attributes);
}

void Emitter::EmitEntry() {
  is_entry_ = has_groups_ = true;
  has_regions_ = kernel_.barriers.HasRegions(id_);
  for (unsigned i = 0; i < 3; ++i) workgroup_id_[i] = function_->getArg(2 + i);
  llvm::BasicBlock* first = NewBlock("start");
  StartBlock(first);
  if (kernel_.workgroup_bytes > 0) {
    b_.CreateMemSet(WorkerField(kWorkgroupMemory, "workgroup"), b_.getInt8(0), kernel_.workgroup_bytes,
                    llvm::Align(64));
  }
  const ir::BlockId body = ir_.functions[id_].body;
  if (has_regions_) {
    level_ = Level::kWorkgroup;
    bool any_private = false;
    for (const ir::Variable& variable : ir_.variables)
      any_private |= variable.space == ir::AddressSpace::kPrivate;
    if (any_private) GroupLoop([&] { InitPrivates(); });
    EmitWorkgroupBlock(body);
  } else {
    GroupLoop([&] {
      InitPrivates();
      EmitBlock(body);
    });
    ReturnStatus(U32(abi::kDone));
  }
  b_.SetInsertPoint(entry_block_);
  b_.CreateBr(first);
}

void Emitter::EmitWorkgroupFunction() {
  has_groups_ = has_regions_ = true;
  llvm::BasicBlock* first = NewBlock("start");
  StartBlock(first);
  level_ = Level::kWorkgroup;
  BindWorkgroupParameters();
  Poll();
  EmitWorkgroupBlock(ir_.functions[id_].body);
  b_.SetInsertPoint(entry_block_);
  b_.CreateBr(first);
}

void Emitter::BindWorkgroupParameters() {
  unsigned next = 2;
  for (const ir::ValueId param : ir_.functions[id_].params) {
    const ir::TypeId type = ir_.type_of(param);
    const bool in_slot = kernel_.placements.Get(param).home == Home::kGroupSlot;
    if (!ir_.types.IsPointer(type)) {
      if (in_slot) continue;
      LaneValue value;
      for (size_t i = 0; i < shared_.Leaves(type).size(); ++i)
        value.push_back(Component::Uniform(function_->getArg(next++)));
      Set(param, std::move(value));
      continue;
    }
    Place place;
    place.type = ir_.types.Pointee(type);
    if (shared_.LeadsToVar(param)) {
      place.layout = Layout::kRows;
      place.in_frame = function_->getArg(next++);
    } else {
      place.shared = ir_.types[type].space == ir::AddressSpace::kStorage;
      place.base = function_->getArg(next++);
      place.size = function_->getArg(next++);
    }
    if (!in_slot) Set(param, {Component::Uniform(function_->getArg(next++))});
    pointer_params_.emplace(param.index, std::move(place));
  }
}

void Emitter::EmitFunction() {
  group_frame_ = function_->getArg(2);
  llvm::BasicBlock* first = NewBlock("start");
  StartBlock(first);
  BindParameters();
  // Functions that call each other twice, many deep, take long without any loop.
  bool calls = false;
  ForEachInst(ir_, ir_.functions[id_].body,
              [&](ir::InstId inst) { calls |= ir_.insts[inst].op == ir::Op::kCall; });
  if (calls) Poll();
  EmitBlock(ir_.functions[id_].body);
  b_.SetInsertPoint(entry_block_);
  b_.CreateBr(first);
}

void Emitter::BindParameters() {
  unsigned next = 3;
  const auto take = [&](uint32_t count) {
    Parts parts;
    for (uint32_t i = 0; i < count; ++i) parts.push_back(function_->getArg(next++));
    return parts;
  };
  for (const ir::ValueId param : ir_.functions[id_].params) {
    const Shape shape = kernel_.shapes.Get(param);
    const ir::TypeId type = ir_.type_of(param);
    if (ir_.types.IsPointer(type)) {
      Place place;
      place.base = take(1)[0];
      place.size = take(1)[0];
      const Component offset =
          shape.uniform() ? Component::Uniform(take(1)[0]) : Component::Varying(take(part_count()));
      place.terms.push_back({offset, 1});
      const ir::AddressSpace space = ir_.types[type].space;
      const bool own = space == ir::AddressSpace::kFunction || space == ir::AddressSpace::kPrivate;
      place.layout = own ? Layout::kRows : Layout::kBytes;
      place.shared = space == ir::AddressSpace::kStorage;
      place.type = ir_.types.Pointee(type);
      pointer_params_.emplace(param.index, std::move(place));
      continue;
    }
    LaneValue value;
    for (size_t i = 0; i < shared_.Leaves(type).size(); ++i) {
      if (shape.uniform()) {
        value.push_back(Component::Uniform(take(1)[0]));
      } else if (shape.kind == ShapeKind::kAffine) {
        value.push_back(Component::Affine(take(1)[0], shape.stride));
      } else {
        value.push_back(Component::Varying(take(part_count())));
      }
    }
    if (param == ir_.functions[id_].params.front()) mask_parameter_ = value;
    Set(param, std::move(value));
  }
}

// Module-scope private variables start anew in each invocation.
void Emitter::InitPrivates() {
  for (uint32_t i = 0; i < ir_.variables.size(); ++i) {
    const ir::Variable& variable = ir_.variables[ir::VariableId(i)];
    if (variable.space != ir::AddressSpace::kPrivate) continue;
    const Place place = Resolve(ir_.variable_value(ir::VariableId(i)));
    if (variable.initializer.has_value()) {
      StorePlace(place, variable.type, ConstantValue(variable.initializer), Guard());
    } else {
      ZeroFill(place, variable.type, Guard());
    }
  }
}

Value Emitter::InEntry(llvm::function_ref<Value()> make) {
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(entry_block_);
  return make();
}

Value Emitter::Alloca(uint64_t bytes, uint32_t align) {
  return InEntry([&]() -> Value {
    llvm::AllocaInst* memory = b_.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), bytes));
    memory->setAlignment(llvm::Align(align));
    return memory;
  });
}

const Emitter::Buffer& Emitter::BufferOf(uint32_t slot) {
  const auto found = buffers_.find(slot);
  if (found != buffers_.end()) return found->second;
  Buffer buffer;
  const Value views = WorkerField(UINT32_MAX, "buffers");
  InEntry([&]() -> Value {
    llvm::MDNode* empty = llvm::MDNode::get(b_.getContext(), {});
    const uint32_t view = slot * sizeof(abi::BufferView);
    llvm::LoadInst* data = b_.CreateAlignedLoad(
        b_.getPtrTy(), b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), views, view + kViewData), llvm::Align(8),
        "buffer");
    data->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
    data->setMetadata(llvm::LLVMContext::MD_align,
                      llvm::MDNode::get(b_.getContext(), {llvm::ConstantAsMetadata::get(b_.getInt64(16))}));
    llvm::LoadInst* size = b_.CreateAlignedLoad(
        b_.getInt64Ty(), b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), views, view + kViewSize),
        llvm::Align(8), "size");
    size->setMetadata(llvm::LLVMContext::MD_invariant_load, empty);
    buffer.data = data;
    buffer.size = size;
    return data;
  });
  return buffers_[slot] = buffer;
}

// A field of what the kernel does not change.
Value Emitter::InvariantField(Value base, uint32_t offset, llvm::Type* type) {
  const auto align = static_cast<uint64_t>(type->isPointerTy() ? 8 : 4);
  llvm::LoadInst* load = b_.CreateAlignedLoad(
      type, b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), base, offset), llvm::Align(align));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
  return load;
}

// A pointer field of abi::Worker at byte `field`; UINT32_MAX is Dispatch::buffers.
Value Emitter::WorkerField(uint32_t field, const char* name) {
  const auto found = fields_.find(field);
  if (found != fields_.end()) return found->second;
  const Value loaded = InEntry([&]() -> Value {
    const Value from = field == UINT32_MAX ? dispatch_ : worker_;
    const uint32_t offset = field == UINT32_MAX ? kDispatchBuffers : field;
    const Value load = InvariantField(from, offset, b_.getPtrTy());
    load->setName(name);
    return load;
  });
  return fields_[field] = loaded;
}

Value Emitter::InvariantWord(Value base, uint32_t offset) {
  return InEntry([&]() -> Value { return InvariantField(base, offset, b_.getInt32Ty()); });
}

Value Emitter::CancelPointer() {
  constexpr uint32_t kKey = UINT32_MAX - 1;
  const auto found = fields_.find(kKey);
  if (found != fields_.end()) return found->second;
  const Value loaded = InEntry([&]() -> Value {
    const Value load = InvariantField(dispatch_, kDispatchCancel, b_.getPtrTy());
    load->setName("cancel");
    return load;
  });
  return fields_[kKey] = loaded;
}

}  // namespace lockstep::codegen
