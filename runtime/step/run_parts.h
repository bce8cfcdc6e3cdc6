// SPDX-License-Identifier: Apache-2.0
//
// The parts of a run, wired: each borrows from those before it. Runtime is the order in which they
// work; a test of one of them has the same wiring, without a session. The header of each part is a
// contract of its own, to be included where the part is used.
#ifndef RPL_RUNTIME_STEP_RUN_PARTS_H_
#define RPL_RUNTIME_STEP_RUN_PARTS_H_

#include <deque>
#include <memory>

#include "runtime/step/part_names.h"

namespace rpl {

class ConstraintCheck;
class Dispatch;
class GoalPursuit;
class Sources;
struct Ports;
struct Said;

class RunParts {
  struct Owned;
  std::unique_ptr<Owned> owned_;
  explicit RunParts(std::unique_ptr<Owned> owned);

 public:
  RunParts(const Ports& ports, SessionOptions with);
  ~RunParts();
  RunParts(const RunParts&) = delete;

  SessionOptions& options;
  Recorder& recorder;
  Sources& sources;
  interp::Engine& engine;
  Budget& budget;
  Derivations& derivations;
  CallBook& calls;
  GoalRecord& goals;
  std::deque<Said>& novelty;
  FactWriter& facts;
  Violations& violations;
  ConstraintCheck& constraints;
  CallPermission& permission;
  Door& door;
  SourceFeed& source_feed;
  Inbox& inbox;
  RequestWriter& requests;
  GoalPursuit& pursuit;
  Dispatch& dispatch;
  Judge& judge;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_RUN_PARTS_H_
