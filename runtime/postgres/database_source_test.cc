// SPDX-License-Identifier: Apache-2.0
//
// Relations of a database as sources: parts of them next to all of their rows, and snapshots.
#include "runtime/tools/database_source.h"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "grammar/parser.h"
#include "interp/program/novelty_walk.h"
#include "interp/testing/testing.h"
#include "runtime/facts/source_facts.h"
#include "runtime/postgres/test_cluster.h"
#include "runtime/tools/tool_config.h"

namespace rpl {
namespace {

using testing::TestCluster;

Value ValueIn(Pool& pool, const std::string& text) {
  Sources sources;
  Diagnostics ignored;
  const std::uint32_t file = sources.Add("value", text);
  const auto term = ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
  return term ? GroundValue(pool, *term) : kNone;
}

// A database with one table of one column, and the variable RPL_TEST_SOURCE with its URL.
struct OneColumn {
  OneColumn(TestCluster& cluster, const std::string& type, const std::string& values) {
    database = cluster.NewDatabase();
    if (type == "mood") cluster.Run("CREATE TYPE mood AS ENUM ('good', 'bad')", database);
    cluster.Run("CREATE TABLE t (id serial, \"a$C\" " + type + ")", database);
    cluster.Run("INSERT INTO t (\"a$C\") VALUES " + values, database);
    setenv("RPL_TEST_SOURCE", cluster.Url(database).c_str(), 1);
    relation = {"r", "RPL_TEST_SOURCE", "\"t\"", "SELECT * FROM \"t\" -- a comment", false, true};
  }
  std::string database;
  DatabaseRelation relation;
};

// The rows as values, selected by the second column if `with` is one.
std::vector<std::string> RowsOf(const RelationRows& rows, Value with, Pool& pool) {
  std::vector<std::string> out;
  CHECK(rows.message == "");
  Sources sources;
  Store store(pool);
  Diagnostics found;
  const std::uint32_t file = sources.Add(rows.source.name, rows.source.text);
  const Novelty facts = ReadSource(sources, file, "", true, store, found);
  CHECK(found.size() == 0);
  facts.ForEach(
      store,
      [&](RelationId, std::span<const Value> row, Span) {
        if (with.is_none() || row[1] == with) out.push_back(testing::RowText(pool, row));
      },
      [](const Assertion&) {});
  return out;
}

TEST_CASE("a part of a relation has the rows that selecting from all of them gives") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  const std::vector<std::pair<std::string, std::string>> columns = {
      {"int", "(1), (0), (NULL), (-7), (2147483647)"},
      {"bigint", "(1), (9223372036854775807), (-9223372036854775808), (NULL)"},
      {"numeric",
       "(1), (1.0), (0.1), (0.10000000000000000001), (0.1000000000000000055), (NULL), (1e30), "
       "(12345678901234567890), (9007199254740993), (9007199254740993.5), ('NaN'), (-2.5), "
       "(1e400), ('Infinity'), (0.99999999999999999999)"},
      {"numeric(8, 2)", "(1), (0.1), (2.50), ('NaN'), (NULL)"},
      {"double precision",
       "(1), (0.1), (-0.0), (1e300), ('NaN'), ('-Infinity'), (NULL), (1e22), (9007199254740992), "
       "(5e-324)"},
      {"real", "(1), (0.1), (16777216), ('Infinity'), (NULL), (3e38), (1e-45)"},
      {"text",
       "('a'), ('A'), (''), ('it''s \"x\" \\ $1'), ('1'), (NULL), ('NaN'), ('\u00e9'), "
       "('a ')"},
      {"varchar(5)", "('a'), ('a '), (NULL)"},
      {"char(3)", "('a'), ('abc'), (NULL)"},
      {"text COLLATE \"C\"", "('a'), ('A'), (NULL)"},
      {"boolean", "(true), (false), (NULL)"},
      {"date", "('2026-01-02'), (NULL)"},
      {"timestamptz", "('2026-01-02 03:04:05+05'), (NULL)"},
      {"uuid", "('00000000-0000-0000-0000-000000000001'), (NULL)"},
      {"mood", "('good'), (NULL)"},
      {"jsonb", "('1'), ('null'), ('\"a\"'), ('[1, 2]'), ('{\"k\": 1}'), (NULL), ('true')"},
      {"int[]", "('{1,2}'), (NULL), ('{}')"},
  };
  const std::vector<std::string> values = {"1",
                                           "0",
                                           "-7",
                                           "0.1",
                                           "2.5",
                                           "-2.5",
                                           "nil",
                                           "true",
                                           "false",
                                           "\"a\"",
                                           "\"A\"",
                                           "\"\"",
                                           "\"1\"",
                                           "\"a \"",
                                           "\"a  \"",
                                           "\"abc\"",
                                           "\"NaN\"",
                                           "\"Infinity\"",
                                           "\"-Infinity\"",
                                           "\"it's \\\"x\\\" \\\\ $1\"",
                                           "\"\u00e9\"",
                                           "9223372036854775807",
                                           "-9223372036854775808",
                                           "9223372036854775808",
                                           "12345678901234567890",
                                           "1000000000000000000000000000000",
                                           "9007199254740992",
                                           "9007199254740993",
                                           "9007199254740994",
                                           "10000000000000000000000",
                                           "1e300",
                                           "5e-324",
                                           "1e-300",
                                           "1e-45",
                                           "3e38",
                                           "16777216",
                                           "16777217",
                                           "a",
                                           ":a",
                                           "[1 2]",
                                           "[]",
                                           "{\"k\" 1}",
                                           "f(1)",
                                           "\"2026-01-02\"",
                                           "\"2026-01-01T22:04:05+00:00\"",
                                           "\"00000000-0000-0000-0000-000000000001\"",
                                           "\"good\"",
                                           "1" + std::string(400, '0')};
  std::size_t compared = 0;
  for (const auto& [type, rows] : columns) {
    OneColumn one(*cluster, type, rows);
    Pool pool;
    std::vector<RelationRead> reads = {{&one.relation, {}}};  // all, and by each value
    for (const std::string& text : values)
      reads.push_back({&one.relation, {{"a$C", ValueIn(pool, text)}}});
    const std::vector<RelationRows> rows_of = ReadRelations(reads, pool);
    for (std::size_t i = 0; i < values.size(); ++i) {
      INFO(type << " = " << values[i]);
      const Value v = ValueIn(pool, values[i]);
      REQUIRE(!v.is_none());
      const RelationRows& part = rows_of[i + 1];
      const std::vector<std::string> want = RowsOf(rows_of[0], v, pool);
      CHECK(RowsOf(part, kNone, pool) == want);
      compared += want.size();
      if (v.kind() == Kind::kString) CHECK(part.query.sql.find(values[i]) == std::string::npos);
    }
  }
  CHECK(compared > 50);
}

TEST_CASE("a part is read by an index, with the value as a parameter") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  OneColumn one(*cluster, "text", "('a'), ('b')");
  Pool pool;
  const std::vector<RelationRows> part =
      ReadRelations({{&one.relation, {{"a$C", pool.String("b")}, {"id", pool.Int(2)}}}}, pool);
  CHECK(part[0].query.sql ==
        "SELECT to_json(rpl_row)::text FROM (SELECT * FROM \"t\" -- a comment\n) AS rpl_row WHERE "
        "rpl_row.\"a$C\" = $1::text AND rpl_row.\"id\" = $2::bigint");
  CHECK(part[0].query.parameters == std::vector<std::string>{"b", "2"});
  CHECK(part[0].source.text == "{\"id\":2,\"a$C\":\"b\"}\n");
}

