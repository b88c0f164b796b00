// Weights that were worked out elsewhere, line by line: a tiny file, and what every solver must
// make of it.

#include <gtest/gtest.h>

#include <sstream>

#include "thresh/thresh.hpp"
#include "tools/scratch.hpp"

namespace thresh::golden_oracle {
namespace {

constexpr const char* kTiny =
    "+1 1:0.8 3:-0.4 5:0.25\n"
    "-1 2:0.9 3:0.6\n"
    "+1 1:0.3 4:0.7 6:-0.2\n"
    "-1 2:0.4 5:-0.8 6:0.5\n"
    "+1 3:-0.7 4:0.1 5:0.6\n"
    "-1 1:-0.2 2:0.3 6:0.9\n"
    "-1 3:0.5 4:-0.6\n";

struct Golden {
  const char* options;
  const char* weights;  // index:weight of every non-zero
};

// All in file order and without an intercept.
constexpr Golden kGolden[] = {
    {"--solver margin-perceptron --tau 0.01 --eta 0.3 --lambda 0.02 --passes 3",
     "1:0.22 3:-0.1 5:0.055"},
    {"--solver margin-perceptron --tau 0.5 --eta 0.3 --lambda 0.02 --passes 3 --features 4",
     "1:0.22 2:-0.25 3:-0.26 5:0.055"},
    {"--solver truncated-gradient --eta 0.2 --lambda 0.05 --passes 2",
     "1:0.110574031895 2:-0.173012525623 3:-0.273598012695 4:0.146622360822 5:0.175155683975 "
     "6:-0.182164712248"},
    {"--solver truncated-gradient --every 3 --ceiling 0.3 --eta 0.2 --lambda 0.05 --passes 2",
     "1:0.13012702228 2:-0.181817686644 3:-0.291602347191 4:0.147220253011 5:0.193952796254 "
     "6:-0.192392082037"},
    {"--solver smidas --eta 0.1 --lambda 0.01 --passes 2",
     "1:0.0257050439808 2:-0.0514513470317 3:-0.139211455672 4:0.034118327773 5:0.0552191387152 "
     "6:-0.0531145758074"},
    {"--solver cd --lambda 0.05 --passes 3",
     "1:0.519780144571 2:-0.88960039217 3:-1.86232155474 4:0.742466030525 5:0.465932812011 "
     "6:-1.00302187508"},
    {"--solver cd --curvature global --loss squared --lambda 0.05 --passes 3",
     "1:0.296067621872 2:-0.362143092367 3:-0.530313774805 4:0.31061155211 5:0.320594189528 "
     "6:-0.337642479677"},
    {"--solver gcd --curvature global --lambda 0.05 --steps 5",
     "3:-1.31323392855 6:-0.257142857143"},
    {"--solver subgradient --lambda 0.05 --eta 0.5 --passes 10",
     "1:0.193605042919 2:-0.274413851375 3:-0.46620725759 4:0.231570048215 5:0.290005626855 "
     "6:-0.286773992775"},
    {"--solver subgradient --batch 3 --lambda 0.05 --eta 1 --passes 2",
     "1:0.173056049819 2:-0.185585434196 3:-0.317174791897 4:0.216982973032 5:0.128606125595 "
     "6:-0.12084609259"},
    {"--solver fobos --eta 0.5 --lambda 0.05 --passes 2",
     "1:0.20397355691 2:-0.213813174563 3:-0.313335804795 4:0.144180892088 5:0.17745029201 "
     "6:-0.167650929017"},
    {"--solver fobos --batch 3 --rounds --eta 0.5 --lambda 0.05 --passes 3",
     "1:0.106879523982 2:-0.134934801453 3:-0.300468345776 4:0.217549365783 5:0.120096887035 "
     "6:-0.115215281733"},
    {"--solver l0-sgd --features 3 --eta 0.5 --passes 2",
     "1:0.355521355228 2:-0.338773554645 3:-0.462246977783"},
    {"--solver grades --gamma 6 --features 3 --passes 4",
     "2:-0.618676623457 3:-0.874653588069 5:0.651120351991"},
    {"--solver projected-gradient --radius 1 --eta 1 --passes 4",
     "1:0.108281968341 2:-0.159415976408 3:-0.271587844863 4:0.129158072713 5:0.168527537153 "
     "6:-0.163028600522"},
    {"--solver projected-sgd --radius 1 --eta 0.5 --passes 2",
     "1:0.18685082286 2:-0.170426807944 3:-0.292764782918 4:0.0858131594379 5:0.156033526041 "
     "6:-0.108110900799"},
    {"--solver eg --radius 2 --eta 0.5 --passes 2",
     "1:0.116738199364 2:-0.113073394016 3:-0.157340255574 4:0.0833468353432 5:0.109075496753 "
     "6:-0.0913766329204"},
    {"--solver rda --gamma 2 --lambda 0.05 --passes 2",
     "1:0.0748153622933 2:-0.110470471813 3:-0.185304063718 4:0.086642196121 5:0.116039039863 "
     "6:-0.111670308148"},
    {"--solver ftrl --alpha 0.5 --beta 1 --lambda 0.1 --passes 2",
     "1:0.363646508714 2:-0.421034653159 3:-0.592426689488 4:0.385319218012 5:0.43679349444 "
     "6:-0.430433514834"},
};

Loss loss_called(const std::string& name) {
  for (const Loss loss : {Loss::logistic, Loss::squared, Loss::hinge, Loss::squared_hinge}) {
    if (name == name_of(loss)) return loss;
  }
  throw std::runtime_error("no loss is called " + name);
}

// What the program makes of such a line.
Options parse(const std::string& line) {
  Options options;
  options.order = Order::sequential;
  options.intercept = false;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(2);
    std::string value = "true";
    if (name != "rounds") words >> value;
    if (name == "solver") {
      options.solver = value;
    } else if (name == "eta") {
      options.eta = std::stod(value);
    } else if (name == "lambda") {
      options.lambda = std::stod(value);
    } else if (name == "passes") {
      options.passes = std::stoull(value);
    } else if (name == "steps") {
      options.steps = std::stoull(value);
    } else if (name == "features") {
      options.features = std::stoull(value);
    } else if (name == "loss") {
      options.loss = loss_called(value);
    } else {
      options.solver_options[name] = value;
    }
  }
  return options;
}

TEST(Golden, EverySolverGivesItsWeights) {
  const ScratchDir dir;
  const std::string file = dir.write("tiny.svm", kTiny);
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(golden.options);
    const FitResult got = fit(open_problem(file), parse(golden.options));
    std::istringstream expected(golden.weights);
    std::size_t count = 0;
    for (std::string word; expected >> word; ++count) {
      ASSERT_LT(count, got.model.coefficients.size());
      const Coefficient& coefficient = got.model.coefficients[count];
      const std::size_t colon = word.find(':');
      EXPECT_EQ(coefficient.index, std::stoull(word.substr(0, colon)));
      EXPECT_NEAR(coefficient.weight, std::stod(word.substr(colon + 1)), 1e-9) << word;
    }
    EXPECT_EQ(count, got.model.coefficients.size());
  }
}

}  // namespace
}  // namespace thresh::golden_oracle
