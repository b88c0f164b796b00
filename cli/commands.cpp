// The program's options: what all subcommands share, and the list of them.

#include "common.hpp"
#include "thresh/version.hpp"

namespace thresh::cli {

void add_commands(CLI::App& app) {
  app.set_version_flag("--version", std::string("thresh ") + version());
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  thresh train news.svm.gz --features 500 --holdout 10% -o news.thresh\n"
      "  thresh eval news.thresh test.svm\n"
      "  thresh weights news.thresh --top 20\n"
      "See `thresh COMMAND --help` for more. Data are libsvm, VW, csv, tsv or raw text, plain or\n"
      "compressed.");
  for (AddCommand* add :
       {add_train,     add_resume,   add_frontier, add_tune,     add_cv,        add_path,
        add_predict,   add_eval,     add_explain,  add_compare,  add_threshold, add_verify,
        add_weights,   add_diagnose, add_solvers,  add_generate, add_export,    add_convert,
        add_vectorize, add_cache,    add_report,   add_pages}) {
    add(app);
  }
}

}  // namespace thresh::cli