TEST_CASE("the reasons why a relation is not read") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  OneColumn one(*cluster, "int", "(1)");
  Pool pool;
  DatabaseRelation missing = one.relation, broken = one.relation, unset = one.relation;
  missing.name = "missing";
  missing.sql = "SELECT * FROM \"missing\"";
  broken.name = "broken";
  broken.sql = "SELECT 1 / \"a$C\" + 1 / 0 FROM t";
  unset.name = "unset";
  unset.variable = "RPL_TEST_NO_SOURCE";
  const std::vector<RelationRows> rows = ReadRelations({{&missing, {}},
                                                        {&one.relation, {{"b", pool.Int(1)}}},
                                                        {&one.relation, {}},
                                                        {&broken, {}},
                                                        {&unset, {}}},
                                                       pool);
  CHECK(rows[0].code == "database");
  CHECK(rows[0].message.starts_with("`missing` is not read: relation \"missing\" does not exist"));
  CHECK(rows[1].code == "bad-request");
  CHECK(rows[1].message == "`r` is not read: it has no column `b`; its columns are `id`, `a$C`");
  CHECK(rows[2].code == "");
  CHECK(rows[2].source.text == "{\"id\":1,\"a$C\":1}\n");
  CHECK(rows[3].message.starts_with("`broken` is not read: division by zero"));
  CHECK(rows[4].message == "`unset` is not read: the variable RPL_TEST_NO_SOURCE is not set");
  setenv("RPL_TEST_NO_SOURCE", "mysql://h/d", 1);
  CHECK(ReadRelations({{&unset, {}}}, pool)[0].message ==
        "`unset` is not read: RPL_TEST_NO_SOURCE is no URL of a database");
  setenv("RPL_TEST_NO_SOURCE", "postgresql://u:pass@/d?host=/nowhere", 1);
  const RelationRows nowhere = ReadRelations({{&unset, {}}}, pool)[0];
  CHECK(nowhere.code == "database");
  CHECK(nowhere.message.find("pass") == std::string::npos);
  unsetenv("RPL_TEST_NO_SOURCE");
}

