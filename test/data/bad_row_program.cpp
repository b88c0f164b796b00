// Bad rows: file, line and reason in one line, exit 1, and nothing left behind.

#include "tools/program.hpp"

struct BadRow {
  const char* name;
  std::string rows;  // the second line is the bad one
  std::string reason;
  Words options = {};
};
void PrintTo(const BadRow& row, std::ostream* out) {
  *out << row.name;
}

class CliBadRow : public CliTest, public testing::WithParamInterface<BadRow> {
 protected:
  void expect_refusal(const Result& result, const std::string& where) const {
    EXPECT_EQ(result.exit, 1) << result;
    EXPECT_EQ(result.out, "");
    const std::string line = complaint(result);
    EXPECT_TRUE(line.starts_with("thresh: " + where + ":2: ")) << line;
    EXPECT_TRUE(contains(line, GetParam().reason));
    EXPECT_EQ(files(), Words{"bad.svm"});
  }
};

TEST_P(CliBadRow, IsRefused) {
  dir.write("bad.svm", GetParam().rows);
  Words arguments = {"train", "bad.svm", "-o", "m.thresh"};
  arguments.insert(arguments.end(), GetParam().options.begin(), GetParam().options.end());
  expect_refusal(thresh(arguments), "bad.svm");
  arguments[1] = "-";
  expect_refusal(thresh_reading(GetParam().rows, arguments), "<stdin>");
  arguments.insert(arguments.end(), {"--order", "sequential", "--passes", "1", "--positive", "1"});
  expect_refusal(thresh_reading(GetParam().rows, arguments), "<stdin>");
}

