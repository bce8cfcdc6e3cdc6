// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/text_source.h"

#include <fmt/format.h>

#include <algorithm>

namespace rpl {
namespace {

constexpr std::string_view kCitation = "citation";

// The text of the citation of a row; "" if it is none.
std::string_view CitationOf(const Pool& pool, Value row) {
  const Value last = pool.ItemsOf(row).back();
  return last.kind() == Kind::kString ? pool.TextOf(last) : std::string_view();
}

}  // namespace

Question QuestionOfText(const ToolCall& call, const SourceText& source) {
  Question out;
  out.id = call.id;
  out.name = out.relation = "index";
  out.path = call.path;
  out.row = call.row;
  out.row.emplace_back(kCitation);
  out.known = {{source.name, source.text}};
  out.prose = (call.prose.empty() ? "" : call.prose + "\n\n") +
              fmt::format(
                  "The rows are those of which [{}] tells. The `{}` of a row is the part "
                  "of the text that says so, word for word.",
                  source.name, kCitation);
  out.attempts = call.attempts;
  return out;
}

std::string UncitedIn(std::string_view text, Value rows, const Pool& pool) {
  for (const Value row : pool.ItemsOf(rows)) {
    const std::string_view citation = CitationOf(pool, row);
    if (citation.empty() || text.find(citation) == text.npos)
      return fmt::format("the {} {} does not stand in the text", kCitation,
                         Text(pool, pool.ItemsOf(row).back(), 120));
  }
  return "";
}

std::string FactsOfRows(Pool& pool, const ToolCall& call, Value rows, const SourceText& source,
                        const std::string& model) {
  std::string out;
  for (const Value row : pool.ItemsOf(rows)) {
    const std::span<const Value> cells = pool.ItemsOf(row);
    const std::string_view before(source.text.data(), source.text.find(CitationOf(pool, row)));
    const Value meta[] = {
        pool.Keyword(kCitation),   cells.back(),
        pool.Keyword("generated"), kTrue,
        pool.Keyword("model"),     pool.String(model),
        pool.Keyword("file"),      pool.String(source.name),
        pool.Keyword("line"),      pool.Int(1 + std::ranges::count(before, '\n'))};
    std::string arguments;
    for (const Value cell : cells.first(cells.size() - 1))
      arguments += (arguments.empty() ? "" : ", ") + Text(pool, cell);
    out += fmt::format("{}({}) ^ ~ {}\n", pool.TextOf(call.args[1]), arguments,
                       Text(pool, pool.Map(meta)));
  }
  return out;
}

}  // namespace rpl
