// Man pages and completions, which the program writes from its own options: whole, well-formed, and
// understood by those who read them.

#include <filesystem>

#include "tools/program.hpp"

namespace fs = std::filesystem;

class CliPages : public CliTest {
 protected:
  void SetUp() override { silent({"pages", "share"}); }

  std::string page(const std::string& name) const {
    return ScratchDir::slurp(dir.file("share/man/man1/" + name + ".1"));
  }

  Result run_other(const std::string& program, Words arguments) const {
    Command other = command(std::move(arguments));
    other.program = program;
    return run(other);
  }

  // What bash would offer for the last word; "files" where it is left to complete a file.
  std::string offers(const Words& words) const {
    dir.write("complete.sh",
              "source share/bash-completion/completions/thresh\n"
              "by_bash=yes\n"
              "compopt() { [[ $* == '+o default' ]] && by_bash=no; }\n"  // needs a terminal
              "COMP_WORDS=(thresh \"$@\") COMP_CWORD=$#\n"
              "_thresh\n"
              "[[ $by_bash == yes ]] && echo files || echo \"${COMPREPLY[*]}\"\n");
    Words arguments = {"complete.sh"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const Result result = run_other("/bin/bash", arguments);
    EXPECT_EQ(result.exit, 0) << result;
    EXPECT_EQ(result.err, "");
    return result.out.substr(0, result.out.find('\n'));
  }
};

TEST_F(CliPages, EveryCommandHasAPage) {
  const std::string all = page("thresh");
  for (const std::string& line : lines_of(all)) {
    if (line.starts_with(".BR thresh")) {
      const std::string name = line.substr(4, line.find(" (1)") - 4);
      std::string file;
      for (const char c : name) {
        if (c != '\\') file += c;
      }
      EXPECT_TRUE(contains(page(file), ".SH SYNOPSIS")) << file;
    }
  }
  EXPECT_TRUE(contains(all, "thresh\\-train (1)"));
  const std::string version = good({"--version"});
  EXPECT_TRUE(contains(all, "\"" + version.substr(0, version.size() - 1) + "\""));
  EXPECT_TRUE(contains(page("thresh-generate-corpus"), "\\-\\-informative"));
  EXPECT_FALSE(contains(all, "pages"));  // which is for the build
}

TEST_F(CliPages, APageHasAllThatHelpHas) {
  const std::string train = page("thresh-train");
  for (const std::string& line : lines_of(good({"train", "--help"}))) {
    const std::size_t option = line.find("--");
    if (!line.starts_with("  -") || option == std::string::npos) continue;
    std::string escaped;
    for (const char c : line.substr(option, line.find_first_of(" ,{", option) - option)) {
      escaped += c == '-' ? "\\-" : std::string(1, c);
    }
    EXPECT_TRUE(contains(train, "\\fB" + escaped + "\\fR")) << line;
  }
  EXPECT_TRUE(contains(train, "projected\\-sgd"));  // solvers are the values of an option
}

TEST_F(CliPages, ManReadersFindNothingWrong) {
  const bool mandoc = fs::exists("/usr/bin/mandoc");
  const bool groff = fs::exists("/usr/bin/groff");
  if (!mandoc && !groff) GTEST_SKIP() << "neither mandoc nor groff is installed";
  for (const auto& file : fs::directory_iterator(dir.file("share/man/man1"))) {
    if (mandoc) {
      const Result lint = run_other("/usr/bin/mandoc", {"-Tlint", "-Wwarning", file.path()});
      for (const std::string& line : lines_of(lint.out + lint.err)) {
        EXPECT_TRUE(contains(line, "missing date"));  // on purpose: the same build, the same bytes
      }
    }
    if (groff) {
      const Result warned = run_other("/usr/bin/groff", {"-man", "-ww", "-z", file.path()});
      EXPECT_EQ(warned.out + warned.err, "") << file.path();
    }
  }
}

TEST_F(CliPages, BashCompletes) {
  EXPECT_EQ(offers({"tr"}), "train");
  EXPECT_EQ(offers({"generate", ""}), "corpus gaussian single-step");
  EXPECT_EQ(offers({"train", "--la"}), "--lambda --lambda-ratio --label");
  EXPECT_EQ(offers({"train", "a.svm", "--loss", "sq"}), "squared squared-hinge");
  EXPECT_EQ(offers({"train", "--loss", "=", "h"}), "hinge huber");
  EXPECT_EQ(offers({"train", "--order", "="}), "shuffle sequential replacement");
  EXPECT_EQ(offers({"tune", "--solver", "ft"}), "ftrl");
  EXPECT_EQ(offers({"export", "m.thresh", "--format", ""}),
            "c javascript json liblinear onnx python sql");
  EXPECT_EQ(offers({"generate", "gaussian", "--task", "r"}), "regression");
  EXPECT_EQ(offers({"train", ""}), "files");
  EXPECT_EQ(offers({"predict", "m.thresh", "a.sv"}), "files");
  EXPECT_EQ(offers({"train", "a.svm", "-o", ""}), "files");
  EXPECT_EQ(offers({"train", "a.svm", "--weights", ""}), "files");
  EXPECT_EQ(offers({"train", "a.svm", "--penalties", ""}), "files");
  EXPECT_EQ(offers({"path", "a.svm", "--save", ""}), "files");
  EXPECT_EQ(offers({"generate", "corpus", "-o", ""}), "files");
  EXPECT_EQ(offers({"generate", "corpus", ""}), "");
  EXPECT_EQ(offers({"train", "a.svm", "--seed", ""}), "");
  for (const char* free : {"--positive", "--holdout", "--keep", "--label", "--tau"}) {
    EXPECT_EQ(offers({"train", "a.svm", free, ""}), "") << free;
  }
  EXPECT_EQ(offers({"tune", "a.svm", "--grid", ""}), "");
  EXPECT_EQ(offers({"path", "a.svm", "--from", ""}), "");  // there a value
  EXPECT_EQ(offers({"solvers", ""}), "");
  EXPECT_EQ(offers({"train", "tune", "--state"}), "");  // a file of that name is no command
}

// Types into a zsh that has a terminal of its own, and says what Tab has made of it.
TEST_F(CliPages, ZshCompletes) {
  if (!fs::exists("/usr/bin/zsh")) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(run_other("/usr/bin/zsh", {"-n", "share/zsh/site-functions/_thresh"}).err, "");
  dir.write("only.svm", kTiny);
  dir.write("complete.zsh", R"(zmodload zsh/zpty
zpty inner zsh -f -i
tell() { zpty -w inner "$1"; }
tell 'PS1= PS2= RPS1=; unset zle_bracketed_paste'
tell 'fpath=($PWD/share/zsh/site-functions $fpath); autoload -Uz compinit; compinit -D -u'
tell 'press-tab() { zle complete-word; print -r -- "<made>$BUFFER</made>"; zle kill-whole-line }'
tell 'zle -N press-tab; bindkey "^I" press-tab; print -r "rea""dy"'
zpty -r inner seen '*ready*' || exit 1
for line in "$@"; do
  zpty -w -n inner "$line"$'\t'
  zpty -r inner seen '*</made>*' || exit 1
  print -r -- "${${seen##*<made>}%%</made>*}|"
done
zpty -d inner
)");
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"thresh tra", "thresh train "},
      {"thresh generate corp", "thresh generate corpus "},
      {"thresh train only.svm --cal", "thresh train only.svm --calibrate "},
      {"thresh train --order=sh", "thresh train --order=shuffle "},
      {"thresh tune --solver trunc", "thresh tune --solver truncated-gradient "},
      {"thresh train on", "thresh train only.svm "},
      {"thresh train a.svm --weights on", "thresh train a.svm --weights only.svm "},
      {"thresh predict m.thresh on", "thresh predict m.thresh only.svm "},
      {"thresh train a.svm --positive on", "thresh train a.svm --positive on"},
      {"thresh tune a.svm --grid on", "thresh tune a.svm --grid on"},
      {"thresh path a.svm --save sha", "thresh path a.svm --save share/"},
  };
  Words arguments = {"-f", "complete.zsh"};
  std::string expected;
  for (const auto& [typed, made] : lines) {
    arguments.push_back(typed);
    expected += made + "|\n";
  }
  const Result result = run_other("/usr/bin/zsh", arguments);
  EXPECT_EQ(result.exit, 0) << result;
  EXPECT_EQ(result.out, expected);
}

