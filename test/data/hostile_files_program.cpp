// Files that are not what they seem: rewritten while they are read, marked, endless, or with names
// that would confuse a terminal.

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tools/program.hpp"

class CliHostileFiles : public CliTest {};

constexpr const char* kMark = "\xef\xbb\xbf";

TEST_F(CliHostileFiles, AByteOrderMarkIsNoPartOfTheFirstRow) {
  const std::string rows = "1 1:1 2:1\n-1 3:1\n1 2:1\n-1 3:2\n";
  dir.write("a.svm", rows);
  dir.write("marked.svm", kMark + rows);
  dir.write("marked.svm.gz", gzip(kMark + rows));
  const std::string model = train({"a.svm"});
  EXPECT_EQ(train({"marked.svm"}, "m2.thresh"), model);
  EXPECT_EQ(train({"marked.svm.gz"}, "m3.thresh"), model);
  dir.write("a.vw", "1 | cat\n-1 | dog\n");
  dir.write("marked.vw", kMark + std::string("1 | cat\n-1 | dog\n"));
  EXPECT_EQ(train({"marked.vw"}, "m4.thresh"), train({"a.vw"}, "m5.thresh"));
  const std::string texts = "ham\thello\nspam\tbuy\n";
  dir.write("a.txt", texts);
  dir.write("marked.txt", kMark + texts);
  good({"vectorize", "a.txt", "-o", "a.out", "--labels", "a.labels"});
  good({"vectorize", "marked.txt", "-o", "marked.out", "--labels", "marked.labels"});
  EXPECT_EQ(ScratchDir::slurp(dir.file("marked.labels")), "ham\nspam\n");
  EXPECT_EQ(ScratchDir::slurp(dir.file("marked.out")), ScratchDir::slurp(dir.file("a.out")));
}

TEST_F(CliHostileFiles, ABadRowBehindAMarkHasItsLine) {
  dir.write("a.svm", std::string(kMark) + "1 1:1\n1 1:x\n");
  EXPECT_TRUE(contains(bad(1, {"train", "a.svm"}), "a.svm:2: "));
}

TEST_F(CliHostileFiles, APipeInAFolderOfTextsIsRefused) {
  for (const char* label : {"ham", "spam"}) {
    std::filesystem::create_directories(dir.path / "texts" / label);
    dir.write("texts/" + std::string(label) + "/1", label);
  }
  const std::string pipe = dir.file("texts/ham/2");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(bad(1, {"vectorize", "texts", "-o", "a.svm"}), "thresh: texts/ham/2: not a file");
}

TEST_F(CliHostileFiles, EndlessNamesAreRefused) {
  dir.write("a.svm", kTiny);
  EXPECT_EQ(bad(1, {"train", "a.svm", "--names", "/dev/zero"}),
            "thresh: /dev/zero:1: line is longer than 16 MB");
}

TEST_F(CliHostileFiles, MessagesAreOneLineWithoutControlCharacters) {
  EXPECT_EQ(bad(1, {"weights", "no\nsuch\x1b[2Jfile\xc2\x9b"}),
            "thresh: no\\nsuch\\x1b[2Jfile\\u009b: No such file or directory");
}

TEST_F(CliHostileFiles, AllRowsOfAClassWithoutWeightAreRefused) {
  dir.write("a.svm", "1 1:1\n-1 2:1\n1 1:2\n-1 2:2\n");
  dir.write("a.weights", "1\n0\n1\n0\n");
  for (const char* solver : {"ftrl", "budget", "l1", "cd"}) {
    const std::string line =
        bad(1, {"train", "a.svm", "--solver", solver, "--weights", "a.weights"});
    EXPECT_TRUE(contains(line, "all rows with the label -1 have weight zero")) << solver;
  }
}

// A file that another program overwrites in place, with the same size and, if it is quick, time.
TEST_F(CliHostileFiles, DataRewrittenWhileTheyAreReadAreNoticed) {
  dir.write("a.svm", random_rows({}));
  const std::string before = ScratchDir::slurp(dir.file("a.svm"));
  Process process(
      command({"train", "a.svm", "--passes", "1000000000", "--memory", "1", "-o", "m.thresh"}));
  ASSERT_TRUE(process.run_until([&] { return std::ranges::count(process.err(), '\n') >= 3; }));
  {
    std::fstream file(dir.file("a.svm"), std::ios::in | std::ios::out | std::ios::binary);
    std::string other = before;
    std::ranges::replace(other, '1', '2');
    file << other;
  }
  const Result result = process.finish();
  EXPECT_EQ(result.exit, 1) << result;
  EXPECT_TRUE(contains(result.err, "a.svm: the file changed while it was being read\n"));
  EXPECT_FALSE(exists("m.thresh"));
}
