// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/file_tools.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "formats/file_name.h"
#include "formats/json_text.h"
#include "runtime/postgres/connection.h"
#include "runtime/postgres/database_url.h"
#include "runtime/tools/program_folder.h"
#include "runtime/written_text.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

Answer Failed(Pool& pool, std::string_view code, std::string_view message) {
  Answer out = FailedCall(pool, code, message);
  out.by = By::kTool;
  return out;
}

Answer Succeeded(Pool& pool, std::span<const Value> entries) {
  return {.kind = Answer::Kind::kMeta, .value = pool.Map(entries), .by = By::kTool};
}

// The options of `$write`.
struct WriteOptions {
  std::string format;
  bool replace = false;
  std::string error;
};

WriteOptions OptionsOf(const Pool& pool, Value options) {
  WriteOptions out;
  if (options.kind() != Kind::kMap) {
    out.error = "expected a map as the third argument, got " + Text(pool, options, 60);
    return out;
  }
  const std::span<const Value> entries = pool.ItemsOf(options);
  for (std::size_t i = 0; i < entries.size(); i += 2) {
    const Value value = entries[i + 1];
    const std::string key = Text(pool, entries[i], 60);
    if (key == ":format" && value.kind() == Kind::kKeyword) out.format = pool.TextOf(value);
    else if (key == ":replace" && (value == kTrue || value == kFalse)) out.replace = value == kTrue;
    else
      out.error = fmt::format("expected `:format :csv` or `:replace true`, got `{} {}`", key,
                              Text(pool, value, 60));
  }
  return out;
}

// The folder of `folder(path, :entries)`, in either order; kNone for another term.
Value FolderOf(const Pool& pool, Value term) {
  const std::span<const Value> args = pool.ItemsOf(term);
  if (args.size() != 2 || pool.NamespaceOf(term) != Namespace::kRelation) return kNone;
  const bool first = args[0].kind() == Kind::kKeyword;
  return first == (args[1].kind() == Kind::kKeyword) ? kNone : args[first ? 1 : 0];
}

// The rows of a folder in JSON.
std::string RowsOf(const Pool& pool, Value term, Value folder,
                   const std::vector<std::string>& names) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const bool first = pool.ItemsOf(term)[0].kind() == Kind::kKeyword;
  for (const std::string& name : names) {
    nlohmann::ordered_json row = {pool.TextOf(folder), name};
    if (first) std::swap(row[0], row[1]);
    rows.push_back(std::move(row));
  }
  return DumpJson(rows);
}

}  // namespace

bool FileTools::Takes(const Request& request) const {
  const std::size_t count = request.args.size();
  return !folder_.empty() && ((request.tool == "index" && (count == 1 || count == 2)) ||
                              (request.tool == "write" && (count == 2 || count == 3)));
}

Answer FileTools::Call(const Request& request, Pool& pool) {
  return request.tool == "index" ? Index(request, pool) : Write(request, pool);
}

Answer FileTools::Index(const Request& request, Pool& pool) {
  const bool folder = request.args[0].kind() == Kind::kTerm;
  const Value named = folder ? FolderOf(pool, request.args[0]) : request.args[0];
  if (named.kind() != Kind::kString)
    return NotRunCall(
        pool, "bad-request",
        "expected a path, or `folder(path, $entries)`, got " + Text(pool, request.args[0], 60));
  if (request.args.size() > 1 && (folder || request.args[1].kind() != Kind::kString))
    return NotRunCall(pool, "bad-request", "expected no hint, or the name of a relation");
  const std::string location(pool.TextOf(named));
  for (const DatabaseRelation& relation : config_.relations)
    if (!folder && relation.name == location) return IndexRelation(relation, pool);
  if (location.find("://") != location.npos)
    return NotRunCall(
        pool, "outside",
        "`" + location + "` is no file; a tool named `index` in `rpl.yaml` may read it");
  const std::string path = PathOf(folder_, location);
  const std::string name = fs::path(path).lexically_relative(folder_);
  std::vector<std::string> allowed = config_.index_folders;
  allowed.insert(allowed.begin(), folder_);
  FileRead read;
  if (folder) {
    const FolderNames names = NamesBelow(allowed, path);
    read = {names.failure, RowsOf(pool, request.args[0], named, names.names)};
  } else {
    read = ReadBelow(allowed, path);
  }
  if (!read.failure.code.empty()) return NotRunCall(pool, read.failure.code, read.failure.message);
  return IndexAnswer(pool, {name + (folder ? "/" : ""), std::move(read.text)});
}

