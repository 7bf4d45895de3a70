// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// From JavaScript's values to gpu/core's. What comes in was converted by Web IDL's rules before
// (dist/interfaces): numbers are in range, dictionaries have their required members, interfaces are
// implementation objects with a `native`. A member that is absent leaves what it is read into as it is.
#pragma once

#include <napi.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "handle.h"

namespace lockstep::bindings {

// The functions that are found beside their types for MemberReader and EnumText are found by these arguments.
class MemberReader;
struct EnumText {
  std::string text;
};

template <typename T>
void Read(const Napi::Value& value, std::shared_ptr<T>& to);
template <typename T>
void Read(const Napi::Value& value, std::optional<T>& to);
template <typename T>
void Read(const Napi::Value& value, std::vector<T>& to);
template <typename T>
void Read(const Napi::Value& value, std::map<std::string, T>& to);
// Enumerations: the string of the specification, by FromName(EnumText, Enum&).
template <typename Enum>
requires std::is_enum_v<Enum>
void Read(const Napi::Value& value, Enum& to);
// Dictionaries: Members(MemberReader, Struct&) lists them.
template <typename Struct>
requires std::is_class_v<Struct>
void Read(const Napi::Value& value, Struct& to);

inline bool IsAbsent(const Napi::Value& value) { return value.IsUndefined() || value.IsNull(); }

inline void Read(const Napi::Value& value, bool& to) { to = value.As<Napi::Boolean>().Value(); }
inline void Read(const Napi::Value& value, double& to) { to = value.As<Napi::Number>().DoubleValue(); }
inline void Read(const Napi::Value& value, float& to) { to = value.As<Napi::Number>().FloatValue(); }
inline void Read(const Napi::Value& value, uint32_t& to) { to = value.As<Napi::Number>().Uint32Value(); }
inline void Read(const Napi::Value& value, int32_t& to) { to = value.As<Napi::Number>().Int32Value(); }
inline void Read(const Napi::Value& value, uint16_t& to) {
  to = static_cast<uint16_t>(value.As<Napi::Number>().Uint32Value());
}
// Web IDL's long long are integers that a double holds.
inline void Read(const Napi::Value& value, uint64_t& to) {
  to = static_cast<uint64_t>(value.As<Napi::Number>().DoubleValue());
}
inline void Read(const Napi::Value& value, std::string& to) { to = value.As<Napi::String>().Utf8Value(); }

// An object of gpu/core, by its implementation object or bare; null stays null.
template <typename T>
void Read(const Napi::Value& value, std::shared_ptr<T>& to) {
  if (IsAbsent(value)) return;
  to = Unwrap<T>(FindHandle(value) != nullptr ? value : value.As<Napi::Object>().Get("native"));
}

template <typename T>
void Read(const Napi::Value& value, std::optional<T>& to) {
  if (IsAbsent(value)) return;
  Read(value, to.emplace());
}

template <typename T>
void Read(const Napi::Value& value, std::vector<T>& to) {
  const auto array = value.As<Napi::Array>();
  to.resize(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const Napi::Value element = array[i];
    if (!IsAbsent(element)) Read(element, to[i]);
  }
}

template <typename T>
void Read(const Napi::Value& value, std::map<std::string, T>& to) {
  const auto object = value.As<Napi::Object>();
  const Napi::Array names = object.GetPropertyNames();
  for (uint32_t i = 0; i < names.Length(); ++i) {
    const Napi::Value name = names[i];
    Read(object.Get(name), to[name.As<Napi::String>().Utf8Value()]);
  }
}

// Reads the members of a dictionary: reader("size", d.size)("usage", d.usage).
class MemberReader {
 public:
  explicit MemberReader(const Napi::Value& dictionary) : object_(dictionary.As<Napi::Object>()) {}
  template <typename T>
  const MemberReader& operator()(const char* name, T& to) const {
    const Napi::Value value = object_.Get(name);
    if (!IsAbsent(value)) Read(value, to);
    return *this;
  }
  Napi::Value Get(const char* name) const { return object_.Get(name); }

 private:
  Napi::Object object_;
};

template <typename Enum>
requires std::is_enum_v<Enum>
void Read(const Napi::Value& value, Enum& to) {
  FromName(EnumText{value.As<Napi::String>().Utf8Value()}, to);
}

template <typename Struct>
requires std::is_class_v<Struct>
void Read(const Napi::Value& value, Struct& to) { Members(MemberReader(value), to); }

template <typename T>
T ReadAs(const Napi::Value& value) {
  T result{};
  if (!IsAbsent(value)) Read(value, result);
  return result;
}

// The bytes of an ArrayBuffer's view.
inline std::span<const std::byte> Bytes(const Napi::Value& view) {
  const auto array = view.As<Napi::Uint8Array>();
  return {reinterpret_cast<const std::byte*>(array.Data()), array.ByteLength()};
}

}  // namespace lockstep::bindings
