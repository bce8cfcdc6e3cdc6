// SPDX-License-Identifier: Apache-2.0
//
// Functions in SQL over tagged text and numbers (interp/sql/sql_value.h), for what an expression
// alone does not say. A script defines those that its statements call.
//
//   rpl_number(v), rpl_text(v)       the number or string that v is, else NULL
//   rpl_plain(v)                     the text of a scalar in a template
//   rpl_order(a, b)                  -1, 0, 1 for two numbers or two strings, else NULL
//   rpl_length(v), rpl_item(v, i)    of a list, else NULL; items count from 0
//   rpl_rest(v, n)                   the list without its first n items
//   rpl_items(v)                     the items as rows of a table; none if v is no list
//   rpl_join(items, rest)            the list of `items`, as text with commas, and of those of rest
//   rpl_arguments(v, key, n)         the arguments of a term as a list, else NULL
//   rpl_add, rpl_subtract, rpl_multiply, rpl_divide (a, b)
//                                    arithmetic as operators.h has it; NULL without a result
//
// All are immutable. A result that floats do not have is an error of the server.
#ifndef RPL_INTERP_SQL_SQL_FUNCTIONS_H_
#define RPL_INTERP_SQL_SQL_FUNCTIONS_H_

#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// The definitions of the functions that `statements` call, each after those that it calls.
std::vector<std::string> SqlFunctionsFor(const std::vector<std::string_view>& statements);

}  // namespace rpl

#endif  // RPL_INTERP_SQL_SQL_FUNCTIONS_H_
