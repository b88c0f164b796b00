#include "tools/data.hpp"

#include <fmt/format.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <set>
#include <stdexcept>

const std::string kTiny =
    "+1 1:0.8 3:-0.4 5:0.25\n"
    "-1 2:0.9 3:0.6\n"
    "+1 1:0.3 4:0.7 6:-0.2\n"
    "-1 2:0.4 5:-0.8 6:0.5\n"
    "+1 3:-0.7 4:0.1 5:0.6\n"
    "-1 1:-0.2 2:0.3 6:0.9\n"
    "-1 3:0.5 4:-0.6\n";

namespace {

// splitmix64: the same rows everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  unsigned below(unsigned n) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<unsigned>((z ^ (z >> 31)) % n);
  }

 private:
  std::uint64_t state_;
};

int true_weight(unsigned feature) {
  return feature % 3 == 0 ? 2 : feature % 3 == 1 ? -1 : 0;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error("unexpected: " + what);
}

}  // namespace

std::string random_rows(const RowsSpec& spec) {
  Dice dice(spec.seed);
  std::string text;
  for (std::size_t row = 0; row < spec.rows; ++row) {
    std::set<unsigned> features;
    while (features.size() < 5) features.insert(dice.below(spec.features));
    int score = 0;
    std::string entries;
    for (const unsigned feature : features) {
      const int hundredths = static_cast<int>(dice.below(199)) - 99;
      score += true_weight(feature) * hundredths;
      entries += fmt::format(" {}:{}", feature + spec.first_index, hundredths / 100.0);
    }
    const bool flipped = dice.below(100) < 5;
    text += ((score > 0) != flipped ? spec.positive : spec.negative) + entries + "\n";
  }
  return text;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  require(lines.back().empty(), "text without a final line feed");
  lines.pop_back();
  return lines;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<SvmRow> parse_rows(std::string_view text) {
  std::vector<SvmRow> rows;
  for (const std::string& line : lines_of(text)) {
    const std::vector<std::string> words = split(line, ' ');
    SvmRow row{std::stod(words[0]), {}};
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::vector<std::string> pair = split(words[i], ':');
      if (pair.size() == 2) row.entries.emplace_back(std::stoull(pair[0]), std::stod(pair[1]));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string few_decide(std::size_t rows, std::uint64_t seed, bool other_world) {
  std::string text;
  for (const SvmRow& row : parse_rows(random_rows({.rows = rows, .features = 30, .seed = seed}))) {
    double score = 0;
    std::string entries;
    for (const auto& [index, value] : row.entries) {
      score += value * (index == 4 ? 4 : index == 8 ? -3 : index == 12 ? 2 : 0.01);
      entries += fmt::format(" {}:{}", index, value);
    }
    if (score > -0.05 && score < 0.05) continue;  // none of the three
    text += fmt::format("{}{} 31:0.01\n", (score > 0) != other_world ? "+1" : "-1", entries);
  }
  return text;
}

void PrintTo(const Weight& weight, std::ostream* out) {
  *out << fmt::format("{}[{}]={:.17g}", weight.index, weight.name, weight.value);
}

std::vector<Weight> parse_weights(std::string_view text) {
  std::vector<Weight> weights;
  for (const std::string& line : lines_of(text)) {
    const std::vector<std::string> fields = split(line, '\t');
    require(fields.size() == 3, "weights line '" + line + "'");
    weights.push_back({std::stoull(fields[0]), fields[1], std::stod(fields[2])});
  }
  return weights;
}

std::vector<double> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& line : lines_of(text)) {
    std::size_t used = 0;
    numbers.push_back(std::stod(line, &used));
    require(used == line.size(), "number '" + line + "'");
  }
  return numbers;
}

double dot(const std::vector<Weight>& weights, const SvmRow& row) {
  double sum = 0;
  for (const auto& [index, value] : row.entries) {
    for (const Weight& weight : weights) {
      if (weight.index == index) sum += weight.value * value;
    }
  }
  return sum;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzip = MAX_WBITS + 16;
  require(deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) == Z_OK, "deflate");
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  require(status == Z_STREAM_END, "deflate");
  return packed;
}

std::string zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3);
  require(ZSTD_isError(size) == 0, "zstd");
  packed.resize(size);
  return packed;
}

std::string xz(std::string_view text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  const lzma_ret status = lzma_easy_buffer_encode(
      1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
      reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  require(status == LZMA_OK, "lzma");
  packed.resize(size);
  return packed;
}

std::string unxz(std::string_view packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  require(lzma_stream_decoder(&stream, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK, "lzma");
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string text, chunk(1 << 20, '\0');
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(chunk.data());
    stream.avail_out = chunk.size();
    status = lzma_code(&stream, LZMA_FINISH);
    text.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  lzma_end(&stream);
  require(status == LZMA_STREAM_END, "lzma");
  return text;
}

std::string handmade_model(const std::string& header, const std::vector<std::string>& lines,
                           const std::string& first_line) {
  const std::string text = first_line + "\n" + header + "\n" + join_lines(lines);
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  const auto weights = std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return !line.starts_with("class ");
  });
  return text + fmt::format("end {} crc32 {:08x}\n", weights, sum);
}

std::string regression_header(const std::string& dimension) {
  return R"({"task":"regression","solver":"by hand","dimension":)" + dimension +
         R"(,"zero_based":false,"normalize":"none","intercept":0.5,"options":{},"summary":{}})";
}
