// Trains a model from rows in memory and applies it to a new one.

#include <cstdio>
#include <exception>
#include <thresh/thresh.hpp>
#include <vector>

// Rows in compressed sparse row form. Feature 0 is what decides: whether it is above 0.5.
struct Rows {
  std::vector<std::size_t> starts{0};
  std::vector<std::uint64_t> indices;
  std::vector<double> values, labels, weights;
};

Rows make_rows() {
  Rows rows;
  for (int i = 0; i < 500; ++i) {
    const double decides = i % 100 / 100.0;
    rows.indices.insert(rows.indices.end(), {0, 1 + static_cast<std::uint64_t>(i) % 7});
    rows.values.insert(rows.values.end(), {decides, 1.0});
    rows.starts.push_back(rows.indices.size());
    rows.labels.push_back(decides > 0.5 ? 1 : 0);
    rows.weights.push_back(i < 250 ? 1 : 2);  // later rows count twice
  }
  return rows;
}

int main() {
  try {
    const Rows rows = make_rows();
    const thresh::Problem problem =
        thresh::memory_problem({rows.starts, rows.indices, rows.values, rows.labels, rows.weights});
    // Models of all sizes, the choice between them, and a last run on all rows.
    const thresh::Trained trained = thresh::train(problem);
    for (const std::string& warning : trained.warnings) std::printf("%s\n", warning.c_str());
    std::printf("chosen among %zu sizes: features %llu\n", trained.choice->curve.size(),
                static_cast<unsigned long long>(trained.model.nonzeros()));

    // Features have the numbers that they were trained with.
    const std::vector<std::uint64_t> indices{0, 3};
    const std::vector<double> values{0.9, 1.0};
    const thresh::Prediction one = trained.model.predict(indices, values);
    std::printf("label %s, probability %.2f\n", one.text.c_str(), one.probability.value_or(-1));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
