// Files that are not what they should be, and disks without room.

#include <filesystem>

#include "tools/program.hpp"

class CliBadFile : public CliTest {
 protected:
  // train refuses this content, naming the file and the reason, and leaves nothing.
  void refused(const std::string& content, const std::string& reason) const {
    dir.write("a.svm", content);
    const std::string line = bad(1, {"train", "a.svm", "-o", "m.thresh"});
    EXPECT_TRUE(line.starts_with("thresh: a.svm: ")) << line;
    EXPECT_TRUE(contains(line, reason));
    const Result piped = thresh_reading(content, {"train", "-", "-o", "m.thresh"});
    EXPECT_EQ(piped.exit, 1) << piped;
    EXPECT_TRUE(complaint(piped).starts_with("thresh: <stdin>: ")) << piped;
    EXPECT_TRUE(contains(piped.err, reason));
    EXPECT_EQ(files(), Words{"a.svm"});
  }
};

TEST_F(CliBadFile, SingleClass) {
  refused("+1 1:1\n", "label 1");
  refused("0 1:1\n0 2:1\n", "label 0");
}

TEST_F(CliBadFile, SingleClassInAStream) {
  const Result result = thresh_reading("+1 1:1\n+1 2:1\n", {"train", "-", "--order", "sequential",
                                                            "--passes", "1", "--positive", "1"});
  EXPECT_EQ(result.exit, 1) << result;
  EXPECT_TRUE(contains(complaint(result), "<stdin>: every row has the label 1"));
  EXPECT_EQ(files(), Words{});
}

TEST_F(CliBadFile, MoreLabelsThanClasses) {
  std::string regression;
  for (int i = 0; i < 3000; ++i) regression += std::to_string(i) + " 1:1\n";
  refused(regression, "different labels");
}

TEST_F(CliBadFile, NoRows) {
  refused("", "no rows");
  refused("\n\n  \n", "no rows");
  refused("# only\n# comments\n", "no rows");
}

TEST_F(CliBadFile, VerySmallFilesWork) {
  dir.write("two.svm", "+1 1:1\n-1 2:1");
  train({"two.svm"});
  EXPECT_EQ(good({"predict", "m.thresh", "two.svm"}), "1\n-1\n");
  dir.write("bare.svm", "+1\n-1\n");  // no features at all
  train({"bare.svm"});
  EXPECT_EQ(good({"weights", "m.thresh"}), "");
}

TEST_F(CliBadFile, TooSmallToHoldOut) {
  dir.write("two.svm", "+1 1:1\n-1 2:1\n");
  const std::string line = bad(1, {"train", "two.svm", "--holdout", "1%"});
  EXPECT_TRUE(contains(line, "two.svm"));
  EXPECT_TRUE(contains(line, "1%"));
}

TEST_F(CliBadFile, DirectoryAndMissingFile) {
  std::filesystem::create_directory(dir.path / "folder");
  EXPECT_EQ(bad(1, {"train", "folder"}), "thresh: folder: no files");  // a folder of texts
  EXPECT_EQ(bad(1, {"train", "folder", "--format", "libsvm"}), "thresh: folder: is a directory");
  EXPECT_EQ(bad(1, {"train", "nope.svm"}), "thresh: nope.svm: No such file or directory");
  EXPECT_EQ(bad(1, {"train", "folder/nope/a.svm"}),
            "thresh: folder/nope/a.svm: No such file or directory");
  EXPECT_EQ(files(), Words{"folder"});
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm"});
  for (const char* command : {"predict", "eval"}) {
    EXPECT_EQ(bad(1, {command, "m.thresh", "folder"}), "thresh: folder: is a directory");
    EXPECT_TRUE(contains(bad(1, {command, "m.thresh", "nope.svm"}), "thresh: nope.svm: No such"));
  }
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--valid", "nope.svm"}), "thresh: nope.svm: "));
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--names", "nope"}), "thresh: nope: "));
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--from", "nope"}), "thresh: nope: "));
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--weights", "nope"}), "thresh: nope: "));
  EXPECT_FALSE(exists("tiny.svm.thresh"));
}

