# SPDX-FileCopyrightText: Lockstep authors
# SPDX-License-Identifier: Apache-2.0
#
# lockstep_room(NAME [SHARED] HEADERS h... [FOLDERS f...] [USES room...] [PRIVATE_USES lib...] [TEST_USES lib...])
#
# A room is src/NAME: one library lockstep_NAME ('/' becomes '_'), one namespace, one include prefix.
# The suffix of a file decides its target: foo.cc joins the room, foo_test.cc joins the room's
# GoogleTest program, foo_bench.cc and foo_fuzz.cc are picked up by bench/ and fuzz/.
# FOLDERS names folders of the room (ir/transform) that belong to the same library.
# TEST_USES: what the tests need besides, rooms further up included (tests compare engines).
# HEADERS lists the public ones; the check of arrows (tools/check_layers.py) reads them.

set_property(GLOBAL PROPERTY LOCKSTEP_ROOMS "")

add_library(lockstep_warnings INTERFACE)
target_compile_options(lockstep_warnings INTERFACE
  -Wall -Wextra -Wshadow=local -Wnon-virtual-dtor -Wold-style-cast -Wswitch -Wno-missing-field-initializers -Werror
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>  # GCC 12 sees overlaps in std::string's operator+ that are not there
  $<$<CXX_COMPILER_ID:Clang>:-Wno-error=unknown-warning-option -Wno-unknown-warning-option -Wno-shadow=local>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  # Clang 14 loses the end of a full expression that holds a call of a consteval function: its temporaries are destroyed at
  # the end of the block, a `switch` whose other case ran included. {fmt} checks its format strings by consteval.
  target_compile_definitions(lockstep_warnings INTERFACE FMT_CONSTEVAL=)
endif()
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_warnings INTERFACE -fsanitize=${LOCKSTEP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(lockstep_warnings INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
  # With their checks in the code GCC 12 no longer sees what is initialised.
  target_compile_options(lockstep_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()
if(LOCKSTEP_FUZZ)
  # Coverage of the rooms, which is what guides the fuzzer.
  target_compile_options(lockstep_warnings INTERFACE -fsanitize=fuzzer-no-link)
endif()

function(lockstep_room name)
  cmake_parse_arguments(ROOM "SHARED" "" "HEADERS;FOLDERS;USES;PRIVATE_USES;TEST_USES" ${ARGN})
  string(REPLACE "/" "_" target "lockstep_${name}")
  set(dir ${PROJECT_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc)
  foreach(folder ${ROOM_FOLDERS})
    file(GLOB more CONFIGURE_DEPENDS ${dir}/${folder}/*.cc)
    list(APPEND sources ${more})
  endforeach()
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
  foreach(header ${ROOM_HEADERS})
    if(NOT EXISTS ${dir}/${header})
      message(FATAL_ERROR "room ${name} lists the header ${header}, which does not exist")
    endif()
  endforeach()
  if(sources)
    if(ROOM_SHARED)
      add_library(${target} SHARED ${sources})
    else()
      add_library(${target} STATIC ${sources})
    endif()
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE lockstep_warnings)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${target} ${scope} ${PROJECT_SOURCE_DIR}/src)
  foreach(used ${ROOM_USES})
    string(REPLACE "/" "_" used_target "lockstep_${used}")
    target_link_libraries(${target} ${scope} ${used_target})
  endforeach()
  if(ROOM_PRIVATE_USES)
    if(sources)
      target_link_libraries(${target} PRIVATE ${ROOM_PRIVATE_USES})
    else()
      target_link_libraries(${target} INTERFACE ${ROOM_PRIVATE_USES})
    endif()
  endif()
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_ROOMS ${name})
  set_property(GLOBAL PROPERTY LOCKSTEP_TESTS_${name} ${tests})
  set_property(GLOBAL PROPERTY LOCKSTEP_TEST_USES_${name} ${ROOM_TEST_USES})
endfunction()

# LOCKSTEP_SOURCE_DIR and LOCKSTEP_PROGRAM for those sources that name them, and no others: what holds no path of this
# checkout is compiled once for all checkouts, where a compiler cache is used.
function(lockstep_define_places)
  foreach(source ${ARGN})
    file(STRINGS ${source} named REGEX "LOCKSTEP_(SOURCE_DIR|PROGRAM)" LIMIT_COUNT 1)
    if(named)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS
        LOCKSTEP_SOURCE_DIR="${PROJECT_SOURCE_DIR}" LOCKSTEP_PROGRAM="${PROJECT_BINARY_DIR}/bin/lockstep")
    endif()
  endforeach()
endfunction()

# One GoogleTest program for each room that has *_test.cc files.
function(lockstep_add_room_tests)
  get_property(rooms GLOBAL PROPERTY LOCKSTEP_ROOMS)
  foreach(name ${rooms})
    get_property(tests GLOBAL PROPERTY LOCKSTEP_TESTS_${name})
    if(tests)
      string(REPLACE "/" "_" flat ${name})
      add_executable(${flat}_test ${tests})
      target_link_libraries(${flat}_test PRIVATE lockstep_${flat} lockstep_warnings GTest::gmock GTest::gtest_main)
      get_property(test_uses GLOBAL PROPERTY LOCKSTEP_TEST_USES_${name})
      target_link_libraries(${flat}_test PRIVATE ${test_uses})
      target_include_directories(${flat}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
      lockstep_define_places(${tests})
      gtest_discover_tests(${flat}_test TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 60)
    endif()
  endforeach()
endfunction()
