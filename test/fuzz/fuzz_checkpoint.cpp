// Checkpoints: any bytes as the file, and the state of a real run with some of its bytes changed.
//
// The loader throws Error. A run that reads a changed state throws Error or ends, with a finite
// model. The first byte chooses what is tried.
#include <cmath>
#include <map>
#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "memory_file.hpp"
#include "thresh/error.hpp"
#include "thresh/thresh.hpp"

namespace {

using namespace thresh;

const std::vector<Options>& runs() {
  static const std::vector<Options> all = [] {
    std::vector<Options> made;
    const auto add = [&](const char* solver, std::map<std::string, std::string> own) {
      Options options;
      options.solver = solver;
      options.solver_options = std::move(own);
      options.passes = 3;
      options.lambda = 0.01;
      options.threads = 1;
      made.push_back(options);
    };
    add("fobos", {{"batch", "4"}});
    add("ftrl", {});
    add("rda", {});
    add("margin-perceptron", {});
    add("smidas", {{"p", "4"}});
    add("eg", {{"radius", "3"}});
    add("projected-sgd", {{"radius", "3"}});
    add("projected-sgd", {{"radius", "3"}, {"projection", "tree"}});
    add("l1", {});
    add("scd", {});
    add("gcd", {});
    add("l0-sgd", {});
    made.back().features = 3;
    add("budget", {});
    made.back().features = 3;
    return made;
  }();
  return all;
}

const Problem& problem() {
  static const Problem made = [] {
    std::vector<std::size_t> starts = {0};
    std::vector<std::uint64_t> indices;
    std::vector<double> values, labels;
    for (int i = 0; i < 40; ++i) {
      for (int j = 0; j < 4; ++j) {
        indices.push_back(static_cast<std::uint64_t>(5 * j + i % 5));
        values.push_back((i * 7 + j * 3) % 11 - 5.0);
      }
      starts.push_back(indices.size());
      labels.push_back(i % 3 == 0 ? 1 : -1);
    }
    return memory_problem({starts, indices, values, labels, {}});
  }();
  return made;
}

// The state of each run in the middle, and the learner's at its end.
struct States {
  std::string middle;
  std::shared_ptr<const LearnerState> end;
};

const States& states(std::size_t i) {
  static std::vector<std::optional<States>> made(runs().size());
  if (made[i]) return *made[i];
  States states;
  Options options = runs()[i];
  Checkpoint checkpoint("/proc/self/nothing", 0, {});
  options.checkpoint = &checkpoint;
  try {
    fit(problem(), options);
  } catch (const Error&) {  // the file cannot be written, but its part is there
  }
  states.middle = checkpoint.find("call 0").value_or("");
  Options whole = runs()[i];
  whole.save_state = true;
  try {
    states.end = fit(problem(), whole).state;
  } catch (const UsageError&) {  // needs all rows
  }
  made[i] = states;
  return *made[i];
}

// Each three bytes: where, and what to put there.
std::string changed(std::string bytes, const std::uint8_t* data, std::size_t size) {
  if (bytes.empty()) return bytes;
  for (std::size_t i = 0; i + 2 < size; i += 3) {
    bytes[(data[i] * std::size_t{256} + data[i + 1]) % bytes.size()] =
        static_cast<char>(data[i + 2]);
  }
  if (size % 3 == 1) bytes.resize(bytes.size() * data[size - 1] / 256);
  return bytes;
}

void require_finite(const Model& model) {
  for (const Coefficient& each : model.coefficients) {
    require(std::isfinite(each.weight), "weights are finite");
  }
}

void load(const std::string& bytes) {
  const MemoryFile file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  try {
    Checkpoint::load(file.path());
  } catch (const Error&) {
  }
  try {
    LearnerState::load(file.path());
  } catch (const Error&) {
  }
}

// As it is, and with what chance does not find: the first line and the checksum.
void load_file(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  load(bytes);
  std::string sealed = "thresh checkpoint 1\n" + bytes;
  const std::uint64_t sum = XXH3_64bits(sealed.data(), sealed.size());
  sealed.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  load(sealed);
}

void continue_run(std::size_t i, const std::uint8_t* data, std::size_t size) {
  Options options = runs()[i];
  Checkpoint checkpoint("/proc/self/nothing", 1e9, {});
  checkpoint.update({{"call 0", changed(states(i).middle, data, size)}}, false);
  options.checkpoint = &checkpoint;
  try {
    require_finite(fit(problem(), options).model);
  } catch (const Error&) {
  } catch (const UsageError&) {
  }
}

void go_on(std::size_t i, const std::uint8_t* data, std::size_t size) {
  if (!states(i).end) return;
  LearnerState state = *states(i).end;
  state.learner = changed(state.learner, data, size);
  Options options = runs()[i];
  options.from_state = &state;
  try {
    require_finite(fit(problem(), options).model);
  } catch (const Error&) {
  } catch (const UsageError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t run = data[0] / 3 % runs().size();
  switch (data[0] % 3) {
    case 0:
      load_file(data + 1, size - 1);
      break;
    case 1:
      continue_run(run, data + 1, size - 1);
      break;
    default:
      go_on(run, data + 1, size - 1);
  }
  return 0;
}