// The rows as objects of JSON, one a line, in the order of their texts: a table has none.
Answer FileTools::IndexRelation(const DatabaseRelation& relation, Pool& pool) {
  const auto fails = [&](const std::string& message) {
    return NotRunCall(pool, "database", "`" + relation.name + "` is not read: " + message);
  };
  const char* const url = std::getenv(relation.variable.c_str());
  if (url == nullptr) return fails("the variable " + relation.variable + " is not set");
  if (!IsDatabaseUrl(url)) return fails(relation.variable + " is no URL of a database");
  if (const std::string wrong = CheckDatabaseUrl(url); !wrong.empty()) return fails(wrong);
  const SqlConnection::Opened opened = SqlConnection::Open({.url = url});
  if (opened.error) return fails(opened.error.message);
  SqlConnection& connection = *opened.connection;
  const std::string sql = "SELECT to_json(r)::text FROM (" + relation.sql + ") AS r";
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  const SqlError error = connection.WithRetry({}, [&] {
    lines.clear();
    bytes = 0;
    return connection.InTransaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [&] {
      return connection.ForEachRow(sql, {}, [&](const SqlRows& row) {
        lines.emplace_back(row.Text(0, 0));
        // A line of JSON from a table has no line break: they are escaped in strings.
        std::replace(lines.back().begin(), lines.back().end(), '\n', ' ');
        bytes += lines.back().size() + 1;
        return bytes <= kMaxTextBytes;
      });
    });
  });
  if (bytes > kMaxTextBytes) return fails("it has more than 64 MiB");
  if (error) return fails(error.message);
  std::sort(lines.begin(), lines.end());
  std::string text;
  text.reserve(bytes);
  for (const std::string& line : lines) text += line + "\n";
  return IndexAnswer(pool, {relation.name + ".ndjson", std::move(text)});
}

Answer FileTools::ReadAgain(const Request& request, std::string_view hash, Pool& pool) {
  struct stat seen = {};
  Stamp now;
  if (request.args[0].kind() == Kind::kString &&
      stat(PathOf(folder_, std::string(pool.TextOf(request.args[0]))).c_str(), &seen) == 0) {
    now = {std::string(hash), seen.st_size, seen.st_mtim.tv_sec, seen.st_mtim.tv_nsec};
    if (const auto at = stamps_.find(request.id); at != stamps_.end() && at->second == now)
      return {};
  }
  Answer answer = Index(request, pool);
  if (!answer.source) return {};
  now.hash = HashOfText(answer.source->text);
  stamps_.insert_or_assign(request.id, now);
  return now.hash == hash ? Answer() : answer;
}

Answer FileTools::Write(const Request& request, Pool& pool) {
  const auto bad = [&](const std::string& message) { return Failed(pool, "bad-request", message); };
  if (request.args[1].kind() != Kind::kString)
    return bad("expected a path as the second argument, got " + Text(pool, request.args[1], 60));
  const WriteOptions options =
      request.args.size() == 3 ? OptionsOf(pool, request.args[2]) : WriteOptions();
  if (!options.error.empty()) return bad(options.error);
  const std::string location(pool.TextOf(request.args[1]));
  const WrittenText written = TextToWrite(pool, request.args[0], options.format, StemOf(location));
  if (!written.error.empty()) return bad("the content cannot be written: " + written.error);
  const std::string path = PathOf(folder_, location);
  const std::string result = fs::path(path).lexically_relative(folder_);
  if (config_.write == Permit::kDeny)
    return NotRunCall(pool, "denied", "the configuration denies it");
  // The configuration comes with the program: it allows no more than the files of its folder.
  if (config_.write == Permit::kAsk || !IsPlainlyBelow(folder_, path)) {
    const Permission::Permit permit = permission_.AskToWrite(path, written.text.size());
    if (!permit.yes) return NotRunCall(pool, "denied", permit.reason);
  }
  if (request.starting && !request.starting()) return {};
  const auto may_replace = [&](std::string_view there) {
    const std::pair ours(result, HashOfText(there));
    return options.replace || std::ranges::find(request.written, ours) != request.written.end();
  };
  const std::string& allowed = config_.write_folder.empty() ? folder_ : config_.write_folder;
  const FileFailure failure = WriteBelow(allowed, path, written.text, may_replace);
  if (!failure.code.empty()) return Failed(pool, failure.code, failure.message);
  const Value entries[] = {
      pool.Keyword("result"), pool.String(result),
      pool.Keyword("bytes"),  pool.Int(static_cast<std::int64_t>(written.text.size())),
      pool.Keyword("hash"),   pool.String(HashOfText(written.text))};
  return Succeeded(pool, entries);
}

Answer IndexAnswer(Pool& pool, SourceText source) {
  const Value entries[] = {pool.Keyword("result"), pool.String(source.name), pool.Keyword("hash"),
                           pool.String(HashOfText(source.text))};
  Answer out = Succeeded(pool, entries);
  out.source = std::move(source);
  return out;
}

}  // namespace rpl
