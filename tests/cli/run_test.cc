// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep run, from the outside.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace lockstep::cli_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

class RunCommand : public CliTest {};

constexpr const char* kDouble = R"(
@group(0) @binding(0) var<storage, read> in: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&out)) { out[id.x] = in[id.x] * 2; }
}
)";

std::string WithComments(const std::string& comments, const std::string& code = kDouble) {
  return comments + "\n" + code;
}

TEST_F(RunCommand, PrintsWritableBuffersAndTheTime) {
  const Outcome run =
      RunShader(WithComments("// in: 5 x f32 = [1, 0.05, -0, 1e20, 3], out: 5 x f32, dispatch 2"));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(
      run.out,
      MatchesRegex(
          "out: 2, 0\\.1, -0, 200000000000000000000, 6\ncpu: [0-9.]+ (ns|us|ms|s) \\(median of 5\\)\n"));
  EXPECT_THAT(run.out, Not(HasSubstr(" 0.00 ")));
  EXPECT_EQ(run.err, "");
}

TEST_F(RunCommand, FlagsDescribeARunAsWell) {
  const Outcome run = RunShader(kDouble, {"--buffer", "in: 3 x f32 = iota", "--buffer", "0.1: 3 x f32",
                                          "--dispatch", "1", "--repeat", "2"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("out: 0, 2, 4\n"));
  EXPECT_THAT(run.out, HasSubstr("(median of 2)"));
}

// A clamped index of the lane alone, in an array of each invocation's own.
TEST_F(RunCommand, PrivateArraysIndexedByTheLaneAreEachInvocationsOwn) {
  for (const char* lanes : {"1", "2", "4", "8", "16"}) {
    const Outcome run = RunShader(R"(
// out: 8 x u32, dispatch 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> own: array<u32, 6>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) lane: u32) {
  own[lane] += lane + 1u;
  own[1] += 10u;
  out[lane] = own[u32(lane < 3u)];
}
)",
                                  {"--lanes", lanes});
    EXPECT_THAT(run.out, StartsWith("out: 10, 12, 10, 0, 0, 0, 0, 0\n")) << lanes << " lanes";
  }
}

// More than the 8,192 bytes that WGSL #limits asks of everybody.
TEST_F(RunCommand, InvocationsHaveRoomForLargeVariables) {
  const Outcome run = RunShader(R"(
// out: 8 x u32 = 7, dispatch 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> own: array<array<vec3f, 3>, 256>;
@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) lane: u32) {
  var local: array<u32, 4000>;
  var not_zero = 0u;
  for (var i = 0u; i < 256; i++) { for (var j = 0u; j < 3; j++) { not_zero += u32(any(own[i][j] != vec3f())); } }
  for (var i = 0u; i < 4000; i++) { not_zero += local[i]; }
  own[lane * 30][2] = vec3f(f32(lane));
  local[lane * 500] = lane;
  out[lane] = 100u * not_zero + u32(own[lane * 30][2].y) + local[lane * 500];
}
)",
                                {});
  EXPECT_THAT(run.out, StartsWith("out: 0, 2, 4, 6, 8, 10, 12, 14\n"));
}

TEST_F(RunCommand, FlagsWin) {
  const Outcome run = RunShader(WithComments("// in: 5 x f32 = 1, out: 5 x f32, dispatch 2"),
                                {"--buffer", "in: 5 x f32 = 3", "--dispatch", "1"});
  EXPECT_THAT(run.out, StartsWith("out: 6, 6, 6, 6, 0\n")) << run.err;
}

TEST_F(RunCommand, FlagsWinOverWhatADispatchOfTheFileSaysForItself) {
  const std::string shader = R"(
// dispatch 1 entry add override n = 2
override n: u32 = 1;
@group(0) @binding(0) var<storage, read_write> sum: u32;
@compute @workgroup_size(1) fn add() { sum += n; }
@compute @workgroup_size(1) fn ten() { sum += 10; }
)";
  EXPECT_THAT(RunShader(shader).out, StartsWith("sum: 2\n"));
  EXPECT_THAT(RunShader(shader, {"--override", "n=5"}).out, StartsWith("sum: 5\n"));
  EXPECT_THAT(RunShader(shader, {"--entry", "ten"}).out, StartsWith("sum: 10\n"));
  EXPECT_EQ(RunShader(shader, {"--override", "n=5000000000"}).status, 1);
}

