// SPDX-License-Identifier: Apache-2.0
//
// Relations of a PostgreSQL database as sources of facts (docs/sql.md).
//
// Relations of one database that are read together are read in one transaction, REPEATABLE READ and
// read-only, and so are of one snapshot. Rows come as objects of JSON, one a line, in the order of
// their texts, because a table has none: NULL is null, numbers are exact, and values that JSON
// lacks, such as dates, are strings. Times are in UTC, so that texts do not depend on the server's
// settings.
//
// A part of a relation has columns with given values. The statement has them as parameters, in a
// condition that each of its rows fulfils and that an index of the column serves. The rows that
// come are compared by value once more, so that the part is exactly what selecting from all rows
// gives: 1 equals 1.0, NULL equals nil, and strings are equal byte by byte.
//
// Configurations name variables of the environment with the URLs of the databases. No message
// contains a password.
#ifndef RPL_RUNTIME_TOOLS_DATABASE_SOURCE_H_
#define RPL_RUNTIME_TOOLS_DATABASE_SOURCE_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/sql/sql_source.h"
#include "interp/store/value.h"
#include "runtime/ports.h"

namespace rpl {

struct DatabaseRelation;

/// A relation, or a part of it; or one that the database evaluates, in place of both.
struct RelationRead {
  const DatabaseRelation* relation;
  std::vector<std::pair<std::string, Value>> bound;  // columns and their values
  const SqlPushed* pushed = nullptr;
  bool is_foreign = false;  // a source of `pushed` is not of the configuration: `changed`

  const std::string& database() const;  // the variable with its URL
  const std::string& name() const;
};

/// The rows of a relation, or why there are none.
struct RelationRows {
  SourceText source;  // NDJSON; without rows an empty array; facts of RPL of an evaluated one
  SourceQuery query;  // with the digest of the rows
  std::string code;   // "database", "bad-request", "changed", or "" with rows
  std::string message;
};

/// The rows of each, of at most kMaxTextBytes. An evaluated relation is `changed` if its sources
/// are no longer as they are told to be, the server refuses to evaluate it, or it has more. One
/// that fails does not keep the others from being read in their snapshot; a database that fails,
/// fails for all of its relations. `stop` is polled while the server is at work, and ends that.
std::vector<RelationRows> ReadRelations(const std::vector<RelationRead>& reads, Pool& pool,
                                        const std::function<bool()>& stop = nullptr);

/// Where the relations lie and their columns; nullopt of one that cannot be read.
std::vector<std::optional<SqlSource>> DescribeRelations(
    const std::vector<const DatabaseRelation*>& relations,
    const std::function<bool()>& stop = nullptr);

}  // namespace rpl

#endif  // RPL_RUNTIME_TOOLS_DATABASE_SOURCE_H_
