// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "grammar/document.h"
#include "interp/program/program.h"
#include "interp/store/store.h"

namespace rpl {
namespace {

constexpr std::array<std::string_view, 7> kEntryNames = {
    "fact", "retraction", "reply", "constraint", "derivation", "goal", "failure"};

enum class As { kNothing, kComment, kSentence };

// Which truths of goals stand at the end, by position.
std::vector<bool> StandingTruths(std::span<const TraceEntry> trace) {
  std::vector<bool> out(trace.size());
  bool retracted = false;
  int failed = 0;
  for (std::size_t i = trace.size(); i-- > 0;) {
    const TraceEntry& entry = trace[i];
    retracted = retracted || entry.kind == TraceEntry::Kind::kRetraction;
    if (entry.kind == TraceEntry::Kind::kFailure) failed = entry.timestep;
    if (entry.kind == TraceEntry::Kind::kGoal)
      out[i] = !entry.past && !retracted && entry.timestep != failed;
  }
  return out;
}

As HowToWrite(const TraceEntry& entry, bool stands) {
  switch (entry.kind) {
    case TraceEntry::Kind::kFact:
    case TraceEntry::Kind::kRetraction:
      return entry.stated && entry.past ? As::kNothing : As::kSentence;
    // The reply of $json cannot be given as an answer again; that of $index comes with the facts of
    // its source, which is read again.
    case TraceEntry::Kind::kReply:
      if (entry.answered && entry.answered->tool == "index") break;
      return entry.answered && entry.answered->shown ? As::kComment : As::kSentence;
    case TraceEntry::Kind::kGoal:
      if (stands) return As::kSentence;
      break;
    case TraceEntry::Kind::kConstraint:
    case TraceEntry::Kind::kDerivation:
    case TraceEntry::Kind::kFailure: break;
  }
  return entry.past ? As::kNothing : As::kComment;
}

// The program changed so that a check has no findings: with the facts that it retracts, and with
// escaped braces in texts from outside.
std::string WithoutFindings(const std::string& program) {
  Pool pool;
  Store store(pool);
  Sources sources;
  Diagnostics findings;
  Program read(store, sources);
  const Document document = ReadDocument(sources, sources.Add("trace.rpl", program), findings);
  const Novelty novelty = read.Load(document, findings, false);
  std::map<std::uint32_t, std::string> inserted;  // before these places
  for (const Diagnostic& d : findings.all())
    if (d.code == Code::kBraceInString) inserted[d.span.begin] = "\\";
  for (const Assertion* a :
       RetractionsOfNothing(read, store, novelty.assertions, novelty.question_entries))
    inserted[a->span.begin] = FactText(store, a->relation, a->row) + " -> true\n";
  std::string out;
  std::size_t from = 0;
  for (const auto& [at, text] : inserted) {
    out += program.substr(from, at - from) + text;
    from = at;
  }
  return out + program.substr(from);
}

}  // namespace

std::string_view EntryName(TraceEntry::Kind kind) {
  return kEntryNames[static_cast<std::size_t>(kind)];
}

std::string RetractionOf(const TraceEntry& entry) {
  return entry.text.substr(0, entry.text.size() - kIsTrue.size()) + std::string(kIsFalse);
}

std::vector<AnsweredCall> FailedCalls(const Trace& trace) {
  std::vector<AnsweredCall> calls;
  std::set<std::string> failed;
  for (const TraceEntry& entry : trace) {
    if (!entry.answered || entry.answered->tool.empty()) continue;
    const AnsweredCall& call = *entry.answered;
    if (!call.failed || entry.kind == TraceEntry::Kind::kRetraction) {
      failed.erase(call.call);
    } else if (failed.insert(call.call).second &&
               std::none_of(calls.begin(), calls.end(),
                            [&](const AnsweredCall& known) { return known.call == call.call; })) {
      calls.push_back(call);
    }
  }
  std::erase_if(calls, [&](const AnsweredCall& call) { return !failed.contains(call.call); });
  return calls;
}

TraceEntry HalfAnswered(const std::string& heading, const std::string& bindings) {
  return {TraceEntry::Kind::kReply, 0, 1, heading + " ^^ " + bindings + " -> true"};
}

std::string TraceProgram(std::span<const TraceEntry> trace) {
  const std::vector<bool> stands = StandingTruths(trace);
  std::string out;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const As as = HowToWrite(trace[i], stands[i]);
    if (as != As::kNothing) out += (as == As::kComment ? "-- " : "") + trace[i].text + "\n";
  }
  return WithoutFindings(out);
}

CarriedTrace Carried(std::span<const TraceEntry> trace) {
  const std::vector<bool> stands = StandingTruths(trace);
  CarriedTrace out;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const TraceEntry& entry = trace[i];
    if (entry.stated || HowToWrite(entry, stands[i]) != As::kSentence) continue;
    out.text += entry.text + "\n";
    const auto lines = std::count(entry.text.begin(), entry.text.end(), '\n') + 1;
    out.by.insert(out.by.end(), static_cast<std::size_t>(lines), entry.by.value_or(By::kHost));
  }
  return out;
}

}  // namespace rpl
