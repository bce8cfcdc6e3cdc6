// SPDX-License-Identifier: Apache-2.0
//
// Writes the facts that the programs of bench/programs/ run over, the same bytes on every
// machine: bench_generate FOLDER.
//
// For each workload NAME, what its engines read: NAME.rpl (RPL), NAME.pl (Prolog), NAME.lp
// (gringo), NAME/RELATION.facts (tab-separated, for Souffle) and NAME/RELATION.csv (for rpl with
// --facts). All hold the same rows in the same order. Only std::mt19937 makes numbers, without the
// library's distributions, whose results the standard leaves open.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace {

using Value = std::variant<std::int64_t, std::string>;

/// The facts of one workload, in each language. Strings hold no quotes, braces, tabs or
/// backslashes.
class Facts {
 public:
  Facts(const std::filesystem::path& folder, const std::string& name)
      : tables_(folder / name),
        rpl_(folder / (name + ".rpl")),
        prolog_(folder / (name + ".pl")),
        gringo_(folder / (name + ".lp")) {
    std::filesystem::create_directories(tables_);
  }

  /// `relation` is a name that all of them can write: lower case letters only. Rows of one
  /// relation stand together, as Prolog wants them.
  void Row(const std::string& relation, const std::vector<Value>& row) {
    Write(rpl_, relation, row, "\"", ", ", ")\n");
    Write(prolog_, relation, row, "'", ",", ").\n");  // an atom: strings are not indexed
    Write(gringo_, relation, row, "\"", ",", ").\n");
    if (!table_.is_open() || relation != relation_) {
      table_ = std::ofstream(tables_ / (relation + ".facts"));
      csv_ = std::ofstream(tables_ / (relation + ".csv"));
      for (std::size_t i = 0; i < row.size(); ++i) csv_ << (i > 0 ? ",c" : "c") << i;
      csv_ << '\n';
      relation_ = relation;
    }
    WriteCells(table_, row, "", "\t");
    table_ << '\n';
    WriteCells(csv_, row, "\"", ",");
    csv_ << '\n';
  }

  /// Whether all of it was written.
  bool Close() {
    bool good = true;
    for (std::ofstream* file : {&rpl_, &prolog_, &gringo_, &table_, &csv_}) {
      file->close();
      good = good && !file->fail();
    }
    return good;
  }

 private:
  static void Write(std::ofstream& out, const std::string& relation, const std::vector<Value>& row,
                    std::string_view quote, std::string_view comma, std::string_view end) {
    out << relation << '(';
    WriteCells(out, row, quote, comma);
    out << end;
  }
  static void WriteCells(std::ofstream& out, const std::vector<Value>& row, std::string_view quote,
                         std::string_view comma) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out << comma;
      if (const auto* text = std::get_if<std::string>(&row[i])) out << quote << *text << quote;
      else out << std::get<std::int64_t>(row[i]);
    }
  }

  std::filesystem::path tables_;
  std::ofstream rpl_, prolog_, gringo_, table_, csv_;
  std::string relation_;
};

class Random {
 public:
  explicit Random(std::uint32_t seed) : next_(seed) {}

  /// From 0 to `end` - 1, each as likely.
  std::int64_t Below(std::int64_t end) { return static_cast<std::int64_t>(next_()) * end >> 32; }

  /// From 0 to `end` - 1, small ones more likely: the density falls as a power of it.
  std::int64_t Skewed(std::int64_t end, int power) {
    std::int64_t least = Below(end);
    for (int i = 1; i < power; ++i) least = least * Below(end) / end;
    return least;
  }

 private:
  std::mt19937 next_;
};

using Pair = std::pair<std::int64_t, std::int64_t>;

/// A directed graph, as likely to have one edge as another; an edge once.
void RandomGraph(Facts& facts, Random& random, std::int64_t nodes, std::size_t edges) {
  std::set<Pair> seen;
  while (seen.size() < edges) {
    const std::int64_t from = random.Below(nodes);
    const std::int64_t to = random.Below(nodes);
    if (seen.emplace(from, to).second) facts.Row("edge", {from, to});
  }
}

void Closure(Facts& facts) {
  Random random(1);
  RandomGraph(facts, random, 1990, 3980);
}

/// Trees of eight generations; who has children has one to three.
void Generations(Facts& facts) {
  Random random(2);
  std::int64_t people = 0;
  for (int tree = 0; tree < 90; ++tree) {
    std::vector<std::int64_t> parents = {people++};
    for (int generation = 1; generation < 8; ++generation) {
      std::vector<std::int64_t> children;
      for (const std::int64_t parent : parents)
        for (std::int64_t child = random.Below(3); child >= 0; --child) {
          children.push_back(people);
          facts.Row("parent", {parent, people++});
        }
      parents = std::move(children);
    }
  }
}