// Nothing ran, so that there is nothing to give three digits of.
TEST_F(RunCommand, ATimeIsNeverMadeUp) {
  const std::string shader =
      "@group(0) @binding(0) var<storage, read_write> out: u32;\n@compute @workgroup_size(1) fn main() { out "
      "= 1; }";
  EXPECT_EQ(RunShader(shader, {"--dispatch", "0"}).out, "out: 0\ncpu: 0 ns (median of 5)\n");
  const json document = json::parse(RunShader(shader, {"--dispatch", "1", "--json"}).out);
  for (const json& time : document["times_ms"]) {
    EXPECT_GT(time.get<double>(), 0);
    EXPECT_LE(time.dump().size(), 12u) << "whole nanoseconds, without the digits of a division: " << time;
  }
}

TEST_F(RunCommand, LongBuffersAreCut) {
  const std::string shader = WithComments("// in: 100 x f32 = iota, out: 100 x f32, dispatch 25");
  const Outcome run = RunShader(shader);
  EXPECT_THAT(run.out, StartsWith("out: 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, ..., 192, "
                                  "194, 196, 198 (100 values)\n"));
  const Outcome all = RunShader(shader, {"--all"});
  EXPECT_THAT(all.out, HasSubstr(", 98, 100, 102,"));
  EXPECT_THAT(all.out, Not(HasSubstr("...")));
  const Outcome short_enough = RunShader(WithComments("// in: 64 x f32 = iota, out: 64 x f32, dispatch 16"));
  EXPECT_THAT(short_enough.out, Not(HasSubstr("...")));
}

TEST_F(RunCommand, JsonHoldsEverything) {
  const Outcome run = RunShader(WithComments("// in: 3 x f32 = [0.05, nan, -inf], out: 3 x f32, dispatch "
                                             "1\n// expect out: 0.1, ...\n// expect out: 0.2, ..."),
                                {"--json", "--repeat", "3"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("\"values\":[0.1,\"NaN\",\"-Infinity\"]"));
  const json document = json::parse(run.out, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << run.out;
  const json& in = document["buffers"]["in"];
  EXPECT_EQ(in["group"], 0);
  EXPECT_EQ(in["binding"], 0);
  EXPECT_EQ(in["type"], "f32");
  EXPECT_EQ(in["count"], 3);
  EXPECT_EQ(in["writable"], false);
  EXPECT_EQ(document["buffers"]["out"]["writable"], true);
  EXPECT_EQ(document["device"]["kind"], "cpu");
  EXPECT_FALSE(document["device"]["name"].get<std::string>().empty());
  ASSERT_EQ(document["times_ms"].size(), 3u);
  for (const json& time : document["times_ms"]) EXPECT_GT(time.get<double>(), 0);
  EXPECT_EQ(document["repeats_agree"], true);
  ASSERT_EQ(document["expect"].size(), 2u);
  EXPECT_EQ(document["expect"][0], json({{"name", "out"}, {"ok", true}, {"first_difference", nullptr}}));
  EXPECT_EQ(document["expect"][1], json({{"name", "out"},
                                         {"ok", false},
                                         {"first_difference", {{"index", 0}, {"got", 0.1}, {"want", 0.2}}}}));
}

TEST_F(RunCommand, StructsAreFlat) {
  const Outcome run = RunShader(R"(
// items: 2 x Item = iota, count: u32 = 9, dispatch 1
struct Item { place: vec3f, kind: u32, basis: mat2x2f, tag: i32 }
@group(0) @binding(0) var<storage, read_write> items: array<Item>;
@group(0) @binding(1) var<storage, read_write> count: u32;
@compute @workgroup_size(1) fn main() { count = items[1].kind; items[0].tag = -5; }
)");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(
      run.out,
      StartsWith("items: 0, 1, 2, 3, 4, 5, 6, 7, -5, 9, 10, 11, 12, 13, 14, 15, 16, 17\ncount: 12\n"));
}

TEST_F(RunCommand, AStructsTailTakesTheCount) {
  const Outcome run = RunShader(R"(
// log: 3 x Log = iota, dispatch 1
struct Log { count: u32, lines: array<vec2u> }
@group(0) @binding(0) var<storage, read_write> log: Log;
@compute @workgroup_size(1) fn main() { log.count = arrayLength(&log.lines); }
)",
                                {"--json"});
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_THAT(
      run.out,
      HasSubstr(
          R"("log":{"group":0,"binding":0,"type":"Log","count":3,"writable":true,"values":[3,1,2,3,4,5,6]})"));
}

