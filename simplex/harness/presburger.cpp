// Answers the problems of `examples/compare` with MLIR's Presburger library; the format is that of `isl.c`.

#include <ctime>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "mlir/Analysis/Presburger/IntegerRelation.h"
#include "mlir/Analysis/Presburger/PresburgerRelation.h"
#include "mlir/Analysis/Presburger/Simplex.h"

using namespace mlir::presburger;
using llvm::DynamicAPInt;

/// A tableau whose pivots can be asked for one by one.
struct PivotedSimplex : Simplex {
  using Simplex::Simplex;
  void row(const std::vector<DynamicAPInt> &coefficients) { addRow(coefficients); }
  void pivotAt(unsigned row, unsigned column) { pivot(row, column); }
};

struct Problem {
  std::unique_ptr<IntegerPolyhedron> set;
  std::vector<DynamicAPInt> objective;
  std::unique_ptr<PresburgerSet> all;
  std::unique_ptr<PivotedSimplex> simplex;
  std::vector<std::pair<unsigned, unsigned>> positions;
  std::string answer;
};

static int64_t number() {
  int64_t value;
  if (!(std::cin >> value))
    exit(2);
  return value;
}

static std::vector<DynamicAPInt> numbers(int64_t count) {
  std::vector<DynamicAPInt> values;
  for (int64_t at = 0; at < count; ++at)
    values.emplace_back(number());
  return values;
}

static IntegerPolyhedron readSet(int64_t variables) {
  IntegerPolyhedron set(PresburgerSpace::getSetSpace(variables));
  int64_t count = number(), equalities = number();
  for (int64_t row = 0; row < count; ++row) {
    std::vector<DynamicAPInt> values = numbers(variables + 1);
    row < equalities ? set.addEquality(values) : set.addInequality(values);
  }
  return set;
}

static void read(const std::string &kind, Problem &problem) {
  int64_t variables = number();
  if (kind == "pivot") {
    problem.simplex = std::make_unique<PivotedSimplex>(variables);
    for (int64_t rows = number(); rows > 0; --rows) {
      std::vector<DynamicAPInt> row = numbers(variables + 1);
      // Here the constant comes first, in MLIR last.
      std::rotate(row.begin(), row.begin() + 1, row.end());
      problem.simplex->row(row);
    }
    for (int64_t count = number(); count > 0; --count) {
      unsigned row = number(), column = number();
      // Columns begin with the denominator and the constant.
      problem.positions.emplace_back(row, column + 2);
    }
  } else if (kind == "coalesce") {
    problem.all = std::make_unique<PresburgerSet>(
        PresburgerSet::getEmpty(PresburgerSpace::getSetSpace(variables)));
    for (int64_t sets = number(); sets > 0; --sets)
      problem.all->unionInPlace(readSet(variables));
  } else {
    problem.set = std::make_unique<IntegerPolyhedron>(readSet(variables));
    if (kind == "optimum") {
      problem.objective = numbers(variables);
      problem.objective.emplace_back(0);
    }
  }
}

static std::string fraction(const Fraction &value) {
  DynamicAPInt common = llvm::gcd(llvm::abs(value.num), value.den);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << value.num / common;
  if (value.den != common)
    stream << "/" << value.den / common;
  return stream.str();
}

static std::string solve(Problem &problem) {
  if (problem.simplex) {
    for (auto [row, column] : problem.positions)
      problem.simplex->pivotAt(row, column);
    return "done";
  }
  if (problem.all)
    return std::to_string(problem.all->coalesce().getNumDisjuncts());
  if (problem.objective.empty())
    return problem.set->isIntegerEmpty() ? "empty" : "point";
  Simplex simplex(*problem.set);
  if (simplex.isEmpty())
    return "empty";
  auto optimum = simplex.computeOptimum(Simplex::Direction::Down, problem.objective);
  return optimum.isBounded() ? fraction(*optimum) : "unbounded";
}

/// The CPU time of this thread, in nanoseconds.
static uint64_t now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return uint64_t(time.tv_sec) * 1000000000u + time.tv_nsec;
}

static void evict() {
  static std::vector<char> memory(64 << 20, 1);
  volatile char *at = memory.data();
  for (size_t offset = 0; offset < memory.size(); offset += 64)
    (void)at[offset];
}

int main() {
  std::ios::sync_with_stdio(false);
  std::string kind, mode;
  while (std::cin >> kind >> mode) {
    int64_t count = number(), times = number();
    std::vector<Problem> problems(count);
    uint64_t total = 0;
    for (Problem &problem : problems)
      read(kind, problem);
    for (Problem &problem : problems) {
      if (mode == "cold")
        evict();
      uint64_t begin = now();
      for (int64_t time = 0; time < times; ++time)
        problem.answer = solve(problem);
      total += now() - begin;
    }
    std::cout << total << "\n";
    for (const Problem &problem : problems)
      std::cout << problem.answer << "\n";
    std::cout.flush();
  }
}
