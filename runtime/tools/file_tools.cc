// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/file_tools.h"
#include "runtime/replies.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "formats/data/json_text.h"
#include "formats/file_name.h"
#include "formats/text_hash.h"
#include "runtime/facts/written_text.h"
#include "runtime/tools/database_source.h"
#include "runtime/tools/program_folder.h"

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

bool FileTools::Takes(const ToolCall& call) const {
  const std::size_t count = call.args.size();
  return !folder_.empty() && (call.pushed || (call.tool == "index" && (count == 1 || count == 2)) ||
                              (call.tool == "write" && (count == 2 || count == 3)));
}

std::vector<Answer> FileTools::Call(const std::vector<ToolCall>& calls, Pool& pool) {
  std::vector<Answer> out(calls.size());
  std::vector<RelationRead> reads;
  std::vector<std::size_t> places;
  std::function<bool()> stop;  // of any: they are of one run
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (calls[i].stop) stop = calls[i].stop;
    if (calls[i].tool != "index") {
      out[i] = Write(calls[i], pool);
    } else if (auto read = ReadFor(calls[i], pool)) {
      if (const Permission::Permit permit = MayRead(*read); !permit.yes) {
        out[i] = NotRunCall(pool, "denied", permit.reason);
        continue;
      }
      reads.push_back(std::move(*read));
      places.push_back(i);
    } else {
      out[i] = Index(calls[i], pool);
    }
  }
  std::vector<RelationRows> rows = ReadRelations(reads, pool, stop);
  for (std::size_t k = 0; k < rows.size(); ++k)
    out[places[k]] = AnswerOf(reads[k], std::move(rows[k]), pool);
  return out;
}

// What a call reads from a database; nullopt if it does not.
std::optional<RelationRead> FileTools::ReadFor(const ToolCall& call, const Pool& pool) const {
  if (call.pushed) {
    RelationRead out{nullptr, {}, &*call.pushed};
    // The query may come from a session: it reads what the configuration says, or nothing.
    for (const SqlSource& source : call.pushed->sources) {
      const auto at =
          std::ranges::find(config_.relations, source.relation, &DatabaseRelation::name);
      out.is_foreign = out.is_foreign || at == config_.relations.end() || !at->push ||
                       at->record_query || at->variable != source.database ||
                       at->table != source.table || at->sql != source.select;
    }
    return out;
  }
  if (call.args[0].kind() != Kind::kString) return std::nullopt;
  const auto relation =
      std::ranges::find(config_.relations, pool.TextOf(call.args[0]), &DatabaseRelation::name);
  if (relation == config_.relations.end()) return std::nullopt;
  RelationRead out{&*relation, {}, nullptr};
  if (call.args.size() == 1) return out;
  if (call.args[1].kind() != Kind::kMap) return std::nullopt;
  const std::span<const Value> entries = pool.ItemsOf(call.args[1]);
  for (std::size_t i = 0; i < entries.size(); i += 2) {
    if (entries[i].kind() != Kind::kKeyword && entries[i].kind() != Kind::kString)
      return std::nullopt;
    out.bound.emplace_back(pool.TextOf(entries[i]), entries[i + 1]);
  }
  return out;
}

// Whether the configuration may open the database for these reads, which it names itself.
Permission::Permit FileTools::MayRead(const RelationRead& read) const {
  if (read.relation != nullptr) return MayRead(*read.relation);
  for (const SqlSource& source : read.pushed->sources) {
    const auto at = std::ranges::find(config_.relations, source.relation, &DatabaseRelation::name);
    if (at == config_.relations.end()) continue;  // it is foreign, and not read
    if (Permission::Permit permit = MayRead(*at); !permit.yes) return permit;
  }
  return {true, ""};
}

Permission::Permit FileTools::MayRead(const DatabaseRelation& relation) const {
  const std::string from = relation.table.empty() ? "by the query `" + relation.sql + "`"
                                                  : "the table `" + relation.table + "`";
  return permission_.Reach("index", "read " + from + " of the database in " + relation.variable);
}

