// SPDX-License-Identifier: Apache-2.0
#include "interp/sql/sql_functions.h"

#include <algorithm>
#include <iterator>

namespace rpl {
namespace {

struct SqlFunction {
  std::string_view name;
  std::string_view signature;  // arguments, and what it returns
  std::string_view body;
};

// Arithmetic of integers is exact. With a float among the operands both are floats: a numeric that
// is not whole is one.
#define RPL_SQL_ARITHMETIC(op)                     \
  "SELECT CASE WHEN a = trunc(a) AND b = trunc(b)" \
  " THEN a " op " b ELSE rpl_float(a::double precision " op " b::double precision) END"

// Each after those that it calls. WHEN guards what fails for other values: PostgreSQL evaluates a
// branch of CASE only where its condition holds.
constexpr SqlFunction kSqlFunctions[] = {
    {"rpl_number", "(v text) RETURNS numeric",
     "SELECT CASE WHEN v ~ '^-?[0-9]' THEN v::numeric END"},
    {"rpl_text", "(v text) RETURNS text",
     R"(SELECT CASE WHEN left(v, 2) = '"=' THEN substr(v::jsonb #>> '{}', 2) END)"},
    {"rpl_plain", "(v text) RETURNS text",
     R"(SELECT CASE left(v, 2) WHEN '"=' THEN substr(v::jsonb #>> '{}', 2))"
     R"( WHEN '"''' THEN substr(v::jsonb #>> '{}', 2) WHEN '":' THEN v::jsonb #>> '{}')"
     R"( WHEN 'nu' THEN 'nil' ELSE v END)"},
    {"rpl_order", "(a text, b text) RETURNS integer",
     "SELECT CASE WHEN a ~ '^-?[0-9]' AND b ~ '^-?[0-9]'"
     " THEN sign(rpl_number(a) - rpl_number(b))::integer"
     R"( WHEN left(a, 2) = '"=' AND left(b, 2) = '"=' THEN)"
     R"( CASE WHEN rpl_text(a) COLLATE "C" < rpl_text(b) COLLATE "C" THEN -1)"
     " WHEN a = b THEN 0 ELSE 1 END END"},
    {"rpl_length", "(v text) RETURNS bigint",
     "SELECT CASE WHEN left(v, 1) = '[' THEN jsonb_array_length(v::jsonb)::bigint END"},
    {"rpl_item", "(v text, i integer) RETURNS text",
     "SELECT CASE WHEN left(v, 1) = '[' THEN (v::jsonb -> i)::text END"},
    {"rpl_items", "(v text) RETURNS TABLE (item text)",
     "SELECT DISTINCT e.value::text FROM jsonb_array_elements("
     "CASE WHEN left(v, 1) = '[' THEN v::jsonb ELSE '[]'::jsonb END) AS e"},
    {"rpl_rest", "(v text, n integer) RETURNS text",
     "SELECT CASE WHEN left(v, 1) = '[' THEN"
     " (SELECT coalesce(jsonb_agg(e.value ORDER BY e.ordinality), '[]'::jsonb)::text"
     " FROM jsonb_array_elements(v::jsonb) WITH ORDINALITY AS e WHERE e.ordinality > n) END"},
    {"rpl_join", "(items text, rest text) RETURNS text",
     "SELECT CASE WHEN left(rest, 1) <> '[' THEN NULL WHEN items = '' THEN rest"
     " WHEN rest = '[]' THEN '[' || items || ']'"
     " ELSE '[' || items || ', ' || substr(rest, 2) END"},
    {"rpl_arguments", "(v text, key text, n integer) RETURNS text",
     "SELECT CASE WHEN left(v, 1) = '{' AND jsonb_array_length(v::jsonb -> key) = n"
     " THEN (v::jsonb -> key)::text END"},
    // A float that is whole is the integer that it is, not the one that its shortest text denotes.
    {"rpl_exact", "(x double precision) RETURNS numeric",
     "DECLARE half double precision := x; n numeric; twice integer := 0;"
     " BEGIN WHILE abs(half) >= 9007199254740992 LOOP half := half / 2; twice := twice + 1;"
     " END LOOP; n := half::text::numeric;"
     " FOR i IN 1..twice LOOP n := n * 2; END LOOP; RETURN n; END"},
    {"rpl_float", "(x double precision) RETURNS numeric",
     "SELECT CASE WHEN abs(x) >= 9007199254740992 THEN rpl_exact(x)"
     " ELSE trim_scale(x::text::numeric) END"},
    {"rpl_add", "(a numeric, b numeric) RETURNS numeric", RPL_SQL_ARITHMETIC("+")},
    {"rpl_subtract", "(a numeric, b numeric) RETURNS numeric", RPL_SQL_ARITHMETIC("-")},
    {"rpl_multiply", "(a numeric, b numeric) RETURNS numeric", RPL_SQL_ARITHMETIC("*")},
    // Operands that a float does not hold are divided as decimals, with digits to spare.
    {"rpl_divide", "(a numeric, b numeric) RETURNS numeric",
     "SELECT CASE WHEN b = 0 THEN NULL"
     " WHEN a = trunc(a) AND b = trunc(b) AND mod(a, b) = 0 THEN div(a, b)"
     " WHEN a = trunc(a) AND b = trunc(b) AND greatest(abs(a), abs(b)) > 9007199254740992"
     " THEN rpl_float((div(a * 1e60::numeric, b)::text || 'e-60')::double precision)"
     " ELSE rpl_float(a::double precision / b::double precision) END"},
};

bool Calls(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find(name, at)) != text.npos; ++at)
    if (at + name.size() < text.size() && text[at + name.size()] == '(') return true;
  return false;
}

std::string DefinitionOf(const SqlFunction& f) {
  const bool plain = f.body.starts_with("SELECT");
  return "CREATE FUNCTION " + std::string(f.name) + std::string(f.signature) + " LANGUAGE " +
         (plain ? "sql" : "plpgsql") + " IMMUTABLE AS $rpl$ " + std::string(f.body) +
         (plain ? "" : ";") + " $rpl$";
}

}  // namespace

std::vector<std::string> SqlFunctionsFor(const std::vector<std::string_view>& statements) {
  std::vector<std::string_view> callers = statements;
  std::vector<std::string> out;
  for (auto f = std::rbegin(kSqlFunctions); f != std::rend(kSqlFunctions); ++f) {
    if (std::none_of(callers.begin(), callers.end(),
                     [&](std::string_view text) { return Calls(text, f->name); }))
      continue;
    callers.push_back(f->body);
    out.push_back(DefinitionOf(*f));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace rpl