TEST_CASE("an empty relation is a source without rows") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  OneColumn one(*cluster, "int", "(1)");
  cluster->Run("TRUNCATE t", one.database);
  Pool pool;
  const std::vector<RelationRows> rows = ReadRelations({{&one.relation, {}}}, pool);
  CHECK(rows[0].source.name == "r.json");
  CHECK(rows[0].source.text == "[]");
}

// A query of one relation writes by another connection, after which the snapshot of the transaction
// must not see that: the function is the writer between two reads.
TEST_CASE("relations that are read together are of one snapshot") {
  TestCluster* const cluster = TestCluster::Get();
  if (cluster == nullptr) return;
  OneColumn one(*cluster, "int", "(1)");
  Pool pool;
  DatabaseRelation first = one.relation, slow = one.relation, last = one.relation;
  slow.sql = "SELECT pg_sleep(1) IS NULL AS slept";
  std::thread writer([&] {
    // Ends when the transaction has been in its slow statement.
    SqlConnection::Opened other = SqlConnection::Open({.url = cluster->Url(one.database)});
    for (int tries = 0; tries < 500; ++tries) {
      const SqlResult busy = other.connection->Execute(
          "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1)%' AND state = "
          "'active' AND pid <> pg_backend_pid() AND datname = current_database()");
      if (busy.rows.size() == 1 && busy.rows.Number(0, 0) > 0) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    other.connection->Execute("INSERT INTO t (\"a$C\") VALUES (2)");
  });
  const std::vector<RelationRows> rows =
      ReadRelations({{&first, {}}, {&slow, {}}, {&last, {}}}, pool);
  writer.join();
  CHECK(rows[0].source.text == "{\"id\":1,\"a$C\":1}\n");
  CHECK(rows[2].source.text == rows[0].source.text);
  CHECK(ReadRelations({{&last, {}}}, pool)[0].source.text ==
        "{\"id\":1,\"a$C\":1}\n{\"id\":2,\"a$C\":2}\n");
}

}  // namespace
}  // namespace rpl
