// Reads the INDEX:VALUE pairs of a row: the inner loop of all reading.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thresh {

// The requirements on a row's entries, where to write them, and the results.
struct Entries {
  std::uint64_t first_index = 1;  // in the file; ids count from 0
  std::uint64_t id_end = 0;       // ids must be below
  bool allow_unsorted = false;

  std::uint64_t* ids = nullptr;
  double* values = nullptr;
  std::size_t room = 0;

  std::size_t size = 0;
  std::uint64_t next_id = 0;  // the smallest id that keeps the row ascending
  bool sorted = true;
  bool has_zeros = false;  // among the values
};

// Reads entries from p on, up to the line feed at `end`, a comment, or an entry that is refused:
// not INDEX:VALUE, out of range, not finite, out of order, or more than there is room for. Returns
// that position. kTextPadding bytes (see number.hpp) after `end` must be readable.
//
// The processor decides which way is used; both give the same result to the last bit.
const char* read_entries(const char* p, const char* end, Entries& row);

const char* read_entries_plain(const char* p, const char* end, Entries& row);
#if defined(__x86_64__)
bool can_read_entries_avx2();
const char* read_entries_avx2(const char* p, const char* end, Entries& row);
#endif

}  // namespace thresh