// Of a file that is not below the folder of the program, but below one that the configuration adds.
Permission::Permit FileTools::MayReadFile(const std::string& path) const {
  const auto is_below = [&](const std::string& folder) {
    const fs::path below = fs::path(path).lexically_relative(folder);
    return !below.empty() && *below.begin() != "..";
  };
  if (is_below(folder_)) return {true, ""};
  const auto added = std::ranges::find_if(config_.index_folders, is_below);
  if (added == config_.index_folders.end()) return {true, ""};  // it will not be read
  return permission_.Reach("index", "read the files below `" + *added + "`");
}

Answer FileTools::AnswerOf(const RelationRead& read, RelationRows rows, Pool& pool) {
  if (!rows.code.empty()) return NotRunCall(pool, rows.code, rows.message);
  if (read.relation != nullptr && read.relation->record_query) rows.source.query = rows.query;
  return IndexAnswer(pool, std::move(rows.source));
}

Answer FileTools::Index(const ToolCall& call, Pool& pool) {
  const bool folder = call.args[0].kind() == Kind::kTerm;
  const Value named = folder ? FolderOf(pool, call.args[0]) : call.args[0];
  if (named.kind() != Kind::kString)
    return NotRunCall(
        pool, "bad-request",
        "expected a path, or `folder(path, $entries)`, got " + Text(pool, call.args[0], 60));
  const std::string location(pool.TextOf(named));
  if (call.args.size() > 1 && !folder && call.args[1].kind() == Kind::kMap)
    return NotRunCall(pool, "bad-request",
                      "columns are bound by a map from their names, of a relation that "
                      "`rpl.yaml` names; got " +
                          Text(pool, call.args[1], 60) + " for `" + location + "`");
  if (call.args.size() > 1 && (folder || call.args[1].kind() != Kind::kString))
    return NotRunCall(pool, "bad-request",
                      "expected no hint, or the name of a relation as a string");
  if (location.find("://") != location.npos)
    return NotRunCall(
        pool, "outside",
        "`" + location + "` is no file; a tool named `index` in `rpl.yaml` may read it");
  const std::string path = PathOf(folder_, location);
  const std::string name = fs::path(path).lexically_relative(folder_);
  if (const Permission::Permit permit = MayReadFile(path); !permit.yes)
    return NotRunCall(pool, "denied", permit.reason);
  std::vector<std::string> allowed = config_.index_folders;
  allowed.insert(allowed.begin(), folder_);
  FileRead read;
  if (folder) {
    const FolderNames names = NamesBelow(allowed, path);
    read = {names.failure, RowsOf(pool, call.args[0], named, names.names)};
  } else {
    read = ReadBelow(allowed, path);
  }
  if (!read.failure.code.empty()) return NotRunCall(pool, read.failure.code, read.failure.message);
  return IndexAnswer(pool, {name + (folder ? "/" : ""), std::move(read.text)});
}

Answer FileTools::ReadFileAgain(const Reread& read, Pool& pool) {
  const ToolCall& call = read.call;
  struct stat seen = {};
  Stamp now;
  if (call.args[0].kind() == Kind::kString &&
      stat(PathOf(folder_, std::string(pool.TextOf(call.args[0]))).c_str(), &seen) == 0) {
    now = {read.hash, seen.st_size, seen.st_mtim.tv_sec, seen.st_mtim.tv_nsec};
    if (const auto at = stamps_.find(call.id); at != stamps_.end() && at->second == now) return {};
  }
  Answer answer = Index(call, pool);
  if (!answer.source) return {};
  now.hash = HashOfText(answer.source->text);
  stamps_.insert_or_assign(call.id, now);
  return now.hash == read.hash ? Answer() : answer;
}

std::vector<Answer> FileTools::ReadAgain(const std::vector<Reread>& calls, Pool& pool) {
  std::vector<Answer> out(calls.size());
  std::vector<RelationRead> reads;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (auto read = ReadFor(calls[i].call, pool)) {
      // Without its rows a session cannot be replayed past a change.
      if (read->relation != nullptr && read->relation->record_query) continue;
      if (!MayRead(*read).yes) continue;  // it keeps its rows
      reads.push_back(std::move(*read));
      places.push_back(i);
    } else {
      out[i] = ReadFileAgain(calls[i], pool);
    }
  }
  std::vector<RelationRows> rows =
      ReadRelations(reads, pool, calls.empty() ? nullptr : calls.front().call.stop);
  // One that cannot be read keeps its rows, and so do those that were read with it.
  std::set<std::string> failed;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!rows[k].code.empty()) failed.insert(reads[k].database());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool changed = rows[k].code == "changed";
    if (!changed &&
        (failed.contains(reads[k].database()) || rows[k].query.digest == calls[places[k]].hash))
      continue;
    out[places[k]] = AnswerOf(reads[k], std::move(rows[k]), pool);
  }
  return out;
}