/// The statements of a program: variables are assigned, mostly from near ones.
void PointsTo(Facts& facts) {
  constexpr std::int64_t kVariables = 5000;
  constexpr std::int64_t kObjects = 2000;
  constexpr std::int64_t kFields = 30;
  Random random(3);
  const auto near = [&](std::int64_t variable) {
    return (variable + random.Skewed(kVariables, 3)) % kVariables;
  };
  for (std::int64_t object = 0; object < kObjects; ++object)
    facts.Row("alloc", {random.Below(kVariables), object});
  for (int i = 0; i < 5900; ++i) {
    const std::int64_t to = random.Below(kVariables);
    facts.Row("assign", {to, near(to)});
  }
  for (int i = 0; i < 100; ++i) {
    const std::int64_t to = random.Below(kVariables);
    facts.Row("load", {to, near(to), random.Below(kFields)});
  }
  for (int i = 0; i < 50; ++i) {
    const std::int64_t base = random.Below(kVariables);
    facts.Row("store", {base, random.Below(kFields), near(base)});
  }
}

/// The share of a node in the edges that come and in those that leave falls as its number
/// grows: nodes in [2^k, 2^(k+1)) together have the same for each k. So two edges in a row
/// are many, and a third that closes them is rare.
void Triangles(Facts& facts) {
  Random random(4);
  const auto node = [&] {
    const std::int64_t first = std::int64_t{1} << random.Below(16);
    return first - 1 + random.Below(first);
  };
  std::set<Pair> seen;
  while (seen.size() < 162'000) {
    const std::int64_t from = node();
    const std::int64_t to = node();
    if (from != to && seen.emplace(from, to).second) facts.Row("edge", {from, to});
  }
}

/// Nodes in groups of different sizes, and edges such that some half of them is reached.
void Unreached(Facts& facts) {
  constexpr std::int64_t kNodes = 200'000;
  Random random(5);
  for (std::int64_t node = 0; node < kNodes; ++node)
    facts.Row("node", {node, random.Skewed(20'000, 2)});
  for (std::int64_t start = 0; start < 50; ++start) facts.Row("start", {start});
  RandomGraph(facts, random, kNodes, 300'000);
}

std::string Numbered(std::string_view prefix, std::int64_t number) {
  const std::string digits = std::to_string(number);
  return std::string(prefix) + std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

void Orders(Facts& facts) {
  const char* notes[] = {"leave it at the door",   "call before delivery", "gift wrap", "none",
                         "deliver in the morning", "second floor, no lift"};
  Random random(6);
  for (std::int64_t order = 0; order < 1'000'000; ++order)
    facts.Row("order",
              {order, Numbered("customer-", random.Below(100'000)),
               Numbered("product-", random.Below(10'000)), notes[random.Below(std::size(notes))]});
  for (std::int64_t i = 0; i < 2000; ++i) facts.Row("preferred", {Numbered("customer-", 50 * i)});
  for (std::int64_t i = 0; i < 1000; ++i) facts.Row("recalled", {Numbered("product-", 7 * i)});
}

/// Requests to 2,000 hosts, of which 1,000 have an owner; one in five failed.
void Lines(Facts& facts) {
  const char* codes[] = {"200", "200", "204", "304", "503"};
  Random random(7);
  for (std::int64_t line = 0; line < 200'000; ++line)
    facts.Row("line", {line, "2026-03-" + std::to_string(10 + random.Below(20)) + " " +
                                 Numbered("host-", random.Below(2000)) + " GET /item/" +
                                 std::to_string(random.Below(100'000)) + " " +
                                 codes[random.Below(std::size(codes))] + " " +
                                 std::to_string(random.Below(900)) + "ms"});
  for (std::int64_t host = 0; host < 1000; ++host)
    facts.Row("owner", {Numbered("host-", 2 * host), Numbered("team-", random.Below(40))});
}

/// A tree of 10,000 nodes, each below one of the 800 before it.
void Queries(Facts& facts) {
  Random random(8);
  for (std::int64_t node = 1; node < 10'000; ++node) {
    const std::int64_t back = 1 + random.Below(std::min<std::int64_t>(node, 800));
    facts.Row("parent", {node, node - back});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench_generate FOLDER\n");
    return 2;
  }
  const std::pair<const char*, void (*)(Facts&)> workloads[] = {
      {"tc", Closure},    {"sg", Generations}, {"pt", PointsTo}, {"tri", Triangles},
      {"neg", Unreached}, {"wide", Orders},    {"str", Lines},   {"goals", Queries}};
  std::filesystem::create_directories(argv[1]);
  for (const auto& [name, write] : workloads) {
    Facts facts(argv[1], name);
    write(facts);
    if (!facts.Close()) {
      std::fprintf(stderr, "bench_generate: cannot write %s in %s\n", name, argv[1]);
      return 1;
    }
  }
  return 0;
}