namespace {

std::vector<BadRow> bad_rows() {
  const auto entry = [](const char* name, const std::string& text, const char* reason) {
    return BadRow{name, "+1 1:1\n-1 " + text + "\n+1 2:1\n-1 3:1\n", reason};
  };
  const auto label = [](const char* name, const std::string& text, const char* reason) {
    return BadRow{name, "+1 1:1\n" + text + " 1:1\n+1 2:1\n-1 3:1\n", reason};
  };
  std::vector<BadRow> all = {
      entry("ValueIsAWord", "1:x", "not a number: 'x'"),
      entry("ValueIsEmpty", "1:", "not a number"),
      entry("ValueIsApart", "1: 1", "not a number"),
      entry("ValueIsHex", "1:0x10", "not a number: '0x10'"),
      entry("ValueHasAComma", "1:1,5", "not a number: '1,5'"),
      entry("ValueHasTwoColons", "1:1:1", "not a number: '1:1'"),
      entry("ValueHasTwoSigns", "1:--1", "not a number"),
      entry("ValueIsNan", "1:nan", "not finite"),
      entry("ValueIsMinusNan", "1:-NaN", "not finite"),
      entry("ValueIsInf", "1:inf", "not finite"),
      entry("ValueIsMinusInfinity", "1:-Infinity", "not finite"),
      entry("ValueOverflows", "1:1e400", "not finite"),
      entry("IndexIsAWord", "x:1", "'x:1'"),
      entry("IndexIsNegative", "-1:1", "'-1:1'"),
      entry("IndexIsAFraction", "1.5:1", "'1.5:1'"),
      entry("IndexIsMissing", ":1", "':1'"),
      entry("NoColon", "1:1 7", "'7'"),
      entry("IndexZero", "0:1", "--zero-based"),
      entry("Descending", "3:1 2:1", "--allow-unsorted"),
      entry("Twice", "3:1 3:1", "3 twice"),
      entry("IndexAboveTheLimit", "1099511627777:1", "2^40"),
      entry("IndexAbove64Bits", "18446744073709551617:1", "2^40"),
      entry("IndexOf100Digits", std::string(100, '9') + ":1", "2^40"),
      label("LabelIsAWord", "spam", "label is not a number: 'spam'"),
      label("LabelIsMissing", "", "label is not a number"),
      label("LabelIsNan", "nan", "label is not finite"),
      label("LabelIsInf", "-inf", "label is not finite"),
      label("LabelOverflows", "1e400", "label is not finite"),
      label("LabelIsBinary", std::string("\0\x01\xff", 3), "label is not a number"),
  };
  BadRow unsorted = entry("TwiceUnsorted", "3:1 2:1 3:1", "3 twice");
  unsorted.options = {"--allow-unsorted"};
  all.push_back(unsorted);
  BadRow adjacent = entry("TwiceInARow", "3:1 3:1", "3 twice");
  adjacent.options = {"--allow-unsorted"};
  all.push_back(adjacent);
  BadRow dim = entry("AboveDim", "5:1", "--dim 4");
  dim.options = {"--dim", "4"};
  all.push_back(dim);
  // A bad row is bad whatever the labels around it would have amounted to.
  all.push_back(
      {"BadLabelBesideASingleClass", "+1 1:1\nfoo 1:1\n+1 2:1\n", "label is not a number"});
  all.push_back({"NoClassAtAll", "# text\nspam 1:1\nham 2:1\n", "label is not a number: 'spam'"});
  return all;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Each, CliBadRow, testing::ValuesIn(bad_rows()),
                         [](const auto& each) { return std::string(each.param.name); });

class CliBadRows : public CliTest {};

TEST_F(CliBadRows, LineNumbersCountCommentsAndBlankLines) {
  std::string rows = "# head\n\n";
  for (int i = 0; i < 5000; ++i) rows += i % 2 == 0 ? "+1 1:1 # a\n\n" : "-1 2:1\n# b\n";
  dir.write("bad.svm", rows + "+1 1:x\n");
  EXPECT_TRUE(contains(bad(1, {"train", "bad.svm"}), "thresh: bad.svm:10003: "));
}

TEST_F(CliBadRows, LongTokensAreQuotedShort) {
  dir.write("bad.svm", "+1 1:1\n-1 1:" + std::string(100000, 'x') + "\n");
  EXPECT_LT(bad(1, {"train", "bad.svm"}).size(), 200U);
}

TEST_F(CliBadRows, ValidationFileIsCheckedToo) {
  dir.write("tiny.svm", kTiny);
  dir.write("v.svm", "+1 1:1\n-1 1:nan\n");
  const std::string line = bad(1, {"train", "tiny.svm", "--valid", "v.svm"});
  EXPECT_TRUE(line.starts_with("thresh: v.svm:2: ")) << line;
  EXPECT_FALSE(exists("tiny.svm.thresh"));
}

TEST_F(CliBadRows, SkippingCountsAndGoesOn) {
  const std::string rows = random_rows({});
  dir.write("clean.svm", rows);
  train({"clean.svm", "--order", "sequential"}, "clean.thresh");
  const std::string dirty = "x 1:1\n" + rows + "+1 1:nan\n+1 0:1\n-1 3:1 3:2\n+1 7\n";
  dir.write("dirty.svm", dirty);
  const Words skip = {"--order", "sequential", "--on-bad-row", "skip", "-o", "m.thresh"};
  Words arguments = {"train", "dirty.svm", "--json"};
  arguments.insert(arguments.end(), skip.begin(), skip.end());
  const Json json = good_json(arguments);
  EXPECT_EQ(json.at("bad_rows"), 5);
  EXPECT_EQ(weights(), weights("clean.thresh"));
  arguments[2] = "--no-intercept";
  EXPECT_TRUE(contains(good(arguments), "5 bad rows skipped"));
  arguments[1] = "-";
  EXPECT_TRUE(contains(thresh_reading(dirty, arguments).out, "5 bad rows skipped"));
}

TEST_F(CliBadRows, SkippingIsCountedInAStreamThatIsSeenOnce) {
  const Result result =
      thresh_reading(kTiny + "foo\n", {"train", "-", "--order", "sequential", "--passes", "1",
                                       "--positive", "1", "--on-bad-row", "skip", "--json"});
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_EQ(Json::parse(result.out).at("bad_rows"), 1);
}

TEST_F(CliBadRows, SkippingEverythingIsAnError) {
  dir.write("bad.svm", "foo\nbar\n");
  EXPECT_TRUE(contains(bad(1, {"train", "bad.svm", "--on-bad-row", "skip"}), "bad.svm: no rows"));
}

TEST_F(CliBadRows, ThoroughlyLongerThanAGigabyte) {
  // Zeros that no disk has to hold.
  const std::string path = dir.write("long.svm", "+1 1:1\n-1 2:1\n");
  std::filesystem::resize_file(path, (std::uint64_t{1} << 30) + (std::uint64_t{1} << 26));
  Command redirected = command({"train", "-", "-o", "m.thresh"});
  redirected.input_file = path;
  const Result result = run(redirected);
  EXPECT_EQ(result.exit, 1) << result;
  const std::string line = complaint(result);
  EXPECT_TRUE(line.starts_with("thresh: <stdin>:3: ")) << line;
  EXPECT_TRUE(contains(line, "1 GB"));
  EXPECT_EQ(files(), Words{"long.svm"});
}
