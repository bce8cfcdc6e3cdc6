// SPDX-License-Identifier: Apache-2.0
//
// The editing reader binds keys to functions of its own. Such a function cannot end a line in a way
// that leaves the cursor below the text, so it pushes a key sequence that no keyboard sends and
// that is bound to libedit's own function (kAccept and similar).
#include "shell/repl/line_reader.h"

#include <histedit.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <utility>

#include "shell/terminal/input.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

constexpr const wchar_t* kAccept = L"\033[999~";
constexpr const wchar_t* kLineUp = L"\033[998~";
constexpr const wchar_t* kLineDown = L"\033[997~";
constexpr const wchar_t* kOlder = L"\033[996~";
constexpr const wchar_t* kNewer = L"\033[995~";
constexpr const wchar_t* kPasteEnd = L"\033[201~";
constexpr wchar_t kCancel = 3;  // Ctrl-C
constexpr int kHistory = 1000;  // entries

volatile std::sig_atomic_t resized = 0;
volatile std::sig_atomic_t continued = 0;

bool Take(volatile std::sig_atomic_t& flag) {
  const bool was = flag != 0;
  flag = 0;
  return was;
}

// --- lines as they come -------------------------------------------------------------------

class PlainReader : public LineReader {
 public:
  PlainReader(LineSupport support, bool prompts)
      : support_(std::move(support)), prompts_(prompts) {}

  Line Entry(const std::string& prompt) override {
    std::string text;
    for (bool first = true;; first = false) {
      Prompt(first ? prompt : std::string(prompt.size() - 2, '.') + "> ");
      const std::optional<std::string> line = ReadLine();
      if (!line && Cancelled()) return {End::kCancelled, text};
      if (!line) return {first ? End::kOver : End::kText, text};
      text += (first ? "" : "\n") + Narrow(Wide(*line));
      if (support_.is_complete(text, false)) return {End::kText, text};
    }
  }

  Line Answer(const std::string& prompt) override {
    Prompt(prompt);
    const std::optional<std::string> line = ReadLine();
    if (line) return {End::kText, Narrow(Wide(*line))};
    return {Cancelled() ? End::kCancelled : End::kOver, ""};
  }

  void Remember(const std::string&) override {}

 private:
  void Prompt(const std::string& prompt) const {
    if (!prompts_) return;
    std::cout << std::flush;
    std::fputs(prompt.c_str(), stdout);  // std::cout may lead to a file
    std::fflush(stdout);
  }

  // Without a person, Ctrl-C ends the shell.
  bool Cancelled() const {
    if (!prompts_ || !Interrupted()) return false;
    ClearInterrupt();
    std::fputs("\n", stdout);
    return true;
  }

  LineSupport support_;
  bool prompts_;
};

// --- a terminal ---------------------------------------------------------------------------

class EditReader : public LineReader {
 public:
  EditReader(LineSupport support, const std::vector<std::string>& history, bool colours);
  ~EditReader() override;

  Line Entry(const std::string& prompt) override { return Read(prompt, false); }
  Line Answer(const std::string& prompt) override { return Read(prompt, true); }
  void Remember(const std::string& entry) override;

 private:
  using Code = unsigned char;

  Line Read(const std::string& prompt, bool answer);
  std::string Text() const;
  Code Enter();
  Code Tab();
  Code Paste();
  Code Cancel();
  struct Place {
    int behind;  // characters before it in its line
    int ahead;   // characters from it to the end of its line
    bool more;   // true if lines follow
  };
  Place Where() const;
  Code Home();
  Code Finish();
  Code Kill();
  Code Vertical(bool up);
  static int ReadChar(EditLine* el, wchar_t* to);

  static EditReader& Of(EditLine* el) {
    void* self = nullptr;
    el_wget(el, EL_CLIENTDATA, &self);
    return *static_cast<EditReader*>(self);
  }
  template <Code (EditReader::*Function)()>
  static Code Call(EditLine* el, wint_t) {
    return (Of(el).*Function)();
  }
  Code Up() { return Vertical(true); }
  Code Down() { return Vertical(false); }
  Code Break() { return el_winsertstr(el_, L"\n") == 0 ? CC_REFRESH : CC_ERROR; }

  template <Code (EditReader::*Function)()>
  void Bind(const wchar_t* name, std::initializer_list<const wchar_t*> keys) {
    el_wset(el_, EL_ADDFN, name, L"of the shell", &EditReader::Call<Function>);
    for (const wchar_t* key : keys) el_wset(el_, EL_BIND, key, name, nullptr);
  }

  LineSupport support_;
  bool colours_;
  FILE* out_;
  EditLine* el_;
  HistoryW* history_;
  std::wstring prompt_;
  bool answer_ = false;  // reading one line
  bool pasted_ = false;  // several lines were pasted
  bool cancelled_ = false;
};

