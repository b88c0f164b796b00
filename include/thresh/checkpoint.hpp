// Checkpoint: a file from which an interrupted run continues as if nothing had happened.
//
//     thresh::Checkpoint checkpoint("run.ckpt", 60, {"the", "command"});
//     options.checkpoint = &checkpoint;  // of fit(), fit_all(), train(), tune(), ...
//
// In a later process, `Checkpoint::load("run.ckpt")` takes its place; the same calls with the same
// options and data then skip what is finished and give the same results, to the byte.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thresh {

class Checkpoint {
 public:
  // A new one, to be written every so many seconds; 0: as often as possible. `command` is stored in
  // the file for its reader. Throws Error if the file is a checkpoint that is not finished.
  Checkpoint(std::string path, double seconds, std::vector<std::string> command);
  // That of an interrupted run. Throws Error if the file is damaged, or of another version of the
  // program, whose numbers may differ. Safe for any file.
  static std::unique_ptr<Checkpoint> load(const std::string& path);
  // For one of several ranks, of which the first alone has the file: a new one, or what that one
  // loaded. It writes nothing.
  static std::unique_ptr<Checkpoint> follow(const std::string& path, const std::string& bytes = "");
  // What follow() reads, of a checkpoint that was loaded.
  std::string bytes();
  // Whether a file begins as a checkpoint of any version. Throws Error if it cannot be read.
  static bool is_one(const std::string& path);

  const std::string& path() const { return path_; }
  const std::vector<std::string>& command() const { return command_; }
  bool finished() const { return finished_; }
  bool continues() const { return continues_; }  // made by load()
  void set_interval(double seconds) { seconds_ = seconds; }

  // Notes a file or folder that the run reads; others, and "", are ignored. Throws Error if it has
  // changed since the interrupted run read it.
  void watch(const std::string& input);
  // Writes the file for the first time.
  void begin();
  // A part of the state: its name, and its content unless it is to be deleted.
  using Change = std::pair<std::string, std::optional<std::string>>;
  // Writes it for the last time: all is done, and no state remains but `left`.
  void finish(std::vector<Change> left = {});

  // For the library: parts of the state, by name. Thread-safe.
  //
  // The number of the next call that trains; the same in every process.
  std::uint64_t next_call();
  std::optional<std::string> find(const std::string& part) const;
  std::vector<std::string> parts_that_begin(const std::string& name) const;
  // Whether this part has not been written for the interval.
  bool due(const std::string& part) const;
  // Replaces parts, or deletes those without content, all at once. `now`: writes the file.
  void update(std::vector<Change> changes, bool now);

 private:
  using Clock = std::chrono::steady_clock;
  struct Input {
    std::string path;
    std::uint64_t size = 0, time = 0;
    std::optional<std::uint64_t> hash;

    template <class Archive>
    void archive(Archive& a) {
      a(path, size, time, hash);
    }
  };
  explicit Checkpoint(std::string path) : path_(std::move(path)) {}
  void read(const std::string& bytes);
  void write();
  template <class Put>
  void put_content(const Put& put);
  void hash_inputs();
  template <class Archive>
  void archive_head(Archive& a);

  std::string path_;
  double seconds_ = 60;
  std::vector<std::string> command_;
  std::vector<Input> inputs_;
  bool finished_ = false;
  bool continues_ = false;
  bool follows_ = false;  // another rank writes it
  mutable std::mutex mutex_;
  std::uint64_t calls_ = 0;
  std::uint64_t writes_ = 0;
  std::map<std::string, std::string> parts_;
  std::map<std::string, Clock::time_point> written_;  // when a part was last saved
  Clock::time_point started_ = Clock::now();
};

}  // namespace thresh
