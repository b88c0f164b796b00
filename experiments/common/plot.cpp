#include "common/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace thresh::experiments {
namespace {

constexpr double kWidth = 900, kHeight = 560;
constexpr double kLeft = 80, kRight = 690, kTop = 46, kBottom = 500;
constexpr double kNameGap = 17;        // between the baselines of two names
constexpr std::size_t kDotsUpTo = 25;  // longer lines have no dots
constexpr const char* kInk = "#222222";
constexpr const char* kColors[] = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e",
                                   "#9467bd", "#8c564b", "#e377c2", "#17a2b8",
                                   "#7f7f00", "#003f8a", "#000000", "#777777"};

struct Tick {
  double value;
  bool named;
};

// One axis: its range of values, their positions, and its ticks.
class PlotAxis {
 public:
  PlotAxis(bool log, double from, double to) : log_(log), from_(from), to_(to) {}

  bool has_place_for(double value) const { return std::isfinite(value) && (!log_ || value > 0); }
  void include(double value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }

  // Extends the range to round numbers. Call it after all values are added.
  void close() {
    if (low_ > high_) low_ = high_ = 1;
    if (low_ == high_) {
      low_ = log_ ? low_ / 2 : low_ - 1;
      high_ = log_ ? high_ * 2 : high_ + 1;
    }
    if (log_) {
      low_ = round_down(low_);
      high_ = 1 / round_down(1 / high_);
    } else {
      step_ = 1 / round_down(5 / (high_ - low_));
      low_ = step_ * std::floor(low_ / step_ + 1e-9);
      high_ = step_ * std::ceil(high_ / step_ - 1e-9);
    }
  }

