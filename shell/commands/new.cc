// SPDX-License-Identifier: Apache-2.0
//
// The files of a new protocol. In the templates, NAME is the name of its goal and of its file,
// TITLE the title of its heading.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include "formats/write_all.h"
#include "shell/commands/commands.h"
#include "shell/commands/shared_options.h"
#include "shell/program/program_files.h"
#include "shell/terminal/report.h"

namespace rpl {
namespace {

// rpl new NAME: writes NAME.md, a protocol with a goal, questions and a constraint, and its tests,
// NAME-test.md; both or none. Says what to do next.
struct NewOptions {
  std::string name;  // with folders in front, and with or without `.md`
  std::string kind;  // --kind: "gate" for one that binds an agent, or "protocol"
};

constexpr const char* kNewFooter =
    R"(Writes NAME.md, a protocol with a goal, two questions and a constraint, and its tests,
NAME-test.md. Files that exist are left as they are.

Examples
  rpl new bike-lending
  rpl new protocols/bike-lending           # in a folder that exists)";

namespace fs = std::filesystem;

constexpr std::size_t kMostLetters = 100;

constexpr std::string_view kProtocol =
    R"(# TITLE - %NAME(?size, ?count) <- size(?size), count(?count)

This prose says what to do once the goal is reached: hand over __count__ of size __size__.

## Size - size(?size)

This prose is the question, and the facts below are the choices. Choose one __known-size__.

known-size("small")
known-size("large")

## Count - count(?count)

How many do you need?

## Not more than there are - count(?count), in-stock(?most) -> ?count <= ?most

There are only __most__, and __count__ are asked for.

in-stock(10)
)";

constexpr std::string_view kTest =
    R"(# Tests of NAME.md

Each heading below is a case. A script loads the protocol, answers its questions, and states what
has to come out.

## A size and a count reach the goal

```rpl-test
LOAD: NAME.md
REPLY: size => "small"
REPLY: count => 3
RUN:
AGENT:
{"?size":"small","?count":3}
STATUS: satisfied
```

## More than there are violates the constraint

```rpl-test
LOAD: NAME.md
REPLY: size => "large"
REPLY: count => 11
RUN:
FAIL:
constraint violated
?count 11, ?most 10
```
)";

constexpr std::string_view kGate =
    R"md(# TITLE - %NAME(?who) <- green(), approved(?who)

This prose says what to do once the goal is reached: push now; __who__ approved it.

## Approved - approved(?who)

Who approves the push? Only a person can say.

approved(_) ^ ~ {:by ?by} -> ?by = :person

## Green

The tests are green if `make test` ended well and nothing was edited since.

```rpl
green() <- std#succeeded(?run, "make", ["test"]), not edited-since(?run)
edited-since(?run) <- std#succeeded(?run, "make", ["test"]), edit(?edit), ?edit >= ?run
edit(?call) <- std#acts(?call, "edits"), not std#call-state(?call, :denied)
```

# No push before the tests are green - std#decides(?c), std#runs(?c, "git", ["push" & _]) -> green()

This prose is the reason that the agent reads: run `make test` after your last edit, then push.

# A person approves the push - std#decides(?c), std#runs(?c, "git", ["push" & _]) -> approved(_)

Ask your user for approval. You cannot give it yourself.

# The work is not done before the tests are green - std#turn-ends(_), edit(_) -> green()

You edited files. Run `make test`, and mend what fails before you end your turn.
)md";

constexpr std::string_view kGateTest =
    R"md(# Tests of NAME.md

Each heading below is a case: calls of an agent, and what the gate says to them.

## No push before the tests are green

```rpl-test
LOAD: NAME.md
CALL: Edit {"file_path": "cart.py", "old_string": "a", "new_string": "b"}
PASS:
ENDS:
DENY: Run `make test`, and mend what fails
CALL: Bash {"command": "git push"}
DENY: run `make test` after your last edit
CALL: Bash {"command": "make test"}
PASS:
RESULT: {"stdout": "ok"}
ENDS:
PASS:
CALL: Bash {"command": "git push"}
DENY: Who approves the push?
```

