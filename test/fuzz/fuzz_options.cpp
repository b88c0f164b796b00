// Any text as the value of an option and as a grid. The first line is the name or the solver.
//
// The parser throws UsageError, or accepts the option; a grid has values.
#include "require.hpp"
#include "thresh/error.hpp"
#include "thresh/options.hpp"
#include "thresh/select.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace thresh;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string first = text.substr(0, end);
  const std::string rest = end < text.size() ? text.substr(end + 1) : "";
  try {
    Options options;
    options.solver = "ftrl";
    set_option(options, first, rest);
    check_options(options);
  } catch (const UsageError&) {
  }
  try {
    for (const Axis& axis : parse_grid(rest, first)) {
      require(!axis.name.empty() && !axis.values.empty(), "every axis has values");
    }
  } catch (const UsageError&) {
  }
  return 0;
}
