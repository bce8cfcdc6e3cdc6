// SPDX-License-Identifier: Apache-2.0
//
// The names of the parts of a run that others borrow.
#ifndef RPL_RUNTIME_FACTS_PART_NAMES_H_
#define RPL_RUNTIME_FACTS_PART_NAMES_H_

namespace rpl {

namespace interp {
class Engine;
}  // namespace interp

class Budget;
class Derivations;
class Door;
class FactWriter;
class People;
class Recorder;
class SourceAccess;
class SourceFeed;
class Tools;
struct Answer;
struct CallBook;
struct CallReply;
struct Definition;
struct Evaluation;
struct GoalRecord;
struct OpenCall;
struct SessionOptions;

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_PART_NAMES_H_
