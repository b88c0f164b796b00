// A failing call of the C library ends in success, or in exit code 1 and one line. Old files stay,
// or the new ones are whole. Nothing else is left behind.

#include "faults/faults.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

namespace fs = std::filesystem;

namespace {

constexpr const char* kOld = "the old file\n";

// Times differ from run to run.
std::string without_times(const std::string& text) {
  static const std::regex seconds("\"seconds\":[^,}]*");
  return std::regex_replace(text, seconds, "");
}

}  // namespace

std::vector<Faulty> faulty_commands() {
  const Words ftrl = {"train", "a.svm", "--solver", "ftrl", "-q", "-o", "out.thresh"};
  return {
      {"Train", ftrl, {"out.thresh"}},
      {"TrainTraced",
       {"train", "a.svm", "--solver", "fobos", "--names", "a.names", "--trace", "out.jsonl", "-q",
        "-o", "out.thresh"},
       {"out.thresh", "out.jsonl"}},
      {"TrainDefault",
       {"train", "a.svm", "--holdout", "20%", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"TrainL1",
       {"train", "a.svm", "--solver", "l1", "--lambda", "0.01", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"TrainWeighted",
       {"train", "a.svm", "--solver", "cd", "--weights", "a.weights", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"TrainCompressed",
       {"train", "a.svm.gz", "--solver", "ftrl", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"TrainTable",
       {"train", "a.csv", "--solver", "ftrl", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"TrainTexts",
       {"train", "texts", "--solver", "ftrl", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"TrainCache",
       {"train", "a.cache", "--solver", "ftrl", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"TrainSaving",
       {"train", "a.svm", "--solver", "ftrl", "--save-state", "out.state", "-q", "-o",
        "out.thresh"},
       {"out.thresh"},
       false,
       {"out.state"}},
      {"TrainGoingOn",
       {"train", "a.svm", "--from", "a.state", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"Resume", {"resume", "c", "-q"}, {"out.thresh"}, false, {}, true},
      {"Frontier", {"frontier", "a.svm", "-q", "--trace", "out.jsonl"}, {"out.jsonl"}},
      {"Tune",
       {"tune", "a.svm", "--solver", "ftrl", "--grid", "lambda=0,0.01", "-q", "-o", "out.thresh"},
       {"out.thresh"}},
      {"Cv", {"cv", "a.svm", "--solver", "ftrl", "-q"}, {}},
      {"Path",
       {"path", "a.svm", "--solver", "cd", "--over", "lambda", "--values", "0.1,0.01", "-q"},
       {}},
      {"Predict", {"predict", "m.thresh", "a.svm", "-o", "out.txt"}, {"out.txt"}},
      {"Explain", {"explain", "m.thresh", "a.svm", "-o", "out.txt"}, {"out.txt"}},
      {"Compare",
       {"compare", "m.thresh", "certified.thresh", "a.svm", "-o", "out.txt"},
       {"out.txt"}},
      {"Eval", {"eval", "m.thresh", "a.svm", "-q"}, {}},
      {"Weights", {"weights", "m.thresh"}, {}},
      {"Verify", {"verify", "certified.thresh", "a.svm", "-q"}, {}},
      {"Diagnose", {"diagnose", "a.svm", "-q"}, {}},
      {"Generate",
       {"generate", "corpus", "--rows", "50", "--features", "100", "-q", "-o", "out.svm", "--names",
        "out.names", "--truth", "out.truth"},
       {"out.svm", "out.names", "out.truth"},
       true},
      {"ExportJson", {"export", "m.thresh", "--format", "json", "-o", "out.json"}, {"out.json"}},
      {"ExportC", {"export", "m.thresh", "--format", "c", "-o", "out.c"}, {"out.c"}},
      {"Convert",
       {"convert", "a.csv", "-o", "out.svm", "-q"},
       {"out.svm", "out.svm.names", "out.svm.labels"},
       true},
      {"Vectorize",
       {"vectorize", "texts", "-o", "out.svm", "--names", "out.names", "--vocabulary", "out.terms",
        "--labels", "out.labels", "-q"},
       {"out.svm", "out.names", "out.terms", "out.labels"},
       true},
      {"Cache", {"cache", "a.svm", "-o", "out.cache", "-q"}, {"out.cache"}},
      {"Report", {"report", "a.jsonl", "-o", "out.html", "-q"}, {"out.html"}},
      {"Solvers", {"solvers"}, {}},
  };
}

const std::vector<FaultCall>& fault_calls() {
  static const std::vector<FaultCall> calls = {{"read", {"EIO", "EINTR", "short"}},
                                               {"pread", {"EIO", "EINTR", "short"}},
                                               {"write", {"ENOSPC", "EINTR", "short"}},
                                               {"pwrite", {"ENOSPC", "EINTR", "short"}},
                                               {"open", {"EIO", "ENOMEM"}},
                                               {"close", {"EIO"}},
                                               {"fsync", {"EIO", "EINTR"}},
                                               {"rename", {"ENOSPC"}},
                                               {"link", {"ENOSPC"}},
                                               {"mmap", {"ENOMEM"}},
                                               {"ftruncate", {"ENOSPC"}},
                                               {"thread", {"EAGAIN"}},
                                               {"malloc", {"ENOMEM"}}};
  return calls;
}

void Faults::SetUp() {
  if (std::string(THRESH_SANITIZE) != "") GTEST_SKIP() << "sanitizers replace the same calls";
  const std::string rows = random_rows({.rows = 60, .features = 20});
  dir.write("a.svm", rows);
  dir.write("a.svm.gz", gzip(rows));
  std::string names, weights;
  for (int i = 0; i < 20; ++i) names += "name" + std::to_string(i) + "\n";
  for (int i = 0; i < 60; ++i) weights += std::to_string(1 + i % 3) + "\n";
  dir.write("a.names", names);
  dir.write("a.weights", weights);
  std::string table = "colour,size,label\n";
  for (int i = 0; i < 30; ++i) {
    table += std::string(i % 3 == 0 ? "red," : "blue,") + std::to_string(i % 7) +
             (i % 2 == 0 ? ",yes\n" : ",no\n");
  }
  dir.write("a.csv", table);
  for (const char* label : {"ham", "spam"}) {
    fs::create_directories(dir.path / "texts" / label);
    for (int i = 0; i < 5; ++i) {
      dir.write("texts/" + std::string(label) + "/" + std::to_string(i),
                std::string(label) + " and word" + std::to_string(i));
    }
  }
  silent({"cache", "a.svm", "-o", "a.cache", "-q"});
  train({"a.svm", "--solver", "ftrl", "--trace", "a.jsonl"});
  train({"a.svm", "--solver", "l1", "--lambda", "0.01", "--certify"}, "certified.thresh");
  train({"a.svm", "--solver", "ftrl", "--save-state", "a.state"}, "other.thresh");
  Command killed = command({"train", "a.svm", "--solver", "ftrl", "-q", "-o", "out.thresh",
                            "--checkpoint", "c", "--checkpoint-every", "0s"});
  killed.environment = {{"THRESH_TEST_DIE_AFTER_CHECKPOINT", "4"}};
  ASSERT_NE(run(killed).exit, 0);
  saved_ = ScratchDir::slurp(dir.file("c"));
  for (const std::string& name : files()) inputs_.insert(name);
  const Result result = run_with("");
  ASSERT_EQ(result.exit, 0) << result;
  for (const std::string& name : GetParam().outputs) wanted_[name] = read(name);
  for (const std::string& name : GetParam().made) wanted_[name] = read(name);
}

std::string Faults::read(const std::string& name) const {
  return exists(name) ? without_times(ScratchDir::slurp(dir.file(name))) : "(none)";
}

void Faults::reset() {
  for (const std::string& name : files()) {
    if (!inputs_.contains(name)) fs::remove_all(dir.path / name);
  }
  for (const auto& entry : fs::directory_iterator(temporary_.path)) fs::remove_all(entry);
  fs::remove(logs_.file("log"));
}

Result Faults::run_with(const std::string& fault) {
  reset();
  for (const std::string& name : GetParam().outputs) dir.write(name, kOld);
  dir.write("c", saved_);
  Command faulty;
  faulty.arguments = GetParam().arguments;
  faulty.folder = dir.path;
  faulty.environment = {{"LD_PRELOAD", THRESH_FAULTS},
                        {"THRESH_FAULT", fault},
                        {"THRESH_FAULT_LOG", logs_.file("log")},
                        {"TMPDIR", temporary_.path}};
  return run(faulty);
}

std::map<std::string, std::uint64_t> Faults::counts() {
  run_with("");
  std::map<std::string, std::uint64_t> found;
  std::istringstream log(ScratchDir::slurp(logs_.file("log")));
  std::string call;
  for (std::uint64_t count = 0; log >> call >> count;) found[call] = count;
  return found;
}

bool Faults::try_fault(const std::string& call, std::uint64_t n, const std::string& error) {
  const std::string what = call + ":" + std::to_string(n) + ":" + error;
  const Result result = run_with(what);
  check_message(result, what);
  check_files(result, what);
  const std::string log = exists(logs_.file("log")) ? ScratchDir::slurp(logs_.file("log")) : "";
  return log.find("fault") != std::string::npos;
}

void Faults::check_message(const Result& result, const std::string& what) const {
  const Words lines = lines_of(result.err);
  const auto complains = [](const std::string& line) {
    return !line.starts_with("thresh: warning: ");
  };
  if (result.exit == 0) return;
  EXPECT_EQ(result.exit, 1) << what << '\n' << result;
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(), complains), 1) << what << '\n' << result;
  EXPECT_TRUE(!lines.empty() && lines.back().starts_with("thresh: ")) << what << '\n' << result;
}

void Faults::check_files(const Result& result, const std::string& what) const {
  std::size_t fresh = 0;
  for (const std::string& name : GetParam().outputs) {
    const std::string now = read(name);
    const bool is_new = now == wanted_.at(name);
    fresh += is_new ? 1 : 0;
    EXPECT_TRUE(is_new || (now == kOld && result.exit != 0))
        << what << ": " << name << " is " << now;
  }
  if (GetParam().together) {
    EXPECT_TRUE(fresh == 0 || fresh == GetParam().outputs.size()) << what << '\n' << result;
  }
  for (const std::string& name : GetParam().made) {
    const std::string now = read(name);
    EXPECT_TRUE(now == wanted_.at(name) || (now == "(none)" && result.exit != 0))
        << what << ": " << name;
  }
  for (const std::string& name : files()) {
    const bool known = inputs_.contains(name) || wanted_.contains(name);
    EXPECT_TRUE(known) << what << " left " << name << '\n' << result;
  }
  if (GetParam().resumes && result.exit != 0) {
    const Result again = thresh({"resume", "c", "-q"});
    EXPECT_EQ(again.exit, 0) << what << '\n' << again;
    EXPECT_TRUE(again.err.find("is finished") != std::string::npos ||
                read("out.thresh") == wanted_.at("out.thresh"))
        << what << '\n'
        << again;
  }
  for (const auto& entry : fs::directory_iterator(temporary_.path)) {
    const bool spare = wanted_.contains("out.thresh") && result.exit == 1 &&
                       entry.path().filename() == "out.thresh" &&
                       ScratchDir::slurp(entry.path()) == wanted_.at("out.thresh");
    EXPECT_TRUE(spare) << what << " left " << entry.path() << '\n' << result;
  }
}

// A few calls of each kind.
TEST_P(Faults, SampleEndsWell) {
  for (auto& [call, count] : counts()) {
    const auto found = std::ranges::find(fault_calls(), call, &FaultCall::call);
    if (count == 0 || found == fault_calls().end()) continue;
    const std::set<std::uint64_t> sample = {1, count / 3 + 1, count};
    for (const std::uint64_t n : sample) {
      const Words& errors = found->errors;
      try_fault(call, n, errors[n % errors.size()]);
      if (HasFailure()) return;
    }
  }
}

// Each call in turn, with each error, until a run has no such call.
TEST_P(Faults, ThoroughlyEndWell) {
  constexpr std::uint64_t kEach = 200;  // beyond, steps double
  for (const FaultCall& fault : fault_calls()) {
    for (const std::string& error : fault.errors) {
      std::uint64_t n = 1;
      while (try_fault(fault.call, n, error)) {
        if (error == "short") break;  // concerned all calls from the first on
        n += n < kEach ? 1 : n;
      }
      if (HasFailure()) return;
    }
  }
  // The last ones happen while results are written.
  constexpr std::uint64_t kLast = 50;
  const std::uint64_t most = counts()["malloc"];
  for (std::uint64_t n = most - std::min(most, kLast); n <= most && !HasFailure(); ++n) {
    try_fault("malloc", n, "ENOMEM");
  }
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(faulty_commands()),
                         [](const auto& each) { return each.param.name; });
