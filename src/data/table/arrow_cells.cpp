#include "data/table/arrow_cells.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "thresh/error.hpp"

namespace thresh {
namespace {

template <class T>
T element(const ArrowArray& column, int buffer, std::int64_t place) {
  T value;
  std::memcpy(&value, static_cast<const char*>(column.buffers[buffer]) + place * sizeof(T),
              sizeof(T));
  return value;
}

bool bit(const void* bits, std::int64_t place) {
  return ((static_cast<const std::uint8_t*>(bits)[place / 8] >> (place % 8)) & 1) != 0;
}

bool missing(const ArrowArray& column, std::int64_t row) {
  return column.null_count != 0 && column.buffers[0] != nullptr &&
         !bit(column.buffers[0], column.offset + row);
}

// Calls write(column, place, out) for cells that are there.
template <class Write>
WriteCell unless_missing(Write write) {
  return [write](const ArrowArray& column, std::int64_t row, std::string& out) {
    if (!missing(column, row)) write(column, column.offset + row, out);
  };
}

// The same for numbers.
template <class Read>
ReadNumber number_unless_missing(Read read) {
  return [read](const ArrowArray& column, std::int64_t row) {
    return missing(column, row) ? NAN : read(column, column.offset + row);
  };
}

// All digits of the value as a double: a file has no shorter numbers for narrow types.
void write_number(double value, std::string& out) {
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(out), "{}", value);
}

double half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

// Numbers of a type, with texts of at most `widest` characters.
template <class T>
ArrowCells numbers(std::size_t widest) {
  ArrowCells cells;
  cells.widest = widest;
  cells.text = unless_missing([](const ArrowArray& column, std::int64_t place, std::string& out) {
    const auto value = element<T>(column, 1, place);
    if constexpr (std::is_integral_v<T>) {
      fmt::format_to(std::back_inserter(out), "{}", value);
    } else {
      write_number(static_cast<double>(value), out);
    }
  });
  cells.number = number_unless_missing([](const ArrowArray& column, std::int64_t place) {
    return static_cast<double>(element<T>(column, 1, place));
  });
  return cells;
}

ArrowCells halves() {
  ArrowCells cells;
  cells.widest = kWidestNumber;
  cells.text = unless_missing([](const ArrowArray& column, std::int64_t place, std::string& out) {
    write_number(half(element<std::uint16_t>(column, 1, place)), out);
  });
  cells.number = number_unless_missing([](const ArrowArray& column, std::int64_t place) {
    return half(element<std::uint16_t>(column, 1, place));
  });
  return cells;
}

ArrowCells truths() {
  ArrowCells cells;
  cells.widest = 1;
  cells.text = unless_missing([](const ArrowArray& column, std::int64_t place, std::string& out) {
    out += bit(column.buffers[1], place) ? '1' : '0';
  });
  cells.number = number_unless_missing([](const ArrowArray& column, std::int64_t place) {
    return bit(column.buffers[1], place) ? 1.0 : 0.0;
  });
  return cells;
}

template <class Offset>
WriteCell texts() {
  return unless_missing([](const ArrowArray& column, std::int64_t place, std::string& out) {
    const auto begin = element<Offset>(column, 1, place);
    const auto end = element<Offset>(column, 1, place + 1);
    if (end > begin) {
      out.append(static_cast<const char*>(column.buffers[2]) + begin,
                 static_cast<std::size_t>(end - begin));
    }
  });
}

// Sixteen bytes: the length, then the text, or its first four bytes with its buffer and offset.
void write_text_view(const ArrowArray& column, std::int64_t place, std::string& out) {
  const char* const view = static_cast<const char*>(column.buffers[1]) + 16 * place;
  std::int32_t parts[4];
  std::memcpy(parts, view, sizeof parts);
  const char* const text =
      parts[0] <= 12 ? view + 4 : static_cast<const char*>(column.buffers[2 + parts[2]]) + parts[3];
  out.append(text, static_cast<std::size_t>(parts[0]));
}

// DAYS as 2024-03-31.
void write_day(std::int64_t days, const std::string& name, std::string& out) {
  constexpr std::int64_t kFirst = -719'162, kLast = 2'932'896;  // of the years 1 and 9999
  if (days < kFirst || days > kLast) {
    throw Error(fmt::format("column {}: a date outside the years 1 to 9999", name));
  }
  const std::chrono::year_month_day day{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(days)}}};
  fmt::format_to(std::back_inserter(out), "{:04}-{:02}-{:02}", static_cast<int>(day.year()),
                 static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

ArrowCells words(WriteCell write) {
  ArrowCells cells;
  cells.text = std::move(write);
  return cells;
}

// Cells of bounded length.
ArrowCells narrow(std::size_t widest, WriteCell write) {
  ArrowCells cells = words(std::move(write));
  cells.widest = widest;
  return cells;
}

// TICKS as 2024-03-31 23:59:59, in the time zone of the data, which is UTC.
WriteCell times(std::int64_t per_second, const std::string& name) {
  return unless_missing([=](const ArrowArray& column, std::int64_t place, std::string& out) {
    const std::int64_t seconds = floor_div(element<std::int64_t>(column, 1, place), per_second);
    const std::int64_t days = floor_div(seconds, 86'400);
    const std::int64_t of_day = seconds - days * 86'400;
    write_day(days, name, out);
    fmt::format_to(std::back_inserter(out), " {:02}:{:02}:{:02}", of_day / 3'600, of_day / 60 % 60,
                   of_day % 60);
  });
}

std::int64_t ticks_per_second(char unit) {
  return unit == 's' ? 1 : unit == 'm' ? 1'000 : unit == 'u' ? 1'000'000 : 1'000'000'000;
}

// A decimal of 128 bits: "d:PRECISION,SCALE".
WriteCell decimals(int scale) {
  return unless_missing([scale](const ArrowArray& column, std::int64_t place, std::string& out) {
    __extension__ using Wide = __int128;
    const auto value = element<Wide>(column, 1, place);
    __extension__ using Unsigned = unsigned __int128;
    const Unsigned size = value < 0 ? -static_cast<Unsigned>(value) : static_cast<Unsigned>(value);
    out += value < 0 ? "-" : "";
    fmt::format_to(std::back_inserter(out), "{}", size);
    if (scale != 0) fmt::format_to(std::back_inserter(out), "e{}", -scale);
  });
}

std::int64_t index_at(const ArrowArray& column, std::int64_t place, char type) {
  switch (type) {
    case 'c':
      return element<std::int8_t>(column, 1, place);
    case 'C':
      return element<std::uint8_t>(column, 1, place);
    case 's':
      return element<std::int16_t>(column, 1, place);
    case 'S':
      return element<std::uint16_t>(column, 1, place);
    case 'i':
      return element<std::int32_t>(column, 1, place);
    case 'I':
      return element<std::uint32_t>(column, 1, place);
    default:
      return element<std::int64_t>(column, 1, place);
  }
}

ArrowCells words_of_dictionary(const ArrowSchema& schema, const std::string& name) {
  return words(
      unless_missing([word = arrow_cells(*schema.dictionary, name).text, type = schema.format[0]](
                         const ArrowArray& column, std::int64_t place, std::string& out) {
        word(*column.dictionary, index_at(column, place, type), out);
      }));
}

}  // namespace

ArrowCells arrow_cells(const ArrowSchema& schema, const std::string& name) {
  if (schema.dictionary != nullptr) return words_of_dictionary(schema, name);
  const std::string_view type = schema.format;
  if (type == "n") return narrow(1, [](const ArrowArray&, std::int64_t, std::string&) {});
  if (type == "b") return truths();
  if (type == "c") return numbers<std::int8_t>(4);
  if (type == "C") return numbers<std::uint8_t>(3);
  if (type == "s") return numbers<std::int16_t>(6);
  if (type == "S") return numbers<std::uint16_t>(5);
  if (type == "i") return numbers<std::int32_t>(11);
  if (type == "I") return numbers<std::uint32_t>(10);
  if (type == "l") return numbers<std::int64_t>(20);
  if (type == "L") return numbers<std::uint64_t>(20);
  if (type == "e") return halves();
  if (type == "f") return numbers<float>(kWidestNumber);
  if (type == "g") return numbers<double>(kWidestNumber);
  if (type == "u") return words(texts<std::int32_t>());
  if (type == "U") return words(texts<std::int64_t>());
  if (type == "vu") return words(unless_missing(write_text_view));
  if (type == "tdD") {
    return narrow(
        10, unless_missing([name](const ArrowArray& column, std::int64_t place, std::string& out) {
          write_day(element<std::int32_t>(column, 1, place), name, out);
        }));
  }
  if (type == "tdm") return narrow(19, times(1'000, name));
  if (type.starts_with("ts") && type.size() > 3) {
    return narrow(19, times(ticks_per_second(type[2]), name));
  }
  if (int precision = 0, scale = 0, bits = 128;
      std::sscanf(schema.format, "d:%d,%d,%d", &precision, &scale, &bits) >= 2 && bits == 128) {
    return narrow(56, decimals(scale));
  }
  throw UsageError(
      fmt::format("column {}: cells of the Arrow type {} are neither numbers, words nor "
                  "dates; leave the column out",
                  name, type));
}

}  // namespace thresh