TEST_F(RunCommand, DispatchesShareBuffersAndRunInOrder) {
  const Outcome run = RunShader(R"(
// dispatch 1 entry plan, dispatch indirect calls entry work, dispatch indirect calls offset 12 entry work
// dispatch indirect calls offset 24 entry work
@group(0) @binding(0) var<storage, read_write> calls: array<u32, 9>;
@group(0) @binding(1) var<storage, read_write> done: atomic<u32>;
@compute @workgroup_size(1) fn plan() {
  calls[0] = 3; calls[1] = 2; calls[2] = 1; calls[3] = 65536; calls[4] = 1; calls[5] = 1; calls[6] = 4; calls[8] = 4;
}
@compute @workgroup_size(4) fn work() { atomicAdd(&done, 1u); }
)");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("done: 24\n"));
  EXPECT_THAT(run.err,
              HasSubstr("warning: a.wgsl:2:63: the counts in 'calls' at offset 12 are over the limit"));
}

TEST_F(RunCommand, OverridesByNameEvenWithAnId) {
  const Outcome run = RunShader(R"(
// override n = 3, dispatch 1, dispatch 1 override m = 10
@id(5) override n: u32 = 1;
override m: u32 = 2;
@group(0) @binding(0) var<storage, read_write> sum: u32;
@compute @workgroup_size(1) fn main() { sum += n * m; }
)");
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_THAT(run.out, StartsWith("sum: 36\n"));
}

TEST_F(RunCommand, EveryRepeatStartsAfresh) {
  const Outcome run = RunShader(R"(
// sum: u32 = 5, dispatch 3
// expect sum: 8
@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
@compute @workgroup_size(1) fn main() { atomicAdd(&sum, 1u); }
)",
                                {"--repeat", "7"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_THAT(run.out, StartsWith("sum: 8\n"));
}

TEST_F(RunCommand, AFailedExpectationIsAResult) {
  const Outcome run =
      RunShader(WithComments("// in: 4 x f32 = iota, out: 4 x f32, dispatch 1\n// expect out: 0, 2, 5, 7"));
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, HasSubstr("expect out: 2 of 4 values differ, the first at 2: got 4, want 5\n"));
  EXPECT_EQ(run.err, "");
}

TEST_F(RunCommand, FilesAreRelativeToWhoNamesThem) {
  Write("in.csv", "1, 2, 3\n");
  ASSERT_EQ(system(("mkdir " + folder_ + "/sub").c_str()), 0);
  Write("sub/want.json", "[2, 4, 6]");
  Write("sub/b.wgsl", WithComments("// out: 3 x f32, dispatch 1\n// expect out: @want.json"));
  const Outcome run = Run({"run", "sub/b.wgsl", "--buffer", "in: 3 x f32 = @in.csv", "--save",
                           "out=saved.npy", "--save", "out=saved.csv"});
  EXPECT_EQ(run.status, 0) << run.out << run.err;
  EXPECT_EQ(Read("saved.csv"), "2,4,6\n");
  EXPECT_THAT(Read("saved.npy"), HasSubstr("'descr': '<f4'"));
  const Outcome again =
      Run({"run", "sub/b.wgsl", "--buffer", "in: 3 x f32 = @saved.npy", "--expect", "out: 4, 8, 12"});
  EXPECT_EQ(again.status, 0) << again.out << again.err;
}

TEST_F(RunCommand, ThreadsLanesAndSeedsChangeNothing) {
  const std::string shader = WithComments("// in: 1000 x f32 = random 0 .. 1, out: 1000 x f32, dispatch 250");
  const std::string want = RunShader(shader, {"--all", "--interpret", "--repeat", "1"}).out;
  const std::string values = want.substr(0, want.find('\n'));
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{{},
                                                                                     {"--threads", "1"},
                                                                                     {"--threads", "3"},
                                                                                     {"--lanes", "1"},
                                                                                     {"--lanes", "4"},
                                                                                     {"--lanes", "32"},
                                                                                     {"--shuffle", "9"},
                                                                                     {"--no-cache"}}) {
    std::vector<std::string> all = flags;
    all.insert(all.end(), {"--all", "--repeat", "2"});
    const Outcome run = RunShader(shader, all);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out.substr(0, run.out.find('\n')), values) << ::testing::PrintToString(flags);
  }
}

struct BadCall {
  std::string shader;
  std::vector<std::string> flags;
  int status;
  const char* message;
};