  double place(double value) const {
    const double share =
        log_ ? std::log(value / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
    return from_ + (to_ - from_) * share;
  }

  std::vector<Tick> ticks() const {
    std::vector<Tick> ticks;
    if (!log_) {
      const auto count = static_cast<int>(std::lround((high_ - low_) / step_));
      for (int i = 0; i <= count; ++i) ticks.push_back({low_ + i * step_, true});
      return ticks;
    }
    const bool few = high_ / low_ < 150;  // decades: there is room to label values between them
    for (double decade = std::pow(10, std::floor(std::log10(low_) + 1e-9)); decade < high_ * 1.01;
         decade *= 10) {
      for (int digit = 1; digit < 10; ++digit) {
        const double value = digit * decade;
        if (value < low_ * 0.999 || value > high_ * 1.001) continue;
        ticks.push_back({value, digit == 1 || (few && (digit == 2 || digit == 5))});
      }
    }
    return ticks;
  }

  std::string name(double value) const {
    if (!log_) return fmt::format("{:.6g}", std::fabs(value) < 1e-9 * step_ ? 0 : value);
    const double exponent = std::floor(std::log10(std::fabs(value)) + 1e-9);
    if (exponent > -4 && exponent < 5) return fmt::format("{:.6g}", value);
    const double digit = std::round(value / std::pow(10, exponent));
    return fmt::format("{}10<tspan dy=\"-5\" font-size=\"10\">{:.0f}</tspan>",
                       digit == 1 ? "" : fmt::format("{:.0f}&#183;", digit), exponent);
  }

 private:
  // The largest of 1, 2, 5, 10, ... up to `value`.
  static double round_down(double value) {
    const double decade = std::pow(10, std::floor(std::log10(value) + 1e-9));
    const double digit = value / decade * (1 + 1e-9);
    return decade * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
  }

  bool log_;
  double from_, to_;  // positions
  double low_ = 1e300, high_ = -1e300;
  double step_ = 1;
};

std::string escaped(const std::string& words) {
  std::string text;
  for (const char c : words) {
    text += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return text;
}

class Drawing {
 public:
  explicit Drawing(const Figure& figure)
      : x_(figure.log_x, kLeft, kRight), y_(figure.log_y, kBottom, kTop) {
    for (const Series& series : figure.series) add(series);
    x_.close();
    y_.close();
    svg_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        kWidth, kHeight);
    text(kLeft, 26, "start", kInk, escaped(figure.title), 16);
    text((kLeft + kRight) / 2, kHeight - 14, "middle", kInk, escaped(figure.x));
    svg_ += fmt::format("<g transform=\"translate(20 {}) rotate(-90)\">", (kTop + kBottom) / 2);
    text(0, 0, "middle", kInk, escaped(figure.y));
    svg_ += "</g>\n";
    draw_grid();
    for (const Line& line : lines_) draw_line(line);
    draw_names();
    svg_ += "</svg>\n";
  }

  std::string svg() && { return std::move(svg_); }

 private:
  struct Line {
    const Series* series;
    std::vector<std::pair<double, double>> points;
    const char* color;
  };

  void add(const Series& series) {
    Line line{&series, {}, kColors[lines_.size() % std::size(kColors)]};
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!x_.has_place_for(series.x[i]) || !y_.has_place_for(series.y[i])) continue;
      line.points.emplace_back(series.x[i], series.y[i]);
      x_.include(series.x[i]);
      y_.include(series.y[i]);
    }
    if (!line.points.empty()) lines_.push_back(std::move(line));
  }

  void text(double x, double y, const char* anchor, const std::string& color,
            const std::string& words, int size = 13) {
    svg_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\" "
        "font-size=\"{}\">{}</text>\n",
        x, y, anchor, color, size, words);
  }

  void rule(double x1, double y1, double x2, double y2, const char* color) {
    svg_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, color);
  }

  void draw_grid() {
    for (const Tick& tick : x_.ticks()) {
      const double x = x_.place(tick.value);
      rule(x, kTop, x, kBottom, tick.named ? "#cccccc" : "#f2f2f2");
      if (tick.named) text(x, kBottom + 20, "middle", kInk, x_.name(tick.value));
    }
    for (const Tick& tick : y_.ticks()) {
      const double y = y_.place(tick.value);
      rule(kLeft, y, kRight, y, tick.named ? "#cccccc" : "#f2f2f2");
      if (tick.named) text(kLeft - 8, y + 4, "end", kInk, y_.name(tick.value));
    }
  }

  void draw_line(const Line& line) {
    std::string points;
    for (const auto& [x, y] : line.points) {
      points += fmt::format("{:.1f},{:.1f} ", x_.place(x), y_.place(y));
    }
    svg_ +=
        fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{} points=\"{}\"/>\n",
                    line.color, line.series->dashed ? " stroke-dasharray=\"6 4\"" : "", points);
    if (line.points.size() > kDotsUpTo) return;
    for (const auto& [x, y] : line.points) {
      svg_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                          x_.place(x), y_.place(y), line.color);
    }
  }

  // Places names from the bottom up, each as close to the end of its line as those below allow.
  // Names above the top of the plot are moved down and push the others.
  void draw_names() {
    const auto end = [&](const Line* line) { return y_.place(line->points.back().second); };
    std::vector<const Line*> order;
    for (const Line& line : lines_) order.push_back(&line);
    std::stable_sort(order.begin(), order.end(),
                     [&](const Line* a, const Line* b) { return end(a) > end(b); });
    std::vector<double> places(order.size());
    double free = kBottom;
    for (std::size_t i = 0; i < order.size(); ++i) {
      places[i] = std::min(end(order[i]), free);
      free = places[i] - kNameGap;
    }
    double ceiling = kTop;
    for (std::size_t i = order.size(); i-- > 0;) {
      places[i] = std::max(places[i], ceiling);
      ceiling = places[i] + kNameGap;
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double last = x_.place(order[i]->points.back().first);
      rule(std::max(last + 3, kRight - 40), end(order[i]), kRight + 22, places[i], order[i]->color);
      text(kRight + 26, places[i] + 4, "start", order[i]->color, escaped(order[i]->series->name));
    }
  }

  PlotAxis x_, y_;
  std::vector<Line> lines_;
  std::string svg_;
};

}  // namespace

std::string draw(const Figure& figure) {
  return Drawing(figure).svg();
}

}  // namespace thresh::experiments
