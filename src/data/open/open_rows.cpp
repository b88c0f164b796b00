// open_rows(): chooses the reader of a path.

#include "data/cache/source.hpp"
#include "data/names/named_source.hpp"
#include "data/open/open_texts.hpp"
#include "data/read/sources.hpp"
#include "thresh/threads.hpp"

namespace thresh {

std::shared_ptr<RowSource> open_rows(const std::string& path, const ReadOptions& options,
                                     std::shared_ptr<FeatureMap> features) {
  const ThreadLimit limit(options.threads);
  if (is_cache_file(path)) return open_cache(path, options, std::move(features));
  const Format format = format_of(path, options.format);
  check_read_options(options, format);
  if (auto cached = open_cache_beside(path, format, options, features)) return cached;
  if (format == Format::text) return open_texts(path, options, std::move(features));
  if (format != Format::libsvm) return open_named_rows(path, format, options, std::move(features));
  if (!options.once && is_plain_file(path)) {
    return std::make_shared<TextSource>(path, options, std::move(features));
  }
  auto stream = std::make_shared<StreamSource>(path, options, std::move(features));
  if (options.once) return stream;
  return std::make_shared<SpooledSource>(*stream);
}

}  // namespace thresh
