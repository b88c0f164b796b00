// Any bytes as a result for the report page, and as a record of a model.
//
// A reader throws thresh::Error. What it accepts can be written and read again.
#include "memory_file.hpp"
#include "thresh/error.hpp"
#include "thresh/record.hpp"
#include "thresh/report.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace thresh;
  try {
    const std::string json = Record::parse({reinterpret_cast<const char*>(data), size}).json();
    require(Record::parse(json).json() == json, "the same record again");
  } catch (const RecordError&) {
  }
  try {
    const MemoryFile file(data, size);
    report_document({file.path()});
  } catch (const Error&) {
  }
  return 0;
}
