// SPDX-License-Identifier: Apache-2.0
//
// The resumption of tables: the work that an evaluation need not repeat when the state has changed.
//
// A loop protocol reaches a tool through a relation that grows by a row with each reply, so its
// table is answered anew at each timestep, and takes the same rows through the same rules. Two
// things make this cost only what is new, and give the same rows in the same order:
//
//   - The rows of a table that came from the store, all of them, are the first of the next table
//     for the same call: rows of the store are appended. The table goes on from there.
//   - A rule whose plan begins with a loop over the rows of a table or of the store has *settled*
//     a prefix of these rows: what they gave depends on nothing but the row and on parts of the
//     store that have not changed, and they left nothing that the table would have to keep: no
//     call that is waited for, nothing lacking, nothing shown. The loop goes on behind them.
//     Of the rows behind, those that left nothing but calls without a reply wait for these again,
//     as long as what they read is the same.
//
// The parts of the store that were read are recorded by key, so that a new row invalidates only
// what would have found it. Where a clause reads anything else (the time, the truth of a goal, a
// call without a reply, a table of a recursive group), its row is not settled.
//
// Recorded from the second evaluation of a long loop on: an evaluation that is not repeated costs
// nothing. Plain data; the Machine records, the Solver decides what lasts.
#ifndef RPL_INTERP_EVAL_RESUMPTION_H_
#define RPL_INTERP_EVAL_RESUMPTION_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "interp/eval/evaluation.h"
#include "interp/store/relation_id.h"
#include "interp/store/row_set.h"
#include "interp/store/value.h"

namespace rpl {

class Store;
struct Groups;
struct Step;
struct Table;

/// What an evaluation read of the store.
struct Reads {
  enum class What : std::uint8_t {
    kFound,  // rows that it had found, which stay
    kProbe,  // the rows with these values in `columns`
    kAll,    // every row
  };
  struct One {
    RelationId relation;
    What what;
    Columns columns = 0;
    std::uint64_t hash = 0;  // of the values
  };

  std::vector<One> all;
  std::vector<const Table*> tables;  // what they read, too: complete ones, of the same evaluation
  bool known = true;                 // false: it read more than the store, or what is not recorded

  void Found(RelationId relation) { Add({relation, What::kFound}); }
  void All(RelationId relation) { Add({relation, What::kAll}); }
  void Probe(RelationId relation, Columns columns, std::span<const Value> key) {
    if (columns == 0) return All(relation);
    all.push_back({relation, What::kProbe, columns, RowSet::HashOf(key)});
  }
  void Of(const Table& table) {
    if (tables.empty() || tables.back() != &table) tables.push_back(&table);
  }
  void Add(const Reads& more) {
    all.insert(all.end(), more.all.begin(), more.all.end());
    tables.insert(tables.end(), more.tables.begin(), more.tables.end());
    known = known && more.known;
  }

 private:
  void Add(One one) {
    if (all.empty() || all.back().relation != one.relation || all.back().what != one.what)
      all.push_back(one);
  }
};

/// Reads of many evaluations together, with the state of the store at their time.
class ReadSet {
 public:
  /// REQUIRES: their tables, and those that these read, have known reads.
  void Add(const Reads& reads, const Store& store);
  /// The tables before are no more.
  void ForgetTables() { added_.clear(); }
  /// Whether all of them would read the same now. Rows of the store that were compared once are
  /// not compared again: after false, the set is of no use.
  bool StillHolds(const Store& store);

 private:
  struct Probed {
    Columns columns;
    std::unordered_set<std::uint64_t> hashes;
  };
  struct Of {
    RelationId relation;
    std::uint32_t epoch;
    RowId size;        // rows that were compared
    bool all = false;  // every row was read
    std::vector<Probed> probed;
  };
  Of& At(RelationId relation, const Store& store);
  void AddOwn(const Reads& reads, const Store& store);

  std::vector<Of> of_;
  std::unordered_set<const Table*> added_;
};

/// A row of a loop, behind the settled ones, that gave nothing and waits for calls.
struct WaitingRow {
  struct For {
    OpenCall call;
    Waiting::Of of;
  };
  ReadSet reads;  // that the calls have no reply is among them
  std::vector<For> calls;
  std::size_t unknown_ends = 0;  // Frame::unknown_ends
  std::size_t depth = 0;         // of the calls nested in it
};

/// The loop with which the plan of a rule begins, for one table, or that of a constraint.
struct RuleLoop {
  const void* owner = nullptr;
  const Step* step = nullptr;
  std::uint64_t source = 0;  // the rows that it runs over: Lasting::rows of a table, or an epoch
  std::size_t next = 0;      // the rows before this one are settled
  ReadSet reads;             // of the settled rows
  std::size_t depth = 0;     // of the calls nested in them
  bool ended = false;        // in this evaluation: a row came that is not settled
  std::map<std::size_t, WaitingRow> waiting;  // by row; they wait again while they read the same

  // The state of the frame behind the last settled row (interp/eval/machine.h).
  std::size_t emitted = 0;
  std::size_t repeated = 0;
  bool used = false;  // some answer rests on a row of the loop
  const Step* deepest = nullptr;
  std::vector<Value> snapshot;
  std::string note;
  std::shared_ptr<Groups> groups;  // of a rule that gathers: those of the settled rows, or null

  /// No row is settled any more.
  void Restart() {
    RuleLoop none;
    none.owner = owner;
    none.step = step;
    *this = std::move(none);
  }
};

/// What a table leaves to the next one for the same call.
struct Lasting {
  std::uint64_t rows = 0;  // a number for these rows; rows with another number are others
  bool scanned = false;    // the following four are set
  RowId scanned_to = 0;    // the rows of the store before this one were taken
  std::uint32_t epoch = 0;
  std::size_t from_store = 0;  // rows of the table that came from the store: the first ones
  std::deque<RuleLoop> loops;
};

/// What was recorded about a table.
struct TableRecord {
  Reads reads;                       // while reads are recorded
  std::unique_ptr<Lasting> lasting;  // of a table that is long, or whose rules loop for long
};

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_RESUMPTION_H_
