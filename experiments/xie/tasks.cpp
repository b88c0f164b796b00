#include "xie/tasks.hpp"

#include <mutex>

namespace thresh::experiments {
namespace {

constexpr std::size_t kFewWords = 5000;
constexpr const char* kRcv1File = "rcv1.svm.xz";

// Words without those that any text has, and without those of a single text: that leaves about as
// many as the paper had.
TextOptions word_options() {
  TextOptions options;
  options.stop_words = english_stop_words();
  options.min_df = {false, 2};
  return options;
}

TextOptions few_word_options(Weighting weighting) {
  TextOptions options = word_options();
  if (weighting == Weighting::tf_idf) return options;
  options.max_df = {true, 0.1};
  options.tf = TextOptions::Tf::binary;
  options.idf = options.l2 = false;
  return options;
}

TextOptions ngram_options() {
  TextOptions options;
  options.unit = TextOptions::Unit::characters;
  options.shortest = 3;
  options.longest = 6;
  options.idf = false;
  options.hash_bits = 24;
  return options;
}

// The archive is read once, whichever task needs it first.
class Newsgroups {
 public:
  // The messages of "comp_vs_rec", comp.* being +1.
  Texts task(const std::string& folder, const std::string& name) {
    std::call_once(read_, [&] { messages_ = read_newsgroups(folder); });
    const std::size_t middle = name.find("_vs_");
    const std::string positive = name.substr(0, middle) + ".",
                      negative = name.substr(middle + 4) + ".";
    Texts texts;
    for (const Message& message : messages_) {
      if (message.group.starts_with(positive)) texts.add(message.text, 1);
      if (message.group.starts_with(negative)) texts.add(message.text, -1);
    }
    return shuffled(texts, 1);
  }

 private:
  std::once_flag read_;
  std::vector<Message> messages_;
};

DataSet cut(const Rows& rows, const PartSizes& sizes) {
  const Rows mixed = shuffled(rows, 1);
  const std::size_t valid = sizes.train, test = valid + sizes.valid;
  return make_data(slice(mixed, 0, valid), slice(mixed, valid, test),
                   slice(mixed, test, test + sizes.test));
}

DataSet stand_in() {
  return cut(corpus_rows(600, 1000, 1), {300, 100, 200});
}

void add_newsgroups(std::vector<DataSpec>& specs) {
  const auto news = std::make_shared<Newsgroups>();
  for (const std::string& name : newsgroup_tasks()) {
    PartSizes sizes{};
    for (const XieTask& task : xie_tasks()) {
      if (task.name == name) sizes = task.sizes;
    }
    specs.push_back({name,
                     {kNewsgroupsFile},
                     [=](const std::string& folder) {
                       return text_data(news->task(folder, name), sizes, word_options());
                     },
                     stand_in});
    for (const Weighting weighting : {Weighting::present, Weighting::tf_idf}) {
      specs.push_back({few_words(name, weighting),
                       {kNewsgroupsFile},
                       [=](const std::string& folder) {
                         return text_data(news->task(folder, name), {sizes.train, 0, 0},
                                          few_word_options(weighting), kFewWords);
                       },
                       stand_in});
    }
  }
}

}  // namespace

const std::vector<XieTask>& xie_tasks() {
  static const std::vector<XieTask> tasks = {
      {"comp_vs_rec", {4278, 1644, 2948}, 21317, "40%"},
      {"comp_vs_sci", {4248, 1766, 2829}, 22944, "40%"},
      {"comp_vs_talk", {3960, 1577, 2607}, 24178, "40%"},
      {"rec_vs_talk", {3456, 1423, 2353}, 23253, "40%"},
      {"sci_vs_rec", {3772, 1598, 2561}, 22839, "40%"},
      {"sci_vs_talk", {3397, 1445, 2363}, 24777, "40%"},
      {"rcv1", {15786, 2618, 5345}, 47236, "40%"},
      {"enron_ngrams", {5000, 500, 5000}, 16609143, "0.1%"},
  };
  return tasks;
}

std::vector<std::string> newsgroup_tasks() {
  std::vector<std::string> names;
  for (const XieTask& task : xie_tasks()) {
    if (task.name.find("_vs_") != std::string::npos) names.push_back(task.name);
  }
  return names;
}

std::string few_words(const std::string& task, Weighting weighting) {
  return task + (weighting == Weighting::present ? " 5000 words present" : " 5000 words tf-idf");
}

std::vector<DataSpec> xie_data() {
  std::vector<DataSpec> specs;
  add_newsgroups(specs);
  const PartSizes rcv1 = xie_tasks()[6].sizes, enron = xie_tasks()[7].sizes;
  specs.push_back(
      {"rcv1",
       {kRcv1File},
       [rcv1](const std::string& folder) { return cut(read_rows(folder + "/" + kRcv1File), rcv1); },
       stand_in});
  specs.push_back({"enron_ngrams",
                   {kEnronFile},
                   [enron](const std::string& folder) {
                     return text_data(shuffled(read_enron(folder), 1), enron, ngram_options());
                   },
                   [] {
                     return cut(corpus_rows(600, 100000, 1), {300, 100, 200});
                   }});
  return specs;
}

}  // namespace thresh::experiments