EditReader::EditReader(LineSupport support, const std::vector<std::string>& history, bool colours)
    : support_(std::move(support)),
      colours_(colours),
      out_(isatty(STDOUT_FILENO) == 1 ? stdout : stderr) {
  const Utf8Locale utf8;
  el_ = el_init("rpl", stdin, out_, stderr);
  history_ = history_winit();
  HistEventW event;
  history_w(history_, &event, H_SETSIZE, kHistory);
  history_w(history_, &event, H_SETUNIQUE, 1);
  for (const std::string& entry : history) Remember(entry);
  el_wset(el_, EL_CLIENTDATA, this);
  el_wset(el_, EL_EDITOR, L"emacs");
  el_source(el_, nullptr);
  el_wset(el_, EL_SIGNAL, 0);
  el_wset(el_, EL_HIST, history_w, history_);
  el_wset(el_, EL_GETCFN, ReadChar);
  el_wset(
      el_, EL_PROMPT_ESC, +[](EditLine* el) { return Of(el).prompt_.data(); }, L'\1');
  const auto bind = [&](const wchar_t* key, const wchar_t* to) {
    el_wset(el_, EL_BIND, key, to, nullptr);
  };
  bind(kAccept, L"ed-newline");
  bind(kLineUp, L"ed-prev-line");
  bind(kLineDown, L"ed-next-line");
  bind(kOlder, L"ed-prev-history");
  bind(kNewer, L"ed-next-history");
  bind(L"^R", L"em-inc-search-prev");
  bind(L"\033[3~", L"ed-delete-next-char");
  bind(L"\033[1;5D", L"ed-prev-word");
  bind(L"\033[1;5C", L"em-next-word");
  Bind<&EditReader::Enter>(L"rpl-enter", {L"\n", L"\r"});
  Bind<&EditReader::Break>(L"rpl-break", {L"\033\n", L"\033\r"});
  Bind<&EditReader::Tab>(L"rpl-complete", {L"\t"});
  Bind<&EditReader::Paste>(L"rpl-paste", {L"\033[200~"});
  Bind<&EditReader::Cancel>(L"rpl-cancel", {L"\003"});
  Bind<&EditReader::Home>(L"rpl-home", {L"^A", L"\033[H", L"\033OH", L"\033[1~"});
  Bind<&EditReader::Finish>(L"rpl-end", {L"^E", L"\033[F", L"\033OF", L"\033[4~"});
  Bind<&EditReader::Kill>(L"rpl-kill", {L"^K"});
  Bind<&EditReader::Up>(L"rpl-up", {L"\033[A", L"\033OA", L"^P"});
  Bind<&EditReader::Down>(L"rpl-down", {L"\033[B", L"\033OB", L"^N"});
  for (const auto& [signal, flag] :
       {std::pair(SIGWINCH, &resized), std::pair(SIGCONT, &continued)}) {
    struct sigaction action = {};
    action.sa_handler = flag == &resized ? +[](int) { resized = 1; } : +[](int) { continued = 1; };
    sigaction(signal, &action, nullptr);
  }
}

EditReader::~EditReader() {
  el_end(el_);
  history_wend(history_);
}

void EditReader::Remember(const std::string& entry) {
  HistEventW event;
  history_w(history_, &event, H_ENTER, Wide(entry).c_str());
}

LineReader::Line EditReader::Read(const std::string& prompt, bool answer) {
  const Utf8Locale utf8;
  std::cout << std::flush;
  prompt_ = Wide(colours_ ? "\1\033[1;36m\1" + prompt + "\1\033[0m\1" : prompt);
  answer_ = answer;
  pasted_ = cancelled_ = false;
  std::fputs("\033[?2004h", out_);  // pasted text is then delimited by marks
  int count = 0;
  const wchar_t* line = el_wgets(el_, &count);
  std::fputs(line == nullptr || count <= 0 ? "\033[?2004l\n" : "\033[?2004l", out_);
  std::fflush(out_);
  if (cancelled_) return {End::kCancelled, ""};
  if (line == nullptr || count <= 0) return {End::kOver, ""};
  std::wstring_view text(line, static_cast<std::size_t>(count));
  if (text.ends_with(L'\n')) text.remove_suffix(1);
  return {End::kText, Narrow(text)};
}

std::string EditReader::Text() const {
  const LineInfoW* line = el_wline(el_);
  return Narrow({line->buffer, static_cast<std::size_t>(line->lastchar - line->buffer)});
}

EditReader::Code EditReader::Enter() {
  if (!answer_ && !support_.is_complete(Text(), pasted_)) return Break();
  el_wpush(el_, kAccept);
  return CC_NORM;
}

EditReader::Code EditReader::Cancel() {
  cancelled_ = true;
  el_wpush(el_, kAccept);
  return CC_NORM;
}

// The cursor within its line, for keys that libedit would apply to the whole entry.
EditReader::Place EditReader::Where() const {
  const LineInfoW* line = el_wline(el_);
  const std::wstring_view text(line->buffer,
                               static_cast<std::size_t>(line->lastchar - line->buffer));
  const auto cursor = static_cast<std::size_t>(line->cursor - line->buffer);
  const std::size_t before = cursor == 0 ? text.npos : text.rfind(L'\n', cursor - 1);
  return {static_cast<int>(cursor - (before == text.npos ? 0 : before + 1)),
          static_cast<int>(std::min(text.find(L'\n', cursor), text.size()) - cursor),
          cursor < text.size()};
}

