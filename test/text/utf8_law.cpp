// Names written into lines and back, and what counts as UTF-8.
#include "data/read/utf8.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "thresh/names.hpp"
#include "tools/error_of.hpp"

namespace thresh::utf8_law {
namespace {

RC_GTEST_PROP(Utf8, EscapedNamesComeBackAndBreakNoLine, (const std::string& name)) {
  const std::string text = escaped(name);
  RC_ASSERT(text.find_first_of("\n\r\t") == std::string::npos);
  RC_ASSERT(unescaped(text) == name);
}

TEST(Utf8, WhatNobodyWritesIsRefused) {
  EXPECT_EQ(unescaped("a\\\\n\\nb"), "a\\n\nb");
  EXPECT_EQ(error_of([] { unescaped("a\\"); }), "bad name");
  EXPECT_EQ(error_of([] { unescaped("\\x"); }), "bad name");
}

TEST(Utf8, KnowsWhatItIs) {
  for (const char* good : {"", "abc", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
                           "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xc3", "\xc0\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xff", "a\xe2\x82", "\xf5\x80\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << shown(bad);
  }
}

TEST(Utf8, MessagesShowTextThatIsShortAndPrintable) {
  EXPECT_EQ(shown("gr\xc3\xbcn"), "'gr\xc3\xbcn'");
  EXPECT_EQ(shown("a\x1b\xffz\n"), "'a??z?'");
  EXPECT_EQ(shown(std::string(100, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace thresh::utf8_law
