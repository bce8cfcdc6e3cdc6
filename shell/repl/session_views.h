// SPDX-License-Identifier: Apache-2.0
//
// The commands of the shell that show what its session holds: `.tables`, `.schema`, `.facts`,
// `.rules`, `.goals`, `.trace`, `.profile`, `.why` and `.whynot`. None changes the session.
//
// Results go to standard output; that there are none is a note. `argument` is trimmed, and empty
// only if the command allows it.
#ifndef RPL_SHELL_REPL_SESSION_VIEWS_H_
#define RPL_SHELL_REPL_SESSION_VIEWS_H_

#include <string>

namespace rpl {

class AnswerPrinter;
class ReplConsole;
class ReplSession;

class SessionViews {
 public:
  /// Borrows all three. `.facts` shows as many rows as `answers`.
  SessionViews(ReplSession& session, const AnswerPrinter& answers, ReplConsole& console)
      : session_(session), answers_(answers), console_(console) {}

  /// The relations with their rows and rules; those with `argument` in their name.
  void Tables(const std::string& argument);
  /// The same with rules and constraints; that of one name, with its arity or without.
  void Schema(const std::string& argument);
  /// The relations with their asserted and derived rows, or the facts of one.
  void Facts(const std::string& argument);
  /// The rules, or those of one relation.
  void Rules(const std::string& argument);
  /// The rules of goals, and what the goals have given.
  void Goals();
  /// What has been established, in order.
  void Trace();
  /// What the last entry took its time for.
  void Profile();
  /// Why a fact holds, and why it does not.
  void Why(const std::string& argument);
  void WhyNot(const std::string& argument);

 private:
  void PrintExplained(const std::string& fact, bool absent);

  ReplSession& session_;
  const AnswerPrinter& answers_;
  ReplConsole& console_;
};

}  // namespace rpl

#endif  // RPL_SHELL_REPL_SESSION_VIEWS_H_