EditReader::Code EditReader::Home() {
  el_cursor(el_, -Where().behind);
  return CC_CURSOR;
}

EditReader::Code EditReader::Finish() {
  el_cursor(el_, Where().ahead);
  return CC_CURSOR;
}

// Deletes to the end of the line, or the line end itself.
EditReader::Code EditReader::Kill() {
  const Place place = Where();
  const int count = place.ahead > 0 ? place.ahead : place.more ? 1 : 0;
  el_cursor(el_, count);
  el_deletestr(el_, count);
  return CC_REFRESH;
}

// Up and down move within the entry, and from its first and last line to other entries.
EditReader::Code EditReader::Vertical(bool up) {
  if (answer_) return CC_ERROR;
  const LineInfoW* line = el_wline(el_);
  const wchar_t* begin = up ? line->buffer : line->cursor;
  const wchar_t* end = up ? line->cursor : line->lastchar;
  const bool within = std::wstring_view(begin, static_cast<std::size_t>(end - begin)).find(L'\n') !=
                      std::wstring_view::npos;
  if (up) el_wpush(el_, within ? kLineUp : kOlder);
  else el_wpush(el_, within ? kLineDown : kNewer);
  return CC_NORM;
}

EditReader::Code EditReader::Tab() {
  if (answer_) return CC_ERROR;
  const LineInfoW* line = el_wline(el_);
  const std::string before =
      Narrow({line->buffer, static_cast<std::size_t>(line->cursor - line->buffer)});
  const Completion found = support_.complete(Text(), before.size());
  if (found.candidates.empty()) return CC_ERROR;
  const std::string word = before.substr(found.begin);
  const std::string common = found.Common();
  if (common.size() > word.size()) {
    const std::string rest = common.substr(word.size());
    return el_winsertstr(el_, Wide(rest).c_str()) == 0 ? CC_REFRESH : CC_ERROR;
  }
  if (found.candidates.size() == 1) return CC_NORM;
  std::fprintf(out_, "\n%s", CandidateList(found.candidates, TerminalWidth()).c_str());
  return CC_REDISPLAY;
}

// Text up to the end mark is literal, Enter and Tab included. Line ends at its end are dropped, so
// that the entry can still be edited.
EditReader::Code EditReader::Paste() {
  std::wstring text;
  wchar_t c = 0;
  while (!text.ends_with(kPasteEnd) && el_wgetc(el_, &c) == 1) text += c == L'\r' ? L'\n' : c;
  if (text.ends_with(kPasteEnd)) text.erase(text.size() - std::wstring_view(kPasteEnd).size());
  text.erase(text.find_last_not_of(L'\n') + 1);
  std::erase_if(text,
                [](wchar_t t) { return (t < 0x20 && t != L'\n' && t != L'\t') || t == 0x7F; });
  if (text.empty()) return CC_NORM;
  if (answer_) std::replace(text.begin(), text.end(), L'\n', L' ');
  pasted_ |= text.find(L'\n') != std::wstring::npos;
  return el_winsertstr(el_, text.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

// Reads one code point; Ctrl-C counts as one. 0 at the end, -1 on an error.
int EditReader::ReadChar(EditLine* el, wchar_t* to) {
  std::string bytes;
  for (;;) {
    char byte = 0;
    const ssize_t n = read(STDIN_FILENO, &byte, 1);
    if (n < 0 && errno == EINTR) {
      if (Take(continued)) {
        el_wset(el, EL_PREP_TERM, 0);  // libedit assumes that the terminal is still set up
        el_wset(el, EL_PREP_TERM, 1);
        el_wset(el, EL_REFRESH);
      }
      if (Take(resized)) el_resize(el);
      if (!Interrupted()) continue;
      ClearInterrupt();
      *to = kCancel;
      return 1;
    }
    if (n <= 0) return static_cast<int>(n);
    bytes += byte;
    const auto first = static_cast<unsigned char>(bytes.front());
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
    if (bytes.size() < length) continue;
    *to = Wide(bytes).front();
    return 1;
  }
}

bool CanMoveCursor() {
  const char* term = std::getenv("TERM");
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

}  // namespace

bool IsInteractive() {
  return InputIsTerminal() && (isatty(STDOUT_FILENO) == 1 || isatty(STDERR_FILENO) == 1);
}

std::unique_ptr<LineReader> MakeLineReader(LineSupport support,
                                           const std::vector<std::string>& history, bool colours) {
  if (IsInteractive() && CanMoveCursor())
    return std::make_unique<EditReader>(std::move(support), history, colours);
  return std::make_unique<PlainReader>(std::move(support), IsInteractive());
}

}  // namespace rpl