// Flat table.
TEST_F(RunCommand, MistakesGetOneSentenceAndTheRightStatus) {
  const std::string fixed =
      "@group(0) @binding(0) var<storage, read_write> out: array<u32, 4>;\n@compute @workgroup_size(1) fn "
      "main() { out[0] = 1; }\n";
  const BadCall cases[] = {
      {kDouble, {}, 2, "a.wgsl: no dispatch is described: add a comment such as '// dispatch 16'"},
      {kDouble,
       {"--dispatch", "1"},
       2,
       "the runtime-sized buffer 'in' has no count: add a comment such as '// in: COUNT x f32'"},
      {fixed,
       {"--dispatch", "1", "--buffer", "out: 3 x u32"},
       2,
       "'out' is given 12 bytes and needs 16 at least"},
      {fixed,
       {"--dispatch", "1", "--buffer", "out: 0 x u32"},
       2,
       "'out' is given 0 bytes and needs 16 at least"},
      {fixed, {"--dispatch", "1", "--buffer", "nope: 3 x u32"}, 2, "there is no resource 'nope'"},
      {fixed, {"--dispatch", "1", "--buffer", "out 3"}, 2, "--buffer 'out 3': expected ':' after the name"},
      {fixed,
       {"--dispatch", "1", "--buffer", "out: 4 x u32 = [1, 2]"},
       2,
       "the list has 2 numbers and the buffer 4 scalars"},
      {fixed, {"--dispatch", "1", "--buffer", "out: 4 x u32 = @no.npy"}, 2, "no.npy: there is no such file"},
      {fixed,
       {"--dispatch", "1", "--buffer", "out: 4000000000 x vec4f"},
       1,
       "64000000000 bytes exceeds the limit maxBufferSize of 268435456"},
      {fixed, {"--dispatch", "1", "--buffer", "out: 4000000000 x vec4f", "--limits", "max"}, -2, ""},
      {fixed,
       {"--dispatch", "1", "--buffer", "out: 40000000 x u32"},
       1,
       "exceeds the limit maxStorageBufferBindingSize of 134217728"},
      {"@group(0) @binding(0) var image: texture_2d<f32>;\n"
       "@compute @workgroup_size(1) fn main() { _ = textureLoad(image, vec2(0, 0), 0); }\n",
       {"--dispatch", "1"},
       1,
       "'image' is a texture or a sampler, which a run cannot describe yet"},
      {fixed, {"--dispatch", "65536"}, 1, "65536 workgroups in x exceed the limit of 65535"},
      {fixed, {"--dispatch", "1 x 99999999999999999999"}, 1, "in y exceed the limit of 65535"},
      {fixed, {"--dispatch", "1", "--entry", "mian"}, 2, "did you mean 'main'?"},
      {fixed, {"--dispatch", "1", "--override", "x=1"}, 2, "there is no override 'x'"},
      {fixed, {"--dispatch", "1", "--save", "out=a.txt"}, 2, "data files end in .npy, .bin, .csv or .json"},
      {fixed, {"--dispatch", "1", "--save", "out"}, 2, "expected NAME=FILE"},
      {fixed, {"--dispatch", "1", "--save", "nope=a.npy"}, 2, "there is no resource 'nope'"},
      {fixed,
       {"--dispatch", "1", "--save", "out=no/such/folder.npy"},
       2,
       "cannot be written: there is no such folder"},
      {fixed, {"--dispatch", "1", "--device", "vulkan"}, 3, "there is no Vulkan device"},
      {fixed, {"--dispatch", "1", "--device", "tpu"}, 2, "expected cpu, vulkan or vulkan:N"},
      {fixed, {"--dispatch", "1", "--features", "magic"}, 2, "WebGPU has no feature 'magic'"},
      {fixed, {"--dispatch", "1", "--features", "texture-compression-bc"}, 3, "does not have the feature"},
      {fixed, {"--dispatch", "1", "--lanes", "3"}, 2, "--lanes: expected 1, 2, 4, 8, 16, 32, 64, not '3'"},
      {fixed,
       {"--dispatch", "1", "--repeat", "0"},
       2,
       "--repeat: expected a whole number from 1 to 1000000, not '0'"},
      {fixed, {"--dispatch", "1", "--shuffle", "x"}, 2, "--shuffle: expected a whole number from 0 to "},
      {fixed,
       {"--dispatch", "1", "--time-limit", "-1"},
       2,
       "--time-limit: expected a number from 0.001 to 1000000000, not '-1'"},
      {fixed, {"--dispatch", "1", "--limits", "huge"}, 2, "--limits: expected default, max, not 'huge'"},
      {fixed, {"--dispatch", "1", "--flavour", "3"}, 2, "'lockstep run' has no flag '--flavour'"},
      {fixed, {"--dispatch", "1", "b.wgsl"}, 2, "'lockstep run' has no use for 'b.wgsl'"},
      {fixed,
       {"--dispatch", "indirect out offset 8"},
       2,
       "12 bytes at offset 8 do not fit 'out', which has 16"},
      {fixed, {"--dispatch", "1", "--expect", "out: 1, 2"}, 2, "end it with ', ...'"},
      {"// out: 4 x u32, dispatch 1\n// out: 4 x u32\n" + fixed,
       {},
       2,
       "a.wgsl:2:4: 'out' is described twice: the first time by a.wgsl:1:4"},
      {"// out: 4 y u32, dispatch 1\n" + fixed, {}, 2, "no dispatch is described"},
      {"fn main( {", {"--dispatch", "1"}, 1, "a.wgsl does not compile"},
      {"// dispatch 1\nvar<workgroup> t: array<u32, 8192>; @compute @workgroup_size(1) fn main() { t[0] = 1; "
       "}",
       {},
       1,
       "workgroup memory of 32768 bytes exceeds the limit of 16384"},
      {"// dispatch 1\n@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}",
       {},
       2,
       "several entry points (a, b)"},
      {"// dispatch 1\nconst a = 1;", {}, 1, "has no compute entry point"},
  };
  for (const BadCall& c : cases) {
    const Outcome run = RunShader(c.shader, c.flags);
    const std::string call = ::testing::PrintToString(c.flags) + "\n" + run.out + run.err;
    if (c.status == -2) {  // depends on the machine's memory: a limit, or no memory
      EXPECT_TRUE(run.status == 1 || run.status == 3) << call;
      continue;
    }
    EXPECT_EQ(run.status, c.status) << call;
    EXPECT_THAT(c.status == 1 ? run.out : run.err, HasSubstr(c.message)) << call;
    if (c.status != 1) {
      EXPECT_THAT(run.out, IsEmpty()) << call;
    }
    std::vector<std::string> flags = c.flags;
    flags.push_back("--json");
    const Outcome as_json = RunShader(c.shader, flags);
    const json document = json::parse(as_json.out, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << as_json.out;
    EXPECT_EQ(as_json.status, c.status) << call;
    EXPECT_EQ(document["error"]["status"], c.status) << call;
    EXPECT_FALSE(document["error"]["message"].get<std::string>().empty());
    EXPECT_TRUE(document["error"]["diagnostics"].is_array());
  }
}

TEST_F(RunCommand, MalformedDirectivesWarn) {
  const Outcome run = RunShader(
      "// out: the results\n// dispatch 1\n@group(0) @binding(0) var<storage, read_write> out: array<u32, "
      "1>;\n@compute @workgroup_size(1) fn main() { out[0] = 1; }");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, StartsWith("a.wgsl:1:4: warning: this comment begins like a directive and is none: "));
}