// What stands beside each is what --help has.
TEST_F(CliPages, ZshIsToldTheSame) {
  if (!fs::exists("/usr/bin/zsh")) GTEST_SKIP() << "zsh is not installed";
  dir.write("complete.zsh",
            "_arguments() { print -rl -- \"$@\"; state=command }\n"
            "_describe() { print -rl -- ${(P)2} }\n"
            "source share/zsh/site-functions/_thresh\n"
            "_thresh_train\n_thresh_generate_corpus\n_thresh_vectorize\n");
  const Result result = run_other("/usr/bin/zsh", {"-f", "complete.zsh"});
  ASSERT_EQ(result.exit, 0) << result;
  EXPECT_EQ(result.err, "");
  const std::string told = "\n" + result.out;
  EXPECT_TRUE(contains(told, "\ntrain:Learn a sparse model\n"));
  EXPECT_TRUE(contains(told, "\nweights:Print a model's non-zero weights\n"));
  EXPECT_TRUE(
      contains(told, "]:TEXT:(logistic squared hinge squared-hinge poisson huber quantile)\n"));
  EXPECT_TRUE(contains(told, "\n(-o -f --output)-o+[Output file for the model; default\\: "));
  EXPECT_TRUE(contains(told,
                       "\n"
                       "(--seed)--seed=[Random seed]:UINT: \n"));
  EXPECT_TRUE(contains(told, "\n(--calibrate)--calibrate[Fit "));
  EXPECT_TRUE(contains(told, "e.g. 1\\:2 \\[1\\:1\\]]:TEXT: \n"));
  EXPECT_TRUE(contains(told, "\n(--valid)--valid=[Validate on this file]:FILE:_files\n"));
}
