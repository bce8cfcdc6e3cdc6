// SPDX-License-Identifier: Apache-2.0
//
// The second road: random command lines are run by bash in folders of their own, with programs that
// write down their arguments. Each program that ran and each file that came to be must be in a row.
#include <sys/prctl.h>

#include <catch2/catch.hpp>
#include <random>
#include <sstream>

#include "checks/calls/call_test.h"

namespace rpl {
namespace {

namespace fs = std::filesystem;

constexpr int kCommands = 60;

// Command lines that end, without substitution of programs' output for programs.
class CommandGrammar {
 public:
  explicit CommandGrammar(unsigned seed) : random_(seed) {}

  std::string Line() { return List(3); }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string One(std::initializer_list<const char*> of) {
    return *(of.begin() + Below(static_cast<int>(of.size())));
  }

  // A word in one of its spellings.
  std::string Spelled(const std::string& word) {
    switch (Below(9)) {
      case 0: return "'" + word + "'";
      case 1: return "\"" + word + "\"";
      case 2: return word.substr(0, 1) + "''" + word.substr(1);
      case 3: return "\\" + word;
      case 4: return "$'" + word + "'";
      case 5: return word.substr(0, 1) + "\\\n" + word.substr(1);
      default: return word;
    }
  }

  std::string Word() {
    switch (Below(12)) {
      case 0: return "$x";
      case 1: return "\"$x y\"";
      case 2: return "{a,b}";
      case 3: return "$(git " + Spelled("inner") + ")";
      case 4: return "'a  b'";
      case 5: return "a$'\\t'b";
      case 6: return "*";
      case 7: return "$#";
      default: return Spelled(One({"push", "-n", "test", "a=b", "main"}));
    }
  }

  std::string Words() {
    std::string out;
    for (int i = Below(4); i > 0; --i) out += " " + Word();
    return out;
  }

  std::string Program() {
    switch (Below(10)) {
      case 0: return "$p" + Words();
      case 1: return Spelled("git") + " -C . " + Spelled("push") + Words();
      case 2:
        return Spelled("git") + " " + One({"{push,a}", "--no-pager log", "-c user.name=x tag"});
      case 3: return "\"$BIN\"/make" + Words();
      default:
        return Spelled(One({"git", "make"})) + " " + Spelled(One({"push", "status", "tag"})) +
               Words();
    }
  }

  std::string Path() {
    return One({"f", "src/f", "../f", "./src/../f", "src/./g", "\"$x\"", "h$x"});
  }

  std::string Simple() {
    std::string command = Program();
    switch (Below(16)) {
      case 0: return "env X=1 " + command;
      case 1: return "env -u X " + command;
      case 2: return "nice -n 1 " + command;
      case 3: return "timeout -k 5 9 " + command;
      case 4: return "X=1 " + command;
      case 5: return "echo a b | xargs -n 1 git " + Spelled("tag");
      case 6: return "echo z | xargs -I{} make {} x";
      case 7: return "find src -maxdepth 0 -exec git push {} \\;";
      case 8: return "bash -c 'make deep; git push $0' " + Spelled("arg");
      case 9: return "eval 'git evaluated'";
      case 10: return "echo 'make piped' | sh";
      case 11: return "command " + command;
      case 12: return "cd " + One({"src", ".", "nowhere", "\"$x\"", "src/.."});
      case 13: return "{ sh <<E\nmake heredoc\nE\n}";
      default: return command + (Below(3) == 0 ? One({" >", " >>", " 2>", " &>"}) + Path() : "");
    }
  }

  std::string Command(int depth) {
    if (depth == 0) return Simple();
    switch (Below(14)) {
      case 0: return "(" + List(depth - 1) + "\n)";
      case 1: return "{ " + List(depth - 1) + "\n}";
      case 2: return "if " + Simple() + "\nthen " + List(depth - 1) + "\nelse " + Simple() + "\nfi";
      case 3: return "for i in 1 2\ndo " + List(depth - 1) + "\ndone";
      case 4: return "case a in b) " + Simple() + "\n;; *) " + Simple() + "\n;; esac";
      case 5: return "f() { " + Simple() + "\n}\nf a b";
      case 6: return "! " + Simple();
      case 7: return ": \"`make back`\" <(git piped)";
      case 8: return "[[ -n $(" + Simple() + "\n) ]]";
      default: return Simple();
    }
  }