std::vector<RecordedText> FileTools::ReadRecorded(const std::vector<RecordedRead>& recorded,
                                                  Pool& pool) {
  std::vector<RecordedText> out(recorded.size());
  std::vector<RelationRead> reads;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    std::optional<RelationRead> read;
    if (!recorded[i].call.args.empty()) read = ReadFor(recorded[i].call, pool);
    if (!read || read->relation == nullptr) {
      out[i].failure = "no `rpl.yaml` beside the program names the relation";
      continue;
    }
    if (const Permission::Permit permit = MayRead(*read); !permit.yes) {
      out[i].failure = permit.reason;
      continue;
    }
    reads.push_back(std::move(*read));
    places.push_back(i);
  }
  std::vector<RelationRows> rows =
      ReadRelations(reads, pool, recorded.empty() ? nullptr : recorded.front().call.stop);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const SourceQuery& was = recorded[places[k]].query;
    RecordedText& to = out[places[k]];
    to.failure = rows[k].message;
    if (to.failure.empty() &&
        (rows[k].query.sql != was.sql || rows[k].query.parameters != was.parameters ||
         rows[k].query.database != was.database))
      to.failure = "`rpl.yaml` has another query for it now";
    if (to.failure.empty() && rows[k].query.digest != was.digest) {
      to.failure = "its rows are others now";
      to.differs = true;
    }
    to.text = std::move(rows[k].source.text);
  }
  return out;
}

std::vector<std::optional<SqlSource>> FileTools::Places(const std::vector<ToolCall>& calls,
                                                        const Pool& pool) {
  std::vector<std::optional<SqlSource>> out(calls.size());
  std::vector<const DatabaseRelation*> relations;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    if (!Takes(calls[i]) || calls[i].args.size() != 1 || calls[i].tool != "index") continue;
    const Value name = calls[i].args[0];
    for (const DatabaseRelation& relation : config_.relations) {
      if (name.kind() != Kind::kString || pool.TextOf(name) != relation.name) continue;
      if (!relation.push || relation.record_query || !MayRead(relation).yes) continue;
      relations.push_back(&relation);
      places.push_back(i);
    }
  }
  std::vector<std::optional<SqlSource>> found =
      DescribeRelations(relations, calls.empty() ? nullptr : calls.front().stop);
  for (std::size_t k = 0; k < found.size(); ++k) out[places[k]] = std::move(found[k]);
  return out;
}

Answer FileTools::Write(const ToolCall& call, Pool& pool) {
  const auto bad = [&](const std::string& message) { return Failed(pool, "bad-request", message); };
  if (call.args[1].kind() != Kind::kString)
    return bad("expected a path as the second argument, got " + Text(pool, call.args[1], 60));
  const WriteOptions options =
      call.args.size() == 3 ? OptionsOf(pool, call.args[2]) : WriteOptions();
  if (!options.error.empty()) return bad(options.error);
  const std::string location(pool.TextOf(call.args[1]));
  const WrittenText written = TextToWrite(pool, call.args[0], options.format, StemOf(location));
  if (!written.error.empty()) return bad("the content cannot be written: " + written.error);
  const std::string path = PathOf(folder_, location);
  const std::string result = fs::path(path).lexically_relative(folder_);
  if (config_.write == Permit::kDeny)
    return NotRunCall(pool, "denied", "the configuration denies it");
  // The configuration comes with the program: it allows no more than the files of its folder, and
  // that once it is approved.
  {
    const bool ask = config_.write == Permit::kAsk || !IsPlainlyBelow(folder_, path);
    const Permission::Permit permit =
        ask ? permission_.AskToWrite(path, written.text.size())
            : permission_.Reach("write", "write files below `" + folder_ + "` without a question");
    if (!permit.yes) return NotRunCall(pool, "denied", permit.reason);
  }
  if (call.starting && !call.starting()) return {};
  const auto may_replace = [&](std::string_view there) {
    const std::pair ours(result, HashOfText(there));
    return options.replace || std::ranges::find(call.written, ours) != call.written.end();
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
