// Scores lines with one model from several threads, and prints how long a prediction takes.
// Usage: threaded_scorer MODEL LINES [THREADS]    (lines of the model's format, without labels)

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <thread>
#include <thresh/thresh.hpp>
#include <vector>

using Clock = std::chrono::steady_clock;

std::vector<std::string> read_lines(const char* path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    const thresh::Scorer scorer(thresh::Model::load(argv[1]));  // one for all threads
    const std::vector<std::string> lines = read_lines(argv[2]);
    const std::size_t threads = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 4;
    for (const std::string& line : lines) scorer.predict(line);  // a bad line ends the program here

    std::vector<double> nanoseconds(lines.size());
    std::vector<std::jthread> workers;
    for (std::size_t t = 0; t < threads; ++t) {
      workers.emplace_back([&, t] {  // every line is one thread's
        for (std::size_t i = t; i < lines.size(); i += threads) {
          const auto start = Clock::now();
          scorer.predict(lines[i]);
          nanoseconds[i] = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
        }
      });
    }
    workers.clear();  // waits for all of them
    if (lines.empty()) return 0;
    std::sort(nanoseconds.begin(), nanoseconds.end());
    std::printf("%zu rows, %zu threads: median %.0f ns, 99%% within %.0f ns\n", lines.size(),
                threads, nanoseconds[lines.size() / 2], nanoseconds[lines.size() * 99 / 100]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
