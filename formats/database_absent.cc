// SPDX-License-Identifier: Apache-2.0
//
// Where there is no SQLite, no database can be opened.
#include "formats/database.h"

namespace rpl {

std::unique_ptr<Database> Database::Open(const std::string&, const Form&, std::chrono::milliseconds,
                                         std::string& error) {
  error = "this build of rpl keeps no databases";
  return nullptr;
}

// The rest is for databases that were opened.
Database::~Database() = default;
void Database::Begin() {}
std::string Database::Commit() { return error_; }
void Database::Rollback() {}
void Database::Damaged(const char*) {}
Database::Query::Query(Database& database, const char*)
    : database_(database), statement_(nullptr) {}
Database::Query::~Query() = default;
Database::Query& Database::Query::Bind(std::int64_t) { return *this; }
Database::Query& Database::Query::Bind(double) { return *this; }
Database::Query& Database::Query::Bind(std::string_view) { return *this; }
bool Database::Query::Next() { return false; }
std::int64_t Database::Query::Number(int) const { return 0; }
double Database::Query::Real(int) const { return 0; }
std::string Database::Query::Text(int) const { return ""; }

}  // namespace rpl
