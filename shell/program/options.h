// SPDX-License-Identifier: Apache-2.0
//
// Options that several commands share, as plain data and as given on the command line.
#ifndef RPL_SHELL_PROGRAM_OPTIONS_H_
#define RPL_SHELL_PROGRAM_OPTIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "runtime/session_options.h"
#include "shell/terminal/output_format.h"

namespace rpl {

/// The options of the guard.
struct GuardOptions {
  std::string policy;             // --policy FILE, "" for none
  std::string audit;              // --audit FILE
  bool audit_required = false;    // --audit-required
  std::string store;              // --store FILE, "" for the agent's own
  std::string agent;              // --agent SLUG
  std::string organisation_zone;  // --org-timezone ZONE
  std::string on_missing;         // --on-missing EFFECT, "" for none
};

/// The options of a session.
struct EngineOptions {
  std::string answers_file;              // --answers FILE
  std::vector<std::string> answers;      // --answer KEY=VALUE
  std::vector<std::string> declines;     // --decline KEY
  std::string answers_by;                // --answers-by WHO, "" for none
  std::string person;                    // SessionOptions::person
  std::vector<std::string> take_back;    // --take-back KEY
  std::string goal;                      // --goal NAME (GoalNamed), "" for none
  bool prose = false;                    // --prose
  std::string now;                       // --now T
  std::string config;                    // --config FILE
  std::vector<std::string> allow_tools;  // --allow-tool NAME
  std::string model;                     // --model PROVIDER:NAME, "" for that of the settings
  std::vector<std::string> facts;        // --facts RELATION=FILE
  char separator = ',';                  // --separator
  bool strict_facts = false;             // --strict-facts
  GuardOptions guard;
  bool log_phases = false;                      // --log phases
  bool events = false;                          // --events ndjson
  SessionLimits limits;                         // --max-time and the like
  std::size_t threads = 1;                      // --threads N
  const OutputFormat* format = kOutputFormats;  // --format, never null
};

/// The options of rpl repl [FILE…], the interactive shell (shell/repl/repl.h).
struct ReplOptions {
  std::vector<std::string> files;
  std::string session;          // --session FILE
  std::string colour = "auto";  // --color WHEN: auto, always, never
  EngineOptions engine;         // `format`: as `.mode`; `log_phases`: as `.phases on`
};

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_OPTIONS_H_
