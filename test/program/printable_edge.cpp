// What a hostile name may put on a terminal.
#include <gtest/gtest.h>

#include "messages.hpp"

namespace {

using thresh::cli::printable;

TEST(Printable, ControlCharactersAreSpelledOut) {
  EXPECT_EQ(printable("plain, even \xc3\xa4 and \xe2\x82\xac"),
            "plain, even \xc3\xa4 and \xe2\x82\xac");
  EXPECT_EQ(printable("a\x1b[2J\r\x7f"), "a\\x1b[2J\\x0d\\x7f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b|\xc2\xa0|\xc2"), "\\u009b|\xc2\xa0|\xc2");
  EXPECT_EQ(printable("a\nb\tc"), "a\\nb\\tc");
  EXPECT_EQ(printable("a\nb\tc\v", true), "a\nb\tc\\x0b");
}

}  // namespace
