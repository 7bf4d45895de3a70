// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program adds to bindings/page, whose own tests are there: it watches over Node.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "cli/program.h"

namespace lockstep::cli_test {
namespace {

using ::testing::HasSubstr;

class Page : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    if (!std::filesystem::exists(LOCKSTEP_SOURCE_DIR "/bindings/node/dist/lockstep.node"))
      GTEST_SKIP() << "the Node package is not built";
  }
};

TEST_F(Page, IsKilledWhereAScriptDoesNotComeBack) {
  for (const char* script : {"for (;;);", "(async () => { for (;;) await 0; })()"}) {
    Write("a.html", std::string("<canvas></canvas><script>console.log('begun'); ") + script + "</script>");
    const Outcome run = Run({"page", "a.html", "--timeout", "0.2", "--png", "a.png"});
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "begun\n");
    EXPECT_EQ(run.err, "a.html: a script of the page does not come back after 0.2 s: there is no picture\n");
    EXPECT_FALSE(Exists("a.png"));
  }
}

TEST_F(Page, GivesNodesStatus) {
  Write("a.html", "<canvas></canvas><script>console.log(Math.PI)</script>");
  EXPECT_EQ(Run({"page", "a.html", "--png", "a.png"}).status, 0);
  EXPECT_TRUE(Exists("a.png"));
  EXPECT_EQ(Run({"page", "a.html", "--png", "a.png", "--canvas", "nope"}).status, 2);
  Write("a.html", "<script>throw 1</script>");
  EXPECT_EQ(Run({"page", "a.html"}).status, 1);
}

TEST_F(Page, EndsByCtrlC) {
  Write("a.html", "<script>setInterval(() => {}, 10)</script>");
  const Outcome run = RunProgram(folder_, {"page", "a.html"}, [](int pid) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(pid, SIGINT);
  });
  EXPECT_EQ(run.status, 130);
}

TEST_F(Page, WantsTheIdOfACanvas) {
  Write("a.html", "<canvas></canvas>");
  const Outcome run = Run({"page", "a.html", "--canvas", ""});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("--canvas needs the id of a canvas"));
}

}  // namespace
}  // namespace lockstep::cli_test