TEST_F(CliBadFile, BrokenCompression) {
  const std::string rows = random_rows({});
  const std::string packed = gzip(rows);
  refused(packed.substr(0, packed.size() / 2), "truncated");
  refused(zstd(rows).substr(0, 2000), "truncated");
  refused(xz(rows).substr(0, 2000), "truncated");
  std::string damaged = packed;
  damaged[damaged.size() / 2] ^= 0x55;
  damaged[damaged.size() - 6] ^= 0x55;  // the checksum, in case the damage decodes
  dir.write("a.svm", damaged);
  const std::string line = bad(1, {"train", "a.svm"});
  EXPECT_TRUE(line.starts_with("thresh: a.svm:")) << line;
}

TEST_F(CliBadFile, FullDisk) {
  dir.write("tiny.svm", kTiny);
  EXPECT_EQ(
      bad(1, {"train", "tiny.svm", "-o", "/dev/full", "--spare", "no-folder"}),
      "thresh: /dev/full: cannot write: No space left on device; the model could not be saved "
      "in no-folder either");
  EXPECT_EQ(files(), Words{"tiny.svm"});
  train({"tiny.svm"});
  EXPECT_TRUE(
      contains(bad(1, {"predict", "m.thresh", "tiny.svm", "-o", "/dev/full"}), "/dev/full"));
  EXPECT_TRUE(
      contains(bad(1, {"export", "m.thresh", "--format", "json", "-o", "/dev/full"}), "/dev/full"));
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "--trace", "/dev/full"}), "/dev/full"));
}

TEST_F(CliBadFile, FullDiskBehindStandardOutput) {
  dir.write("tiny.svm", kTiny);
  train({"tiny.svm"});
  for (const Words& arguments : std::vector<Words>{{"predict", "m.thresh", "tiny.svm"},
                                                   {"eval", "m.thresh", "tiny.svm"},
                                                   {"weights", "m.thresh"},
                                                   {"export", "m.thresh", "--format", "json"},
                                                   {"train", "tiny.svm"},
                                                   {"solvers"}}) {
    Command redirected = command(arguments);
    redirected.output_file = "/dev/full";
    const Result result = run(redirected);
    EXPECT_EQ(result.exit, 1) << arguments[0];
    EXPECT_TRUE(contains(complaint(result), "No space left"));
  }
}

// The disk fills up in the middle of the file: neither a part of it nor a temporary file stays.
TEST_F(CliBadFile, DiskFillsUpHalfway) {
  dir.write("a.svm", random_rows({.rows = 3000, .features = 2000}));
  Command limited = command({"train", "a.svm", "-q", "-o", "m.thresh"});
  limited.file_limit = 10000;
  const Result result = run(limited);
  EXPECT_EQ(result.exit, 1) << result;
  EXPECT_TRUE(contains(complaint(result), "thresh: m.thresh: cannot write"));
  EXPECT_EQ(files(), Words{"a.svm"});
}

TEST_F(CliBadFile, NoRoomToSpool) {
  for (const char* folder : {"/nonexistent", "/dev/null"}) {
    Command spooling = command({"train", "-", "-o", "m.thresh"});
    spooling.input_file = dir.write("tiny.svm", kTiny);
    spooling.environment = {{"TMPDIR", folder}};
    const Result result = run(spooling);
    EXPECT_EQ(result.exit, 1) << result;
    EXPECT_TRUE(contains(complaint(result), "TMPDIR"));
    EXPECT_EQ(files(), Words{"tiny.svm"});
  }
}

TEST_F(CliBadFile, SpoolFillsUp) {
  Command spooling = command({"train", "-", "-o", "m.thresh"});
  spooling.input_file = dir.write("a.svm", random_rows({.rows = 20000}));
  spooling.file_limit = 100000;
  spooling.environment = {{"TMPDIR", dir.path}};
  const Result result = run(spooling);
  EXPECT_EQ(result.exit, 1) << result;
  EXPECT_TRUE(contains(complaint(result), "temporary file"));
  EXPECT_EQ(files(), Words{"a.svm"});
}

TEST_F(CliBadFile, ModelPathThatCannotBe) {
  dir.write("tiny.svm", kTiny);
  std::filesystem::create_directory(dir.path / "folder");
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "-o", "folder"}), "folder: is a directory"));
  EXPECT_TRUE(contains(bad(1, {"train", "tiny.svm", "-o", "no/m.thresh"}), "no/m.thresh: "));
  EXPECT_EQ(files(), (Words{"folder", "tiny.svm"}));
}