TEST_F(RunCommand, ShaderErrorsGoToStandardOutputWithACaret) {
  const Outcome run = RunShader("// dispatch 1\n@compute @workgroup_size(1) fn main() { let x = nope; }\n");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.out, ContainsRegex("a\\.wgsl:2:49: error: "));
  EXPECT_THAT(run.out, HasSubstr("^~~~"));
  EXPECT_EQ(run.err, "");
}

TEST_F(RunCommand, FilesThatAreNone) {
  EXPECT_EQ(Run({"run", "none.wgsl"}).status, 2);
  EXPECT_THAT(Run({"run", "none.wgsl"}).err, HasSubstr("none.wgsl: there is no such file"));
  EXPECT_THAT(Run({"run", "."}).err, HasSubstr("is a folder"));
  Write("large.wgsl", std::string(17 << 20, ' '));
  const Outcome large = Run({"run", "large.wgsl"});
  EXPECT_EQ(large.status, 2);
  EXPECT_THAT(large.err, HasSubstr("larger than the 16777216 bytes"));
  std::string garbage;
  for (int i = 0; i < 5000; ++i) garbage += static_cast<char>((i * 7919) >> 3);
  EXPECT_EQ(RunShader(garbage, {"--dispatch", "1"}).status, 1);
}

constexpr const char* kEndless = R"(
// dispatch 4
@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>, 1>;
@compute @workgroup_size(8) fn main() { loop { atomicAdd(&n[0], 1u); if (atomicLoad(&n[0]) == 0xffffffffu) { break; } } }
)";

