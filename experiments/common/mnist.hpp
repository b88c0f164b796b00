// Reads the MNIST digits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace thresh::experiments {

inline constexpr std::size_t kPixels = 28 * 28;

struct Digits {
  std::vector<std::array<std::uint8_t, kPixels>> images;
  std::vector<int> digits;
};

using Image = std::array<double, kPixels>;
// The pixels scaled to [0, 1].
Image scaled(const std::array<std::uint8_t, kPixels>& image);

// Files in the data folder: training images and labels, test images and labels.
extern const std::vector<std::string> kMnistFiles;
Digits read_mnist(const std::string& folder, bool test);

}  // namespace thresh::experiments
