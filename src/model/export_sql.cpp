// Exports a model as one SELECT in standard SQL, which SQLite, DuckDB and PostgreSQL run. A table
// gives an expression for each feature; sparse rows give a join of entries with weights.
//
// Databases sum in an order of their own, so the last digits of a margin may differ.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "data/read/utf8.hpp"
#include "model/export_data.hpp"
#include "thresh/error.hpp"
#include "thresh/export.hpp"
#include "thresh/files.hpp"
#include "thresh/names.hpp"
#include "thresh/version.hpp"

namespace thresh {
namespace {

[[noreturn]] void refuse_sql(std::string_view why) {
  throw Error(fmt::format("SQL cannot hold this model: {}", why));
}

std::string quoted_by(char quote, const std::string& text) {
  if (!is_utf8(text) || text.find('\0') != std::string::npos) refuse_sql("a name is not UTF-8");
  return quote + replaced(text, std::string(1, quote), std::string(2, quote)) + quote;
}
std::string sql_name(const std::string& name) {
  return quoted_by('"', name);
}
std::string sql_text(const std::string& text) {
  return quoted_by('\'', text);
}
// With a point, so that no database takes it for a decimal of few digits or an integer.
std::string sql_number(double value) {
  std::string text = fmt::format("{:.17g}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  if (text.find('e') == std::string::npos) text += "e0";
  return value < 0 ? "(" + text + ")" : text;
}

// A sum as a tree: databases limit the depth of an expression.
std::string sum_of(const std::vector<std::string>& terms, std::size_t first, std::size_t last) {
  if (first == last) return "0.0e0";
  if (last - first == 1) return terms[first];
  const std::size_t middle = first + (last - first) / 2;
  return "(" + sum_of(terms, first, middle) + (last - first > 8 ? "\n    + " : " + ") +
         sum_of(terms, middle, last) + ")";
}

// "true" or "false" for a word that databases may read as a boolean, as DuckDB does when it guesses
// the columns of a csv file; "" for others.
std::string boolean_of(std::string word) {
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (word == "yes" || word == "t" || word == "true") return "true";
  if (word == "no" || word == "f" || word == "false") return "false";
  return "";
}

// The expressions of a table's features.
class TableSql {
 public:
  explicit TableSql(const Model& model) : reading_(model.reading) {
    if (model.normalize_l2) refuse_sql("it scales rows to unit length");
    if (reading_.has("hash_bits")) refuse_sql("its features are hashes of names");
    numbers_ = set_of("numbers");
    categories_ = set_of("categories");
    indicators_ = set_of("indicators");
    if (reading_.has("dates")) {
      for (const auto& [name, ignored] : reading_.at("dates").record()) dates_.insert(name);
    }
    for (const auto& [index, name] : features_of(model)) note_words(name);
    na_ = reading_.value("na", Value::List()).texts();
    if (reading_.value("missing", "").text() == "refuse") {
      refuse_sql("it refuses rows with missing cells");
    }
  }

  // The value of a feature. Names may contain anything, so it may come from several columns.
  std::string value(const std::string& name) const {
    std::vector<std::string> sources;
    if (numbers_.contains(name)) sources.push_back(number(name));
    for (std::size_t at = 0; at < name.size(); ++at) {
      const std::string column = name.substr(0, at), rest = name.substr(at);
      if (rest[0] == '=' && categories_.contains(column)) {
        sources.push_back(when(equals(column, rest.substr(1)), "1.0e0", "0.0e0"));
      }
      if (rest == " is missing" && indicators_.contains(column)) {
        sources.push_back(when(is_missing(column), "1.0e0", "0.0e0"));
      }
      if (rest[0] == ' ' && dates_.contains(column)) {
        refuse_sql("databases disagree on dates; export it to python or javascript");
      }
    }
    return sum_of(sources, 0, sources.size());
  }

 private:
  std::set<std::string> set_of(const char* field) const {
    const auto names = reading_.value(field, Value::List()).texts();
    return {names.begin(), names.end()};
  }
  static std::string when(const std::string& condition, const std::string& then,
                          const std::string& otherwise) {
    return fmt::format("CASE WHEN {} THEN {} ELSE {} END", condition, then, otherwise);
  }
  void note_words(const std::string& name) {
    for (std::size_t at = 0; at < name.size(); ++at) {
      const std::string column = name.substr(0, at);
      if (name[at] == '=' && categories_.contains(column)) {
        words_[column].insert(name.substr(at + 1));
      }
    }
  }
  // Whether a cell is a word. If all words of the column could be booleans, and no other word has
  // the same meaning, the column may be one of booleans.
  std::string equals(const std::string& column, const std::string& word) const {
    const std::set<std::string>& words = words_.at(column);
    const std::string boolean = boolean_of(word);
    const bool only = std::all_of(words.begin(), words.end(), [&](const std::string& other) {
      return boolean_of(other) != "" && (other == word || boolean_of(other) != boolean);
    });
    if (boolean.empty() || boolean == word || !only) {
      return text_of(column) + " = " + sql_text(word);
    }
    return fmt::format("{} IN ({}, {})", text_of(column), sql_text(word), sql_text(boolean));
  }
  static std::string text_of(const std::string& column) {
    return fmt::format("TRIM(CAST({} AS VARCHAR))", sql_name(column));
  }
  std::string is_missing(const std::string& column) const {
    std::vector<std::string> words = na_;
    if (words.empty() && !categories_.contains(column)) {
      words = {"NA", "N/A", "NaN", "nan", "null", "NULL", "Null", "None", "none", "?", "-"};
    }
    words.insert(words.begin(), "");
    for (std::string& word : words) word = sql_text(word);
    return fmt::format("{} IS NULL OR {} IN ({})", sql_name(column), text_of(column),
                       fmt::join(words, ", "));
  }
  std::string number(const std::string& column) const {
    double mean = 0;
    if (reading_.has("means")) {
      const Record means = reading_.at("means").record();
      if (means.has(column)) mean = means.at(column).number();
    }
    return when(is_missing(column), sql_number(mean),
                fmt::format("CAST({} AS DOUBLE PRECISION)", sql_name(column)));
  }

  Record reading_;
  std::set<std::string> numbers_, categories_, dates_, indicators_;
  std::map<std::string, std::set<std::string>> words_;  // of a category column, with a weight
  std::vector<std::string> na_;
};

std::string margin_name(const Model& model, std::size_t c) {
  return model.classes.empty() ? "margin" : fmt::format("margin_{}", c + 1);
}

std::string label_text_of(const Model& model, double label) {
  if (!model.label_names.empty()) return sql_text(model.label_text(label));
  return fmt::format("{}", label);
}

// The label, given columns with margins.
std::string label_sql(const Model& model) {
  if (model.log_link) return "EXP(CASE WHEN margin > 700 THEN 700 ELSE margin END)";
  if (model.task == Task::regression) return "margin";
  if (model.classes.empty()) {
    return fmt::format("CASE WHEN margin > {} THEN {} ELSE {} END",
                       sql_number(model.threshold ? model.threshold->margin : 0),
                       label_text_of(model, model.positive_label),
                       label_text_of(model, model.negative_label));
  }
  std::string text = "CASE";
  for (std::size_t c = 0; c + 1 < model.classes.size(); ++c) {
    std::vector<std::string> wins;
    for (std::size_t other = c + 1; other < model.classes.size(); ++other) {
      wins.push_back(fmt::format("{} >= {}", margin_name(model, c), margin_name(model, other)));
    }
    text += fmt::format("\n    WHEN {} THEN {}", fmt::join(wins, " AND "),
                        label_text_of(model, model.classes[c].label));
  }
  return text + fmt::format("\n    ELSE {} END", label_text_of(model, model.classes.back().label));
}

// Beyond +-700 the exponential would overflow, which is an error in some databases.
std::string probability_sql(const Model& model) {
  if (!model.calibration) return "";
  const std::string logit = fmt::format("({} * margin + {})", sql_number(model.calibration->slope),
                                        sql_number(model.calibration->offset));
  return fmt::format(
      ",\n  CASE WHEN {0} < -700 THEN 0.0e0 ELSE 1 / (1 + EXP(-{0})) END AS probability", logit);
}

std::string table_sql(const Model& model, const std::string& table) {
  const TableSql features(model);
  std::string margins;
  const std::vector<ClassPart> parts = parts_of(model);
  for (std::size_t c = 0; c < parts.size(); ++c) {
    std::vector<std::string> terms;
    for (const Coefficient& weight : parts[c].coefficients) {
      terms.push_back(sql_number(weight.weight) + " * " + features.value(weight.name));
    }
    for (const Product& product : products_of(model)) {
      if (product.part != c) continue;
      terms.push_back(fmt::format("{} * ({} * {})", sql_number(product.weight),
                                  features.value(product.pair->first_name),
                                  features.value(product.pair->second_name)));
    }
    margins += fmt::format(",\n    {}\n    + {} AS {}", sum_of(terms, 0, terms.size()),
                           sql_number(parts[c].intercept), margin_name(model, c));
  }
  return fmt::format("FROM (\n  SELECT {0}.*{1}\n  FROM {0}\n) AS scored;\n", sql_name(table),
                     margins);
}

// What a feature is called in the entries.
std::string key_of(const Model& model, std::uint64_t index, const std::string& name) {
  return model.format == Format::libsvm ? std::to_string(index) : sql_text(name);
}

// The weights and the products, as tables of a WITH clause.
std::string weights_sql(const Model& model) {
  const std::vector<ClassPart> parts = parts_of(model);
  std::vector<std::string> weights, products;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    for (const Coefficient& weight : parts[c].coefficients) {
      weights.push_back(fmt::format("\n  ({}, {}, {})", c, key_of(model, weight.index, weight.name),
                                    sql_number(weight.weight)));
    }
  }
  for (const Product& product : products_of(model)) {
    products.push_back(fmt::format("\n  ({}, {}, {}, {})", product.part,
                                   key_of(model, product.pair->first, product.pair->first_name),
                                   key_of(model, product.pair->second, product.pair->second_name),
                                   sql_number(product.weight)));
  }
  std::vector<std::string> tables;
  if (!weights.empty()) {
    tables.push_back(fmt::format("thresh_weights(class, feature, weight) AS (VALUES{}\n)",
                                 fmt::join(weights, ",")));
  }
  if (!products.empty()) {
    tables.push_back(fmt::format("thresh_products(class, feature, other, weight) AS (VALUES{}\n)",
                                 fmt::join(products, ",")));
  }
  if (tables.empty()) refuse_sql("it has no weights");
  return fmt::format("WITH {}\n", fmt::join(tables, ",\n"));
}

// What the features of a row, and its products of two features, add to the margins.
std::string terms_sql(const Model& model, const std::string& entries) {
  const std::vector<Product> products = products_of(model);
  const bool only_products = products.size() == model.nonzeros();
  std::string terms =
      only_products
          ? fmt::format("    SELECT e.row_id, 0 AS class, 0.0e0 AS term FROM {} AS e\n", entries)
          : fmt::format(
                "    SELECT e.row_id, w.class, w.weight * e.value AS term FROM {} AS e\n"
                "    LEFT JOIN thresh_weights AS w ON w.feature = e.feature\n",
                entries);
  if (!products.empty()) {
    terms += fmt::format(
        "    UNION ALL\n"
        "    SELECT a.row_id, p.class, p.weight * (a.value * b.value) AS term\n"
        "    FROM thresh_products AS p\n"
        "    JOIN {0} AS a ON a.feature = p.feature\n"
        "    JOIN {0} AS b ON b.feature = p.other AND b.row_id = a.row_id\n",
        entries);
  }
  return terms;
}

std::string entries_sql(const Model& model, const std::string& table) {
  const std::vector<ClassPart> parts = parts_of(model);
  std::string margins;
  for (std::size_t c = 0; c < parts.size(); ++c) {
    margins +=
        fmt::format(",\n    SUM(CASE WHEN t.class = {} THEN t.term ELSE 0.0e0 END) + {} AS {}", c,
                    sql_number(parts[c].intercept), margin_name(model, c));
  }
  // The length of a row is that of all its entries, known or not.
  std::string entries = sql_name(table);
  if (model.normalize_l2) {
    entries = fmt::format(
        "(\n      SELECT row_id, feature, COALESCE(value / NULLIF(length, 0), 0.0e0) AS value FROM "
        "(\n"
        "        SELECT row_id, feature, value,\n"
        "          SQRT(SUM(value * value) OVER (PARTITION BY row_id)) AS length\n"
        "        FROM {}\n      ) AS of_length\n    )",
        entries);
  }
  return fmt::format(
      "FROM (\n  SELECT t.row_id AS row_id{}\n  FROM (\n{}  ) AS t\n"
      "  GROUP BY t.row_id\n) AS scored;\n",
      margins, terms_sql(model, entries));
}

}  // namespace

void export_sql(const Model& model, const std::string& path, const std::string& table) {
  if (model.format == Format::text || !model.column_texts.empty()) refuse_sql("it reads texts");
  const bool is_table = model.reading.has("numbers");
  const bool hashed = model.reading.value("hash_bits", 0).count() > 0;
  if (hashed) refuse_sql("its features are hashes of names");
  if (model.normalize_l2 && model.format == Format::vw) {
    refuse_sql("it scales rows to unit length");
  }
  const std::string body = is_table ? table_sql(model, table) : entries_sql(model, table);
  AtomicFile file(path);
  file.write(fmt::format(
      "-- A sparse linear model, written by thresh {}. Standard SQL.\n-- {}\n", version(),
      is_table ? "One row for each row of the table: its columns, margins and label. Columns that "
                 "the model\n-- does not use need not be there."
               : "The table of entries has the columns row_id, feature and value. A row without "
                 "entries is not in it,\n-- so it gets no answer."));
  if (!is_table) file.write(weights_sql(model));
  file.write(fmt::format("SELECT scored.*,\n  {} AS predicted{}\n", label_sql(model),
                         probability_sql(model)));
  file.write(body);
  file.commit();
}

}  // namespace thresh