TEST_F(RunCommand, TheTimeLimitStopsAnEndlessLoop) {
  const Outcome run = RunShader(kEndless, {"--time-limit", "0.3"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("error: the time limit of 0.3 s is reached"));
  const Outcome as_json = RunShader(kEndless, {"--time-limit", "0.3", "--json"});
  EXPECT_THAT(as_json.out,
              StartsWith("{\"error\":{\"status\":1,\"message\":\"the time limit of 0.3 s is reached"));
}

TEST_F(RunCommand, CtrlCStopsARunningDispatch) {
  Write("a.wgsl", kEndless);
  const Outcome run = RunProgram(folder_, {"run", "a.wgsl", "--save", "n=n.csv"}, [](int pid) {
    usleep(1500000);
    kill(pid, SIGINT);
  });
  EXPECT_EQ(run.status, 130) << run.out << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_FALSE(Exists("n.csv"));
}

// Compiles for tens of seconds at least: the gathers of one block need each other.
std::string ManyGathers() {
  std::string text =
      "// dispatch 1\n@group(0) @binding(0) var<storage, read_write> data: array<u32, 64>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {\n  var x = lane;\n";
  for (int i = 0; i < 40000; ++i) text += "  x = x ^ data[(x + " + std::to_string(i) + "u) % 64u];\n";
  return text + "  data[lane] = x;\n}\n";
}

TEST_F(RunCommand, TheTimeLimitStopsTheCompiler) {
  const Outcome run = RunShader(ManyGathers(), {"--time-limit", "0.5", "--save", "data=data.csv"});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_EQ(run.out,
            "error: the time limit of 0.5 s is reached: the run was stopped (--time-limit SECONDS)\n");
  EXPECT_EQ(run.err, "");
  EXPECT_FALSE(Exists("data.csv"));
  const Outcome as_json = RunShader(ManyGathers(), {"--time-limit", "0.5", "--json"});
  EXPECT_EQ(json::parse(as_json.out)["error"]["status"], 1);
}

// Ctrl-C after a while. Killed, which is no exit, where it goes on for long after that.
void InterruptAndWait(int pid) {
  usleep(1500000);
  kill(pid, SIGINT);
  siginfo_t ended = {};
  for (int i = 0; i < 500 && ended.si_pid == 0; ++i) {
    usleep(10000);
    waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOWAIT | WNOHANG);
  }
  kill(pid, SIGKILL);
}

TEST_F(RunCommand, CtrlCStopsTheCompiler) {
  for (const char* command : {"run", "race"}) {
    Write("a.wgsl", ManyGathers());
    const Outcome run = RunProgram(folder_, {command, "a.wgsl", "--json"}, InterruptAndWait);
    EXPECT_EQ(run.status, 130) << command << run.out << run.err;
    EXPECT_EQ(run.err, "interrupted\n");
    EXPECT_EQ(json::parse(run.out)["error"]["status"], 130);
  }
}

TEST_F(RunCommand, AClosedPipeIsNoCrash) {
  Write("a.wgsl", WithComments("// in: 100000 x f32 = 1, out: 100000 x f32, dispatch 25000"));
  const std::string command = "cd " + folder_ +
                              " && XDG_CACHE_HOME=$PWD/.cache " LOCKSTEP_PROGRAM
                              " run a.wgsl --all 2>&1 | head -c 10 >/dev/null; exit ${PIPESTATUS[0]}";
  EXPECT_EQ(WEXITSTATUS(system(("bash -c '" + command + "'").c_str())), 3);
}

TEST_F(RunCommand, CompiledKernelsAreCachedPrivately) {
  const std::string shader = WithComments("// in: 5 x f32 = 1, out: 5 x f32, dispatch 2");
  ASSERT_EQ(RunShader(shader, {"--no-cache"}).status, 0);
  EXPECT_FALSE(Exists(".cache/lockstep"));
  ASSERT_EQ(RunShader(shader).status, 0);
  EXPECT_EQ(FilesIn(".cache/lockstep").size(), 1u);
  ASSERT_EQ(RunShader(shader).status, 0);
  EXPECT_EQ(FilesIn(".cache/lockstep").size(), 1u);
}

}  // namespace
}  // namespace lockstep::cli_test
