#include "select/lane.hpp"

#include <algorithm>

#include "data/feed/matrix.hpp"
#include "sparse/parallel.hpp"

namespace thresh {

void Lane::drive(const std::vector<std::size_t>& numbers) {
  members_.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) members_[i].number = numbers[i];
  for (Member& member : members_) {
    guarded(member, [&] { make(member); });
  }
  show_rows();
  let_work();
  finish();
}

void Lane::make(Member& member) {
  const Options& options = candidates_[member.number];
  check_options(options);
  Observer* observer = observers_.empty() ? nullptr : observers_[member.number];
  member.run = std::make_unique<Run>(problem_, options,
                                     observer != nullptr ? *observer : member.nobody, files_);
  member.run->begin();
}

void Lane::for_each(const std::vector<Member*>& members, const Work& work) {
  const auto one = [&](std::size_t i) { work(*members[i]); };
  if (inside_) {
    parallel_for(members.size(), one);
  } else {
    for (std::size_t i = 0; i < members.size(); ++i) one(i);
  }
}

std::vector<Lane::Member*> Lane::learning(bool rows) {
  std::vector<Member*> found;
  for (Member& member : members_) {
    if (member.run && !member.run->over() && member.run->takes_rows() == rows) {
      found.push_back(&member);
    }
  }
  return found;
}

void Lane::show_rows() {
  std::vector<Member*> left = learning(true);
  if (left.empty()) return;
  std::uint64_t passes = 0;
  for (const Member* member : left) passes = std::max(passes, member->run->passes());
  const RunSetup& setup = left.front()->run->setup();
  const Options& options = candidates_[left.front()->number];
  try {
    Feeder feeder(
        setup.train, setup.training,
        {.order = options.order, .seed = options.seed, .passes = passes, .memory = options.memory});
    for (Window window; !left.empty() && feeder.next(window);) {
      for_each(left, [&](Member& member) { learn(member, [&] { member.run->show(window); }); });
      left = learning(true);
    }
  } catch (...) {  // an error in the rows concerns all members that still learn
    for (Member* member : left) {
      learn(*member, [] { throw; });
    }
  }
}

void Lane::let_work() {
  const std::vector<Member*> left = learning(false);
  if (left.empty()) return;
  std::shared_ptr<const Matrix> matrix;
  try {
    const RunSetup& setup = left.front()->run->setup();
    const bool rows = std::any_of(left.begin(), left.end(), [](const Member* member) {
      return member->run->wants_rows_in_memory();
    });
    matrix = std::make_shared<const Matrix>(
        setup.train, setup.training, *problem_.features, std::vector<std::uint32_t>{},
        rows ? Matrix::Layout::rows_and_columns : Matrix::Layout::columns);
  } catch (...) {
    for (Member* member : left) {
      learn(*member, [] { throw; });
    }
    return;
  }
  for_each(left, [&](Member& member) { learn(member, [&] { member.run->work(matrix); }); });
}

// Scores all ended members together, so that their rows are read once.
void Lane::finish() {
  std::vector<Member*> ended;
  for (Member& member : members_) {
    if (member.run) guarded(member, [&] { member.run->close(); });
    if (member.run) ended.push_back(&member);
  }
  std::vector<EndScores> scores(members_.size());
  try {
    score_ended(ended, scores);
  } catch (...) {
    for (Member* member : ended) {
      guarded(*member, [] { throw; });
    }
    return;
  }
  for_each(ended, [&](Member& member) {
    guarded(member, [&] {
      const auto i = static_cast<std::size_t>(&member - members_.data());
      attempts_[member.number].result = member.run->finish(scores[i]);
    });
    member.run.reset();
  });
}

void Lane::score_ended(const std::vector<Member*>& ended, std::vector<EndScores>& scores) {
  std::vector<std::size_t> traced, validated;
  for (const Member* member : ended) {
    const auto i = static_cast<std::size_t>(member - members_.data());
    if (member->run->wants_trace()) traced.push_back(i);
    if (member->run->setup().validation) validated.push_back(i);
  }
  if (!traced.empty()) {
    const RunSetup& setup = members_[traced.front()].run->setup();
    const auto found = score_all(solvers_of(traced), setup.train, setup.training);
    for (std::size_t k = 0; k < traced.size(); ++k) scores[traced[k]].train = found[k];
  }
  if (!validated.empty()) {
    const RunSetup& setup = members_[validated.front()].run->setup();
    const auto found = score_all(solvers_of(validated), setup.validate, *setup.validation);
    for (std::size_t k = 0; k < validated.size(); ++k) scores[validated[k]].valid = found[k];
  }
}

std::vector<Solver*> Lane::solvers_of(const std::vector<std::size_t>& members) {
  std::vector<Solver*> solvers;
  solvers.reserve(members.size());
  for (const std::size_t i : members) solvers.push_back(&members_[i].run->solver());
  return solvers;
}

}  // namespace thresh
