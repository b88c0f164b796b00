// Tables by the Arrow C stream interface.

#include "capi/handles.hpp"

using namespace thresh;
using namespace thresh::capi;

int thresh_data_from_arrow(ArrowArrayStream* stream, std::uint64_t rows, const double* labels,
                           const double* weights, const char* const* label_names,
                           std::uint64_t label_name_count, thresh_data** data) {
  return guarded([&] {
    *data = new thresh_data{
        arrow_table(*stream, {rows, labels, weights, strings_of(label_names, label_name_count)})};
  });
}
