// Learns from a file or a pipe that does not fit into memory, under a feature budget: every row is
// seen once, in order, and only the weights are kept.
// Usage: stream_file DATA FEATURES    (libsvm rows with labels 0 and 1, or -1 and 1; - is stdin)

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thresh/thresh.hpp>

// Says every now and then where the run is.
class Watch : public thresh::Observer {
 public:
  bool wants_progress(const thresh::Progress& at) const override { return at.examples >= next_; }
  void on_progress(const thresh::Progress& at) override {
    std::fprintf(stderr, "%llu rows, %llu features\n", static_cast<unsigned long long>(at.examples),
                 static_cast<unsigned long long>(at.nonzeros));
    while (next_ <= at.examples) next_ *= 2;
  }

 private:
  std::uint64_t next_ = 1000;
};

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    thresh::Options options;
    options.solver = "l0-sgd";  // after every row the largest weights stay
    options.eta = 10;           // rows of text are short vectors: large steps do no harm
    options.features = std::strtoull(argv[2], nullptr, 10);
    options.passes = 1;
    options.order = thresh::Order::sequential;
    options.positive = 1;  // which label is +1 cannot be found out from a stream

    thresh::ReadOptions read;
    read.once = thresh::one_look_is_enough(options);  // no survey and no copy of a pipe
    const thresh::Problem problem = thresh::open_problem(argv[1], "", read);
    Watch watch;
    const thresh::FitResult result = thresh::fit(problem, options, nullptr, &watch);
    result.model.save("stream.thresh");
    std::printf("%s: %llu features\n", thresh::name_of(result.status.outcome),
                static_cast<unsigned long long>(result.model.nonzeros()));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
