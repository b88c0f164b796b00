#include "common/mnist.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/archive.hpp"
#include "thresh/error.hpp"

namespace thresh::experiments {

const std::vector<std::string> kMnistFiles = {
    "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
    "t10k-labels-idx1-ubyte.gz"};

namespace {
constexpr std::size_t kImageHead = 16, kLabelHead = 8;  // header bytes of an IDX file
}  // namespace

Image scaled(const std::array<std::uint8_t, kPixels>& image) {
  Image made;
  std::transform(image.begin(), image.end(), made.begin(), [](int pixel) { return pixel / 255.0; });
  return made;
}

Digits read_mnist(const std::string& folder, bool test) {
  const std::string images_path = folder + "/" + kMnistFiles[test ? 2 : 0];
  const std::string labels_path = folder + "/" + kMnistFiles[test ? 3 : 1];
  const std::string images = read_bytes(images_path), labels = read_bytes(labels_path);
  if (images.size() != kImageHead + kPixels * (labels.size() - kLabelHead)) {
    throw Error(fmt::format("{}: not the images of {}", images_path, labels_path));
  }
  Digits read;
  for (std::size_t i = 0; i + kLabelHead < labels.size(); ++i) {
    read.digits.push_back(labels[kLabelHead + i]);
    auto& image = read.images.emplace_back();
    for (std::size_t k = 0; k < kPixels; ++k) {
      image[k] = static_cast<std::uint8_t>(images[kImageHead + i * kPixels + k]);
    }
  }
  return read;
}

}  // namespace thresh::experiments
