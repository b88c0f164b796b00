// What a run leaves behind when it cannot finish: a full disk, a signal, a killed process.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "tools/program.hpp"

namespace fs = std::filesystem;

using CliNothingLost = CliTest;

class CliFailingCalls : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    if (std::string(THRESH_SANITIZE) != "") GTEST_SKIP() << "sanitizers replace the same calls";
  }
  Result with_fault(const std::string& fault, Words arguments) const {
    Command faulty = command(std::move(arguments));
    faulty.environment = {{"LD_PRELOAD", THRESH_FAULTS}, {"THRESH_FAULT", fault}};
    return run(faulty);
  }
};

TEST_F(CliFailingCalls, RowsAndNamesAppearTogether) {
  dir.write("a.csv", "colour,label\nred,yes\nblue,no\n");
  for (const char* name : {"a.svm", "a.svm.names", "a.svm.labels"}) dir.write(name, "old\n");
  for (int n = 1; n <= 3; ++n) {
    const Result result =
        with_fault("rename:" + std::to_string(n) + ":ENOSPC", {"convert", "a.csv", "-o", "a.svm"});
    EXPECT_EQ(result.exit, 1) << result;
    for (const char* name : {"a.svm", "a.svm.names", "a.svm.labels"}) {
      EXPECT_EQ(ScratchDir::slurp(dir.file(name)), "old\n") << n << ' ' << name;
    }
  }
  EXPECT_EQ(files().size(), 4u);
  good({"convert", "a.csv", "-o", "a.svm"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("a.svm.labels")), "no\nyes\n");
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(CliFailingCalls, AFullDiskBringsBackTheOldTrace) {
  dir.write("a.svm", kTiny);
  dir.write("a.jsonl", "old\n");
  const Result result = with_fault(
      "write:1:ENOSPC", {"train", "a.svm", "--trace", "a.jsonl", "-q", "-o", "m.thresh"});
  EXPECT_EQ(result.exit, 1) << result;
  EXPECT_EQ(complaint(result), "thresh: a.jsonl: cannot write: No space left on device");
  EXPECT_EQ(ScratchDir::slurp(dir.file("a.jsonl")), "old\n");
  EXPECT_EQ(files(), (Words{"a.jsonl", "a.svm"}));
}

TEST_F(CliFailingCalls, AModelThatCannotBeWrittenGoesToTheSpareFolder) {
  dir.write("a.svm", kTiny);
  const std::string wanted = train({"a.svm"});
  fs::create_directory(dir.path / "spare");
  for (const char* name : {"spare/m.thresh", "spare/m-1.thresh"}) {
    const Result result = with_fault(
        "write:1:ENOSPC", {"train", "a.svm", "-q", "-o", "m.thresh", "--spare", "spare"});
    EXPECT_EQ(result.exit, 1) << result;
    EXPECT_EQ(complaint(result),
              std::string("thresh: m.thresh: cannot write: No space left on device; the model was "
                          "saved as ") +
                  name);
    EXPECT_EQ(ScratchDir::slurp(dir.file(name)), wanted);
  }
  const Result neither =
      with_fault("write:1:ENOSPC+", {"train", "a.svm", "-q", "-o", "m.thresh", "--spare", "spare"});
  EXPECT_EQ(complaint(neither),
            "thresh: m.thresh: cannot write: No space left on device; the model could not be saved "
            "in spare either");
}

TEST_F(CliNothingLost, WithoutASpareFolderTheTemporaryOneIsTaken) {
  dir.write("a.svm", kTiny);
  ScratchDir temporary;
  Command full = command({"train", "a.svm", "-q", "-o", "/dev/full"});
  full.environment = {{"TMPDIR", temporary.path}};
  const Result result = run(full);
  EXPECT_EQ(result.exit, 1) << result;
  const std::string spare = temporary.file("full.thresh");
  EXPECT_TRUE(contains(complaint(result), "the model was saved as " + spare));
  EXPECT_EQ(ScratchDir::slurp(spare), train({"a.svm"}));
}

TEST_F(CliNothingLost, AStoppedRunMayDiscardItsModel) {
  dir.write("a.svm", random_rows({}));
  Process process(command({"train", "a.svm", "--passes", "1000000000", "--on-stop", "discard", "-o",
                           "m.thresh", "--trace", "a.jsonl"}));
  ASSERT_TRUE(process.run_until([&] { return std::ranges::count(process.err(), '\n') >= 3; }));
  process.signal(SIGTERM);
  const Result result = process.finish();
  EXPECT_EQ(result.exit, 128 + SIGTERM) << result;
  EXPECT_TRUE(contains(result.err, "thresh: interrupted; no file was written\n"));
  EXPECT_EQ(files(), Words{"a.svm"});
}

TEST_F(CliNothingLost, AKilledRunLeavesNothing) {
  Process process(command({"generate", "corpus", "--rows", "1000000000", "-o", "c.svm"}));
  while (!process.holds_file_in(dir.path)) std::this_thread::yield();
  EXPECT_EQ(files(), Words{});
  process.signal(SIGKILL);
  EXPECT_EQ(process.finish().exit, 128 + SIGKILL);
  EXPECT_EQ(files(), Words{});
}

// Where files without a name are not possible.
TEST_F(CliFailingCalls, LeftoversOfAKilledRunGoWithTheNextOne) {
  dir.write("c.svm.tmp.1.x", "not ours");
  Command killed = command({"generate", "corpus", "--rows", "1000000000", "-o", "c.svm"});
  killed.environment = {{"LD_PRELOAD", THRESH_FAULTS}, {"THRESH_FAULT", "open:1:EOPNOTSUPP"}};
  Process process(killed);
  while (files().size() < 2) std::this_thread::yield();
  const std::string temporary = files().at(1) == "c.svm.tmp.1.x" ? files().at(0) : files().at(1);
  EXPECT_TRUE(contains(temporary, "c.svm.tmp."));
  // Another run leaves the file of a running process alone.
  good({"generate", "corpus", "--rows", "10", "-q", "-o", "c.svm"});
  EXPECT_TRUE(exists(temporary));
  process.signal(SIGKILL);
  process.finish();
  EXPECT_TRUE(exists(temporary));
  good({"generate", "corpus", "--rows", "10", "-q", "-o", "c.svm"});
  EXPECT_EQ(files(), (Words{"c.svm", "c.svm.tmp.1.x"}));
}
