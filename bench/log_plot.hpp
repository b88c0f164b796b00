// A log-log plot as an SVG file: lines with their names at the right end.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

class LogPlot {
 public:
  struct Line {
    std::string name;
    std::vector<std::pair<double, double>> points;
    std::string color;
    bool dashed = false;
  };

  LogPlot(std::string title, std::string x_name, std::string y_name)
      : title_(std::move(title)), x_name_(std::move(x_name)), y_name_(std::move(y_name)) {}

  void add(Line line) { lines_.push_back(std::move(line)); }

  void write(const std::string& path) {
    find_range();
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        kWidth, kHeight);
    text(kLeft, 26, "start", "#222222", title_, 16);
    text((kLeft + kRight) / 2, kHeight - 14, "middle", "#222222", x_name_);
    text_ += fmt::format("<g transform=\"translate(20 {}) rotate(-90)\">", (kTop + kBottom) / 2);
    text(0, 0, "middle", "#222222", y_name_);
    text_ += "</g>\n";
    draw_grid();
    for (const Line& line : lines_) draw(line);
    draw_names();
    text_ += "</svg>\n";
    std::FILE* file = std::fopen(path.c_str(), "w");
    const bool written = file != nullptr && std::fputs(text_.c_str(), file) >= 0;
    if (file == nullptr || std::fclose(file) != 0 || !written) {
      std::fprintf(stderr, "cannot write %s\n", path.c_str());
    }
  }

 private:
  static constexpr double kWidth = 900, kHeight = 560;
  static constexpr double kLeft = 80, kRight = 700, kTop = 46, kBottom = 500;
  static constexpr double kNameGap = 17;  // between the baselines of two names

  void find_range() {
    low_ = {1e300, 1e300};
    high_ = {0, 0};
    for (const Line& line : lines_) {
      for (const auto& [x, y] : line.points) {
        low_ = {std::min(low_.first, x), std::min(low_.second, y)};
        high_ = {std::max(high_.first, x), std::max(high_.second, y)};
      }
    }
    low_.second = std::pow(10, std::floor(std::log10(low_.second)));
    high_.second = std::pow(10, std::ceil(std::log10(high_.second)));
  }

  static double place(double value, double low, double high, double from, double to) {
    return from + (to - from) * std::log(value / low) / std::log(high / low);
  }
  double at_x(double x) const { return place(x, low_.first, high_.first, kLeft, kRight); }
  double at_y(double y) const { return place(y, low_.second, high_.second, kBottom, kTop); }

  void text(double x, double y, const char* anchor, const std::string& color,
            const std::string& words, int size = 13) {
    text_ += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\" "
        "font-size=\"{}\">{}</text>\n",
        x, y, anchor, color, size, words);
  }

  void rule(double x1, double y1, double x2, double y2, const char* color) {
    text_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, color);
  }

  void draw_grid() {
    for (double x = low_.first; x < high_.first * 1.01; x *= 10) {
      rule(at_x(x), kTop, at_x(x), kBottom, "#dddddd");
      text(at_x(x), kBottom + 20, "middle", "#222222",
           fmt::format("10<tspan dy=\"-5\" font-size=\"10\">{:.0f}</tspan>", std::log10(x)));
    }
    for (double y = low_.second; y < high_.second * 1.01; y *= 10) {
      for (int digit = 2; digit < 10 && y * digit < high_.second; ++digit) {
        rule(kLeft, at_y(y * digit), kRight, at_y(y * digit), "#f2f2f2");
      }
      rule(kLeft, at_y(y), kRight, at_y(y), "#cccccc");
      text(kLeft - 8, at_y(y) + 4, "end", "#222222", fmt::format("{:g}", y));
    }
  }

  void draw(const Line& line) {
    std::string points;
    for (const auto& [x, y] : line.points)
      points += fmt::format("{:.1f},{:.1f} ", at_x(x), at_y(y));
    text_ +=
        fmt::format("<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{} points=\"{}\"/>\n",
                    line.color, line.dashed ? " stroke-dasharray=\"6 4\"" : "", points);
    for (const auto& [x, y] : line.points) {
      text_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", at_x(x),
                           at_y(y), line.color);
    }
  }

  // From the lowest up, each name as near to its line's end as those below leave room for.
  void draw_names() {
    std::vector<const Line*> order;
    for (const Line& line : lines_) order.push_back(&line);
    std::sort(order.begin(), order.end(), [](const Line* a, const Line* b) {
      return a->points.back().second < b->points.back().second;
    });
    double free = kBottom;
    for (const Line* line : order) {
      const double end = at_y(line->points.back().second);
      const double y = std::min(end, free);
      free = y - kNameGap;
      rule(kRight + 5, end, kRight + 22, y, line->color.c_str());
      text(kRight + 26, y + 4, "start", line->color, line->name);
    }
  }

  std::string title_, x_name_, y_name_;
  std::vector<Line> lines_;
  std::pair<double, double> low_, high_;
  std::string text_;
};
