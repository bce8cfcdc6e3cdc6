// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "runtime/postgres/database_url.h"
#include "runtime/postgres/open_session.h"
#include "runtime/postgres/session_rows.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/terminal/input.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl session …: sessions as a whole, and their tables in PostgreSQL.
struct SessionCommandOptions {
  enum class What { kCopy, kList, kSchema };
  What what = What::kCopy;
  std::string from;                             // kCopy: a session; kList: the URL of a database
  std::string to;                               // kCopy: the name of a new session
  const OutputFormat* format = kOutputFormats;  // kList
  SessionLimits limits;
};

constexpr const char* kSessionFooter =
    R"(Examples
  rpl session copy trip.rpls backup.rpls
  rpl session schema > tables.sql
  rpl session list postgresql:///rpl)";

using nlohmann::ordered_json;

/// Bytes of events that are settled together: one statement holds them, and a server's memory.
constexpr std::size_t kSettledTogether = std::size_t{32} << 20;

ExitCode FileFailure(const std::string& name, const std::string& error,
                     const std::string& hint = "") {
  Complain(name, error, hint);
  return Interrupted() ? kExitInterrupted : kExitFile;
}

// The events into a new session. Returns the reason for a failure, or "".
std::string AppendEvents(const std::vector<Event>& events, SessionStore& to) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < events.size(); ++i) {
    bytes += events[i].body.size();
    const bool settled = i + 1 == events.size() || bytes >= kSettledTogether;
    if (settled) bytes = 0;
    if (std::string error = to.Append(events[i], settled); !error.empty()) return error;
    if (Interrupted()) return "interrupted";
  }
  return "";
}

// The copy is read again: what was written is not taken on trust.
int CopySession(const SessionCommandOptions& options) {
  const SessionStore::Opened from =
      OpenSession(options.from, SessionStore::Mode::kRead, Interrupted);
  if (from.store == nullptr) return FileFailure(options.from, from.error, from.hint);
  if (!from.store->damage().empty())
    return FileFailure(options.from, "the session is damaged: " + from.store->damage());
  if (from.store->events().empty()) return FileFailure(options.from, "nothing was recorded yet");
  {
    const SessionStore::Opened to =
        OpenSession(options.to, SessionStore::Mode::kCreate, Interrupted);
    if (to.store == nullptr) return FileFailure(options.to, to.error, to.hint);
    if (const std::string error = AppendEvents(from.store->events(), *to.store); !error.empty()) {
      std::error_code ignored;
      if (!IsDatabaseUrl(options.to)) std::filesystem::remove(options.to, ignored);
      return FileFailure(options.to, error, "the copy is not complete; copy to another name");
    }
  }
  const SessionStore::Opened copy = OpenSession(options.to, SessionStore::Mode::kRead, Interrupted);
  if (copy.store == nullptr) return FileFailure(options.to, copy.error, copy.hint);
  if (!copy.store->damage().empty() || copy.store->events() != from.store->events())
    return FileFailure(options.to, "the copy differs from the session");
  std::cout << copy.store->Anchor() << '\n';
  std::cerr << fmt::format("copied: {} events\n", copy.store->events().size());
  return kExitOk;
}

int ListSessionsOf(const SessionCommandOptions& options) {
  if (!IsDatabaseUrl(options.from)) {
    Complain(options.from, "expected the URL of a database, `postgresql://USER@HOST/DATABASE`");
    return kExitInvalid;
  }
  const SessionList list = ListSessions(options.from, Interrupted);
  if (!list.error.empty()) return FileFailure(options.from, list.error);
  ordered_json sessions = ordered_json::array();
  for (const ListedSession& one : list.sessions) {
    sessions.push_back(
        {{"session", one.session}, {"events", one.events}, {"changed", one.changed}});
    if (!one.owner.empty()) sessions.back()["open"] = one.owner;
    if (!options.format->IsText()) continue;
    std::cout << fmt::format("{}  {} event{}  {}{}\n", PrintableLine(one.session), one.events,
                             one.events == 1 ? "" : "s", one.changed,
                             one.owner.empty() ? "" : "  open: " + PrintableLine(one.owner));
  }
  if (!options.format->IsText())
    options.format->write(std::cout,
                          {{"schema", "rpl.sessions/1"}, {"sessions", std::move(sessions)}});
  return kExitOk;
}

// kCopy prints the anchor of the copy, after reading it again. kExitFile for a session that cannot
// be read or written, kExitInvalid for a name that cannot be listed.
int CommandSession(const SessionCommandOptions& options) {
  using What = SessionCommandOptions::What;
  switch (options.what) {
    case What::kCopy: return CopySession(options);
    case What::kList: return ListSessionsOf(options);
    case What::kSchema: std::cout << SessionSchema(); return kExitOk;
  }
  return kExitBug;
}

}  // namespace

Command DescribeSession(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<SessionCommandOptions>();
  SessionCommandOptions& to = *options;
  using What = SessionCommandOptions::What;
  command.RequirePart(1);
  const CommandOptions copy =
      AddPart(command, "copy", "Copy a session, verify the copy, and print its anchor", to.what,
              What::kCopy);
  copy.Add("FROM", to.from, "A session file, or postgresql://…/NAME").Required();
  copy.Add("TO", to.to, "The same, of a session that does not exist yet").Required();
  const CommandOptions list =
      AddPart(command, "list", "List the sessions of a database", to.what, What::kList);
  list.Add("URL", to.from, "The database: postgresql://USER@HOST/DATABASE").Required();
  AddFormat(list, to.format);
  AddPart(command, "schema", "Print the tables and roles of sessions in PostgreSQL, as SQL",
          to.what, What::kSchema);
  command.Footer(kSessionFooter);
  return {.run = [options] { return CommandSession(*options); }, .limits = &to.limits};
}

}  // namespace rpl