  std::string List(int depth) {
    std::string out = Command(depth);
    for (int i = Below(3); i > 0; --i)
      out += One({"\n", " && ", " || ", " | "}) + Command(depth - (depth > 0 ? 1 : 0));
    return out;
  }

  std::mt19937 random_;
};

bool HasRun(const CallViews& views, const std::vector<std::string>& argv) {
  const std::vector<std::string> arguments(argv.begin() + 1, argv.end());
  for (const ProgramCall& run : views.runs) {
    if (run.program != argv[0]) continue;
    if (run.arguments == arguments) return true;
    for (const ProgramCall& options : views.options) {
      std::vector<std::string> all = options.arguments;
      all.insert(all.end(), run.arguments.begin(), run.arguments.end());
      if (options.program == argv[0] && all == arguments) return true;
    }
  }
  // The options of an open row may be any.
  for (const OpenRun& run : views.open_runs) {
    if (run.program && *run.program != argv[0]) continue;
    if (std::search(arguments.begin(), arguments.end(), run.words.begin(), run.words.end()) !=
            arguments.end() ||
        run.words.empty())
      return true;
  }
  return false;
}

}  // namespace

TEST_CASE("what a call does: whatever random commands run and write is in a row") {
  TestProject scratch;
  const std::string root = scratch.folder();
  fs::create_directory(root + "/bin");
  for (const char* program : {"git", "make"}) {
    std::ofstream(root + "/bin/" + program)
        << "#!/bin/sh\nprintf '%s\\001' \"${0##*/}\" \"$@\" \002 >> \"$LOG\"\n[ $# -lt 3 ]\n";
    fs::permissions(root + "/bin/" + program, fs::perms::owner_all);
  }
  CommandGrammar grammar(20);
  std::vector<std::string> lines;
  std::ofstream script(root + "/run.sh");
  script << "PATH=" << root << "/bin:$PATH BIN=" << root << "/bin\nexport PATH BIN\n";
  for (int i = 0; i < kCommands; ++i) {
    lines.push_back(grammar.Line());
    const std::string folder = root + "/" + std::to_string(i);
    fs::create_directories(folder + "/p/src");
    std::ofstream(folder + "/line") << lines.back();
    script << "cd " << folder << "/p && LOG=" << folder << "/log p=git x=xx bash " << folder
           << "/line < /dev/null > /dev/null 2>&1\n";
  }
  script.close();
  // Commands in the background outlive their shell, and are not to become children of this process.
  int adopts = 0;
  prctl(PR_GET_CHILD_SUBREAPER, &adopts);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
  const int ran = std::system(("timeout 60 bash " + root + "/run.sh").c_str());
  prctl(PR_SET_CHILD_SUBREAPER, adopts);
  REQUIRE(ran != -1);

  ShfmtReader reader("", std::getenv("PATH"));
  int runs = 0, files = 0;
  for (int i = 0; i < kCommands; ++i) {
    INFO(lines[static_cast<std::size_t>(i)]);
    const std::string folder = root + "/" + std::to_string(i);
    const CallViews views = ViewsOf({"Bash", {{"command", lines[static_cast<std::size_t>(i)]}}},
                                    {folder + "/p", folder + "/p", root + "/home"}, reader);
    std::ifstream log(folder + "/log", std::ios::binary);
    for (std::string entry; std::getline(log, entry, '\002'); ++runs) {
      if (entry == "\001") break;
      std::vector<std::string> argv;
      std::istringstream words(entry.substr(entry[0] == '\001' ? 1 : 0));
      for (std::string word; std::getline(words, word, '\001');) argv.push_back(word);
      INFO(entry);
      CHECK(HasRun(views, argv));
    }
    for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder)) {
      const std::string path = file.path().string();
      if (!file.is_regular_file() || path == folder + "/log" || path == folder + "/line") continue;
      const std::string inside = folder + "/p/";
      const std::string name = path.starts_with(inside) ? path.substr(inside.size()) : path;
      INFO(name);
      CHECK(Reaches(views.edits, views.open_edits, name) != Answer::kNo);
      ++files;
    }
  }
  CHECK(runs > kCommands);
  CHECK(files > 0);
}

}  // namespace rpl
