// Any words as the command line, one in each line of the input. Commands are not run.
//
// The parser accepts them or throws an error of CLI11 or thresh.
#include <sstream>

#include "common.hpp"
#include "require.hpp"
#include "thresh/error.hpp"

namespace {

// Thrown instead of running a command.
struct Parsed {};

// Parses as the program does, without what comes after. (The callbacks must stay: they own what the
// options set.)
class Parser {
 public:
  Parser() {
    thresh::cli::add_commands(app_);
    disarm(app_);
  }

  bool parse(std::vector<std::string> words) {
    std::vector<char*> arguments = {const_cast<char*>("thresh")};
    for (std::string& word : words) arguments.push_back(word.data());
    try {
      app_.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const Parsed&) {
      return true;
    } catch (const CLI::Error& error) {
      thresh::require(error.get_exit_code() == 0 || !std::string(error.what()).empty(),
                      "an error has a message");
    } catch (const thresh::UsageError& error) {
      thresh::require(!std::string(error.what()).empty(), "an error has a message");
    }
    return false;
  }

 private:
  static void disarm(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands(nullptr)) {
      command->parse_complete_callback([] { throw Parsed(); });
      disarm(*command);
    }
  }

  CLI::App app_{"", "thresh"};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string word; std::getline(lines, word);) {
    words.push_back(word.substr(0, word.find('\0')));
  }
  static Parser parser;  // it takes long to make
  const bool accepted = parser.parse(words);
  thresh::require(parser.parse(words) == accepted, "the same words give the same result");
  return 0;
}
