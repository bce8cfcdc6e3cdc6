// SPDX-License-Identifier: Apache-2.0
#include "runtime/tools/file_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <vector>

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
  for (const Value arg : request.args)
    if (arg.kind() != Kind::kString)
      return NotRunCall(pool, "bad-request", "expected a string, got " + Text(pool, arg, 60));
  const std::string location(pool.TextOf(request.args[0]));
  if (location.find("://") != location.npos)
    return NotRunCall(
        pool, "outside",
        "`" + location + "` is no file; a tool named `index` in `rpl.yaml` may read it");
  const std::string path = PathOf(folder_, location);
  std::vector<std::string> allowed = config_.index_folders;
  allowed.insert(allowed.begin(), folder_);
  FileRead read = ReadBelow(allowed, path);
  if (!read.failure.code.empty()) return NotRunCall(pool, read.failure.code, read.failure.message);
  return IndexAnswer(pool, {fs::path(path).lexically_relative(folder_), std::move(read.text)});
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
  if (config_.write == Permit::kAsk) {
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