## A person approves, and not the agent

```rpl-test
LOAD: NAME.md
CALL: Bash {"command": "make test"}
PASS:
RESULT: {"stdout": "ok"}
CALL: Bash {"command": "git push"}
DENY: You cannot give it yourself
BY: person
REPLY: approved => "Ada"
CALL: Bash {"command": "git push"}
PASS:
```
)md";

std::string Filled(std::string_view text, const std::string& name, const std::string& title) {
  std::string out;
  while (!text.empty()) {
    const bool is_name = text.starts_with("NAME");
    const bool is_title = text.starts_with("TITLE");
    if (is_name) out += name;
    else if (is_title) out += title;
    else out += text.front();
    text.remove_prefix(is_name ? 4 : is_title ? 5 : 1);
  }
  return out;
}

// Words of lower-case letters and digits between hyphens, the first letter a letter: what names a
// goal and a file alike. %fail is no goal.
bool IsProtocolName(std::string_view name) {
  char before = '-';
  for (const char c : name) {
    const bool letter = c >= 'a' && c <= 'z';
    const bool digit = c >= '0' && c <= '9';
    if (!letter && !digit && (c != '-' || before == '-')) return false;
    before = c;
  }
  return !name.empty() && name.size() <= kMostLetters && before != '-' &&
         (name.front() < '0' || name.front() > '9') && name != "fail";
}

// "Bike lending" for bike-lending.
std::string TitleOf(std::string name) {
  for (char& c : name)
    if (c == '-') c = ' ';
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

// Creates the file, which must not exist. An empty string, or what is wrong.
std::string Create(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) return "exists already, and is left as it is";
  if (fd < 0) return std::strerror(errno);
  int error = WriteAll(fd, text) ? 0 : errno;
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0) return "";
  unlink(path.c_str());
  return std::strerror(error);
}

// kExitInvalid for a name that no goal can have, kExitFile if a file exists.
int CommandNew(const NewOptions& options) {
  fs::path path = options.name;
  if (path.extension() == ".md") path.replace_extension();
  const std::string name = path.filename();
  if (!IsProtocolName(name)) {
    Complain(options.name, "expected a name such as `bike-lending`",
             "small letters, digits and hyphens, and a letter first; `fail` is taken");
    return kExitInvalid;
  }
  const std::string protocol = path.string() + ".md";
  const std::string test = path.string() + "-test.md";
  const std::string title = TitleOf(name);
  const bool gate = options.kind == "gate";
  if (const std::string wrong = Create(protocol, Filled(gate ? kGate : kProtocol, name, title));
      !wrong.empty()) {
    Complain(protocol, wrong);
    return kExitFile;
  }
  if (const std::string wrong = Create(test, Filled(gate ? kGateTest : kTest, name, title));
      !wrong.empty()) {
    unlink(protocol.c_str());
    Complain(test, wrong);
    return kExitFile;
  }
  const std::string protocol_word = AsShellWord(protocol);
  const std::string test_word = AsShellWord(test);
  std::cout << "wrote " << protocol_word << " and its tests, " << test_word << "\n\nnext:\n"
            << (gate ? "  rpl guard install " : "  rpl run ") << protocol_word << "\n  rpl test "
            << test_word << "\n  rpl check --watch " << protocol_word << "\n";
  return kExitOk;
}

}  // namespace

Command DescribeNew(CommandOptions command, const Wanted&) {
  const auto options = std::make_shared<NewOptions>();
  NewOptions& to = *options;
  command.Add("NAME", to.name, "The name of the goal, as in bike-lending").Required();
  command.Add("--kind", to.kind, "A protocol to run, or a gate for an agent's tool calls")
      .Unit("protocol|gate")
      .OneOf({"protocol", "gate"});
  command.Footer(kNewFooter);
  return {.run = [options] { return CommandNew(*options); }};
}

}  // namespace rpl
