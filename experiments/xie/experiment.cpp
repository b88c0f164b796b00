// Xie, Fan, Verscheure & Ren, "Efficient and numerically stable sparse learning", ECML PKDD 2010:
// where GraDes diverges, what SMIDAS's weights leave of the data, and error against density.

#include "common/experiment.hpp"
#include "xie/divergence.hpp"
#include "xie/errors.hpp"
#include "xie/tasks.hpp"

namespace thresh::experiments {
namespace {

Table task_table(const Context& context) {
  Table table{"tasks",
              "Table 2: the tasks",
              {"task", "training rows", "validation rows", "test rows", "features",
               "paper: features", "non-zeros of the training rows"},
              {},
              {"task"}};
  for (const XieTask& task : xie_tasks()) {
    if (!context.data.has(task.name)) continue;
    const DataSet& data = context.data.get(task.name);
    table.rows.push_back({task.name, data.rows, data.problem.valid->survey()->rows,
                          data.test->survey()->rows, data.features, task.features, data.entries});
  }
  return table;
}

Report run(const Context& context) {
  Report report;
  report.tables.push_back(task_table(context));
  add_divergence(context, report);
  add_errors(context, report);
  return report;
}

}  // namespace

Experiment xie() {
  return {"xie", "Efficient and numerically stable sparse learning", xie_data(), run,
          xie_solvers()};
}

}  // namespace thresh::experiments
