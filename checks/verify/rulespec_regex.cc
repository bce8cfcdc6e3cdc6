// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/rulespec_regex.h"

#include <fmt/format.h>
#include <re2/re2.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "checks/verify/code_points.h"
#include "formats/utf8.h"

namespace rpl {
namespace {

constexpr int kMaxDepth = 250;                   // of groups and classes, as in the crate
constexpr std::size_t kMaxRepeats = 1000;        // of RE2, for repetitions inside each other
constexpr std::size_t kMaxText = 4 << 20;        // bytes of a regex for RE2
constexpr std::int64_t kMaxMemory = 64 << 20;    // bytes of its program
constexpr std::uint64_t kMaxCount = 4294967295;  // of a repetition
constexpr char32_t kMark = 'Z';                  // stands on both sides of a letter beyond ASCII

// The names of general categories that RE2 knows by one or two letters only.
constexpr std::pair<std::string_view, std::string_view> kCategories[] = {
    {"casedletter", "LC"},
    {"closepunctuation", "Pe"},
    {"connectorpunctuation", "Pc"},
    {"control", "Cc"},
    {"currencysymbol", "Sc"},
    {"dashpunctuation", "Pd"},
    {"decimalnumber", "Nd"},
    {"digit", "Nd"},
    {"enclosingmark", "Me"},
    {"finalpunctuation", "Pf"},
    {"format", "Cf"},
    {"initialpunctuation", "Pi"},
    {"letter", "L"},
    {"letternumber", "Nl"},
    {"lineseparator", "Zl"},
    {"lowercaseletter", "Ll"},
    {"mark", "M"},
    {"mathsymbol", "Sm"},
    {"modifierletter", "Lm"},
    {"modifiersymbol", "Sk"},
    {"nonspacingmark", "Mn"},
    {"number", "N"},
    {"openpunctuation", "Ps"},
    {"other", "C"},
    {"otherletter", "Lo"},
    {"othernumber", "No"},
    {"otherpunctuation", "Po"},
    {"othersymbol", "So"},
    {"paragraphseparator", "Zp"},
    {"privateuse", "Co"},
    {"punct", "P"},
    {"punctuation", "P"},
    {"separator", "Z"},
    {"spaceseparator", "Zs"},
    {"spacingmark", "Mc"},
    {"symbol", "S"},
    {"titlecaseletter", "Lt"},
    {"unassigned", "Cn"},
    {"uppercaseletter", "Lu"},
};

bool IsAscii(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; });
}

// The code point at `at`, which moves behind it.
char32_t Next(std::string_view text, std::size_t& at) {
  utf8proc_int32_t c = 0;
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                     static_cast<utf8proc_ssize_t>(text.size() - at), &c);
  at += static_cast<std::size_t>(std::max<utf8proc_ssize_t>(size, 1));
  return static_cast<char32_t>(c);
}

bool IsMarked(char32_t c) { return c == kMark || (c >= 0x80 && CodePoints::Word().Contains(c)); }

std::string Marked(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool marked = IsMarked(Next(text, at));
    if (marked) out += kMark;
    out += text.substr(begin, at - begin);
    if (marked) out += kMark;
  }
  return out;
}

// "Old_Italic" for "old italic", as RE2 writes the names of scripts.
std::string ScriptName(std::string_view name) {
  std::string out;
  bool begins = true;
  for (const char c : name) {
    const bool apart = c == ' ' || c == '_' || c == '-';
    const bool lower = c >= 'a' && c <= 'z', upper = c >= 'A' && c <= 'Z';
    if (apart) out += '_';
    else if (begins && lower) out += static_cast<char>(c - 'a' + 'A');
    else if (!begins && upper) out += static_cast<char>(c - 'A' + 'a');
    else out += c;
    begins = apart;
  }
  return out;
}

// The name of a property, compared loosely.
std::string Loose(std::string_view name) {
  std::string out;
  for (const char c : name)
    if (c != ' ' && c != '_' && c != '-')
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// A regex for RE2, with the number of repetitions inside each other, as RE2 counts them.
struct Part {
  std::string text;
  std::size_t repeats = 1;
};

class RegexReader {
 public:
  RegexReader(std::string_view regex, bool marks) : regex_(regex), marks_(marks) {}

  std::optional<std::string> Read() {
    Part whole = Alternatives(0);
    if (!failed_ && at_ < regex_.size()) Fail(at_, "`)` without `(`");
    if (!failed_ && unicode_boundary_ && ascii_boundary_)
      Refuse(0, "`\\b` of Unicode together with `\\b` of ASCII");
    if (failed_) return std::nullopt;
    return std::move(whole.text);
  }

  bool has_unicode_boundary() const { return unicode_boundary_; }
  RulespecRegex::Problem problem() const { return problem_; }

 private:
  struct Flags {
    bool cases = false, lines = false, dot = false, comments = false, unicode = true;
  };

  Part Fail(std::size_t at, std::string why, bool is_limit = false) {
    if (!failed_) {
      failed_ = true;
      problem_ = {std::move(why), CountCodePoints(regex_.substr(0, at)) + 1, is_limit};
    }
    at_ = regex_.size();
    return {};
  }
  Part Refuse(std::size_t at, std::string why) { return Fail(at, std::move(why), true); }

  bool AtEnd() const { return at_ >= regex_.size(); }
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < regex_.size() ? regex_[at_ + ahead] : '\0';
  }
  bool Take(std::string_view text) {
    if (!regex_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  void SkipComments() {
    while (flags_.comments && !AtEnd()) {
      std::size_t after = at_;
      const char32_t c = Next(regex_, after);
      if (CodePoints::Space().Contains(c)) at_ = after;
      else if (c == '#') at_ = std::min(regex_.find('\n', at_), regex_.size());
      else return;
    }
  }

  // --- groups ---------------------------------------------------------------------------------

  // Up to the `)` of the group, or the end.
  Part Alternatives(int depth) {
    const Flags outside = flags_;
    Part all;
    for (;;) {
      const Part one = Sequence(depth);
      all.text += one.text;
      all.repeats = std::max(all.repeats, one.repeats);
      if (AtEnd() || Peek() != '|') break;
      all.text += regex_[at_++];
    }
    flags_ = outside;
    return all;
  }

  Part Sequence(int depth) {
    Part all;
    for (SkipComments(); !AtEnd() && Peek() != '|' && Peek() != ')'; SkipComments()) {
      const std::size_t begin = at_;
      if (Peek() == '*' || Peek() == '+' || Peek() == '?' || Peek() == '{')
        return Fail(begin, "a repetition of nothing");
      std::optional<Part> part = Atom(depth);
      if (failed_) return {};
      if (!part) continue;  // flags
      for (SkipComments(); IsRepetition(); SkipComments()) part = Repeated(*part);
      all.text += part->text;
      all.repeats = std::max(all.repeats, part->repeats);
      if (all.text.size() > kMaxText) return Refuse(begin, "repetitions that make it too large");
    }
    return all;
  }

  std::optional<Part> Atom(int depth) {
    const std::size_t begin = at_;
    const char32_t c = Next(regex_, at_);
    switch (c) {
      case '(': return Group(begin, depth + 1);
      case '[': return Class(Set(begin, depth + 1));
      case '\\': return Escape(begin);
      case '^': return Part{flags_.lines ? "(?m:^)" : "\\A"};
      case '$': return Part{flags_.lines ? "(?m:$)" : "\\z"};
      case '.':
        if (!flags_.unicode) return Fail(begin, "`.` would match parts of characters here");
        return Class(flags_.dot ? CodePoints(0, CodePoints::kLast)
                                : CodePoints('\n', '\n').Complement());
      default: return Literal(c);
    }
  }

  std::optional<Part> Group(std::size_t begin, int depth) {
    if (depth > kMaxDepth) return Fail(begin, "more than 250 groups inside each other");
    const Flags outside = flags_;
    for (const std::string_view around : {"?=", "?!", "?<=", "?<!"})
      if (regex_.substr(at_).starts_with(around))
        return Fail(begin, "look-around, which regexes of rulespecs do not have");
    if (Take("?P<") || Take("?<")) {
      const std::size_t end = regex_.find('>', at_);
      if (end == regex_.npos || end == at_) return Fail(begin, "expected the name of a group");
      if (!names_.insert(std::string(regex_.substr(at_, end - at_))).second)
        return Fail(begin, "two groups of one name");
      at_ = end + 1;
    } else if (Take("?")) {
      const std::optional<bool> opens = ReadFlags(begin);
      if (!opens) return std::nullopt;
      if (!*opens) return std::nullopt;  // they hold to the end of the group around
    }
    Part inside = Alternatives(depth);
    flags_ = outside;
    if (failed_) return std::nullopt;
    if (!Take(")")) return Fail(begin, "missing `)`");
    inside.text = "(?:" + inside.text + ")";
    return inside;
  }

  // `is-x:` or `is-x)`; true if a group opens.
  std::optional<bool> ReadFlags(std::size_t begin) {
    Flags flags = flags_;
    bool on = true, any = false;
    for (; !AtEnd(); any = true) {
      const std::size_t at = at_;
      switch (regex_[at_++]) {
        case 'i': flags.cases = on; break;
        case 'm': flags.lines = on; break;
        case 's': flags.dot = on; break;
        case 'x': flags.comments = on; break;
        case 'u': flags.unicode = on; break;
        case 'U': break;  // which of several matches is found does not matter
        case 'R': Refuse(at, "the flag `R`"); return std::nullopt;
        case '-':
          if (!on) {
            Fail(at, "a second `-` among flags");
            return std::nullopt;
          }
          on = false;
          break;
        case ':': flags_ = flags; return true;
        case ')':
          if (!any) Fail(begin, "a repetition of nothing");
          flags_ = flags;
          return false;
        default: Fail(at, "unknown flag"); return std::nullopt;
      }
    }
    Fail(begin, "missing `)`");
    return std::nullopt;
  }

  // --- repetitions ----------------------------------------------------------------------------

  bool IsRepetition() const {
    return !AtEnd() && (Peek() == '*' || Peek() == '+' || Peek() == '?' || Peek() == '{');
  }

  // Takes the repetition that follows a part. Whether it is greedy does not matter.
  Part Repeated(const Part& part) {
    const std::size_t begin = at_;
    std::uint64_t least = 0, most = 1;
    bool endless = true;
    switch (regex_[at_++]) {
      case '*': most = 0; break;
      case '+': least = most = 1; break;
      case '?': endless = false; break;
      default:
        SkipComments();
        if (!Count(&least)) return Fail(begin, "expected a number after `{`");
        most = least;
        SkipComments();
        endless = Take(",");
        SkipComments();
        if (endless && Peek() != '}') {
          endless = false;
          if (!Count(&most)) return Fail(begin, "expected a number after `,`");
        }
        SkipComments();
        if (!Take("}")) return Fail(begin, "missing `}`");
        if (most < least) return Fail(begin, "a repetition from a larger to a smaller number");
    }
    Take("?");
    const std::uint64_t chunk = std::max<std::size_t>(1, kMaxRepeats / part.repeats);
    if ((most / chunk + 2) * (part.text.size() + 8) > kMaxText)
      return Refuse(begin, "repetitions that make it too large");
    Part out{"(?:", part.repeats * static_cast<std::size_t>(
                                       std::min(std::max<std::uint64_t>(most, 1), chunk))};
    for (std::uint64_t left = least; left > 0; left -= std::min(left, chunk))
      out.text += fmt::format("{}{{{}}}", part.text, std::min(left, chunk));
    for (std::uint64_t left = most - least; left > 0; left -= std::min(left, chunk))
      out.text += fmt::format("{}{{0,{}}}", part.text, std::min(left, chunk));
    out.text += endless ? part.text + "*)" : ")";
    return out;
  }

  bool Count(std::uint64_t* count) {
    *count = 0;
    const std::size_t begin = at_;
    for (; Peek() >= '0' && Peek() <= '9' && *count <= kMaxCount; ++at_)
      *count = *count * 10 + static_cast<std::uint64_t>(Peek() - '0');
    return at_ > begin && *count <= kMaxCount;
  }

  // --- escapes --------------------------------------------------------------------------------

  Part Escape(std::size_t begin) {
    if (AtEnd()) return Fail(begin, "`\\` at the end");
    const char c = Peek();
    if (c >= '0' && c <= '9')
      return Fail(begin, "a back-reference, which regexes of rulespecs do not have");
    if (c == 'A' || c == 'z') return ++at_, Part{c == 'A' ? "\\A" : "\\z"};
    if (c == '<' || c == '>') return Refuse(begin, fmt::format("`\\{}`", c));
    if (c == 'b' || c == 'B') {
      ++at_;
      for (const std::string_view half : {"{start}", "{end}", "{start-half}", "{end-half}"})
        if (c == 'b' && regex_.substr(at_).starts_with(half))
          return Refuse(begin, fmt::format("`\\b{}`", half));
      (flags_.unicode ? unicode_boundary_ : ascii_boundary_) = true;
      return {c == 'b' ? "\\b" : "\\B"};
    }
    if (const auto set = ClassEscape(begin)) return Class(*set);
    const std::optional<char32_t> literal = LiteralEscape(begin);
    return literal ? Literal(*literal) : Part{};
  }

  // `\w`, `\P{Lu}` and the like, after the `\`.
  std::optional<CodePoints> ClassEscape(std::size_t begin) {
    const char c = Peek();
    const bool negated = c == 'W' || c == 'D' || c == 'S' || c == 'P';
    CodePoints set;
    switch (c) {
      case 'w':
      case 'W': set = OrAscii(CodePoints::Word()); break;
      case 'd':
      case 'D': set = OrAscii(CodePoints::Digit()); break;
      case 's':
      case 'S': set = OrAscii(CodePoints::Space()); break;
      case 'p':
      case 'P':
        ++at_;
        if (const auto property = Property(begin)) return Negated(begin, *property, negated);
        return CodePoints();
      default: return std::nullopt;
    }
    ++at_;
    return Negated(begin, set, negated);
  }

  CodePoints OrAscii(const CodePoints& set) const {
    return flags_.unicode ? set : set.And(CodePoints(0, 0x7F));
  }

  // The cases of a letter are added before a class is negated.
  CodePoints Negated(std::size_t begin, CodePoints set, bool negated) {
    set = Cases(std::move(set));
    if (negated && !flags_.unicode)
      Fail(begin, "a class that would match parts of characters here");
    return negated ? set.Complement() : set;
  }

  CodePoints Cases(CodePoints set) const {
    if (!flags_.cases) return set;
    if (flags_.unicode) return set.WithOtherCases();
    set.Add(set.And(CodePoints(0, 0x7F)).WithOtherCases().And(CodePoints(0, 0x7F)));
    return set;
  }

  // The category C, or of it what is assigned to no character, which RE2 leaves out.
  static CodePoints Other(bool unassigned) {
    const char* const rest = "[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}]";
    const char* const assigned =
        "[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Z}\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}]";
    return CodePoints::OfClass(unassigned ? assigned : rest)->Complement();
  }

  // `L` or `{Greek}`, after `\p`.
  std::optional<CodePoints> Property(std::size_t begin) {
    std::string_view name = regex_.substr(at_, 1);
    if (Take("{")) {
      const std::size_t end = regex_.find('}', at_);
      if (end == regex_.npos) return Fail(begin, "missing `}`"), std::nullopt;
      name = regex_.substr(at_, end - at_);
      at_ = end + 1;
    } else {
      at_ += name.size();
    }
    const std::string_view written = name;
    const bool negated = name.find("!=") != name.npos;
    if (const std::size_t sign = name.find_first_of(":=!"); sign != name.npos) {
      const std::string key = Loose(name.substr(0, sign));
      name.remove_prefix(sign + (negated ? 2 : 1));
      if (key != "gc" && key != "generalcategory" && key != "sc" && key != "script") name = "";
    }
    const std::string loose = Loose(name);
    std::string known = ScriptName(name);
    for (const auto& [category, letters] : kCategories)
      if (loose == category) known = letters;
    std::optional<CodePoints> set;
    if (loose == "any") set = CodePoints(0, CodePoints::kLast);
    else if (loose == "ascii") set = CodePoints(0, 0x7F);
    else if (loose == "whitespace" || loose == "space") set = CodePoints::Space();
    else if (known == "LC" || known == "Lc") set = CodePoints::OfClass("[\\p{Lu}\\p{Ll}\\p{Lt}]");
    else if (known == "C" || known == "Cn") set = Other(known == "Cn");
    else if (IsAscii(known) && known.find_first_of("{}^[]\\") == known.npos)
      set = CodePoints::OfClass("\\p{" + known + "}");
    if (!set) Refuse(begin, fmt::format("the property `{}` of characters", written));
    else if (negated) set = set->Complement();
    return set;
  }

  // `\n`, `\x{41}`, `\.`, after the `\`.
  std::optional<char32_t> LiteralEscape(std::size_t begin) {
    const char32_t c = Next(regex_, at_);
    switch (c) {
      case 'a': return '\a';
      case 'f': return '\f';
      case 'n': return '\n';
      case 'r': return '\r';
      case 't': return '\t';
      case 'v': return '\v';
      case 'x': {
        const std::optional<char32_t> byte = Hexadecimal(begin, 2);
        constexpr char32_t kAscii = 0x7F;
        if (!byte || flags_.unicode || *byte <= kAscii) return byte;
        return Fail(begin, "it can match text that is not UTF-8"), std::nullopt;
      }
      case 'u': return Hexadecimal(begin, 4);
      case 'U': return Hexadecimal(begin, 8);
      default: break;
    }
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (c < 0x80 && !is_word && c != '<' && c != '>') return c;
    Fail(begin, "unknown escape");
    return std::nullopt;
  }

  std::optional<char32_t> Hexadecimal(std::size_t begin, std::size_t digits) {
    std::string_view text = regex_.substr(at_, digits);
    std::size_t end = at_ + digits;
    if (Take("{")) {
      end = std::min(regex_.find('}', at_), regex_.size());
      text = regex_.substr(at_, end - at_);
      ++end;
    }
    char32_t c = 0;
    const bool good = !text.empty() && text.size() <= 8 && end <= regex_.size() &&
                      text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
    if (good) c = static_cast<char32_t>(std::stoul(std::string(text), nullptr, 16));
    if (!good || c > CodePoints::kLast || (c >= 0xD800 && c <= 0xDFFF)) {
      Fail(begin, "expected the hexadecimal number of a character");
      return std::nullopt;
    }
    at_ = end;
    return c;
  }

  // --- classes --------------------------------------------------------------------------------

  // A class, after its `[`. Operations have one precedence, and group to the left.
  CodePoints Set(std::size_t begin, int depth) {
    if (depth > kMaxDepth) Fail(begin, "more than 250 classes inside each other");
    const bool negated = Take("^");
    CodePoints whole, part;
    std::string operation;
    const auto apply = [&](std::string next) {
      part = Cases(std::move(part));
      if (operation.empty()) whole = std::move(part);
      else if (operation == "&&") whole = whole.And(part);
      else if (operation == "--") whole = whole.Minus(part);
      else {
        CodePoints both = whole.Minus(part);
        both.Add(part.Minus(whole));
        whole = std::move(both);
      }
      part = {};
      operation = std::move(next);
    };
    SkipComments();
    for (; Take("-"); SkipComments()) part.Add('-', '-');
    if (part.empty() && Take("]")) part.Add(']', ']');
    for (SkipComments();; SkipComments()) {
      if (failed_) return {};
      if (AtEnd()) return Fail(begin, "missing `]`"), CodePoints();
      if (Take("]")) break;
      if (Take("&&")) apply("&&");
      else if (Take("--")) apply("--");
      else if (Take("~~")) apply("~~");
      else SetItem(part, depth);
    }
    apply("");
    return Negated(begin, std::move(whole), negated);
  }

  void SetItem(CodePoints& part, int depth) {
    const std::size_t begin = at_;
    if (Take("[")) {
      if (Peek() == ':' && NamedClass(part)) return;
      part.Add(Set(begin, depth + 1));
      return;
    }
    const std::optional<char32_t> first = SetCharacter(part);
    if (!first) return;
    SkipComments();
    if (Peek() != '-' || Peek(1) == ']' || Peek(1) == '-') return part.Add(*first, *first);
    ++at_;
    SkipComments();
    CodePoints not_one;
    const std::optional<char32_t> last = SetCharacter(not_one);
    if (failed_) return;
    if (!last || *last < *first) Fail(begin, "a range that ends before it begins");
    else part.Add(*first, *last);
  }

  // A character of a class; nullopt if it was a class of its own, which is added.
  std::optional<char32_t> SetCharacter(CodePoints& part) {
    const std::size_t begin = at_;
    if (AtEnd()) return Fail(begin, "missing `]`"), std::nullopt;
    if (!Take("\\")) return Next(regex_, at_);
    if (AtEnd()) return Fail(begin, "`\\` at the end"), std::nullopt;
    if (const auto set = ClassEscape(begin)) {
      part.Add(*set);
      return std::nullopt;
    }
    return LiteralEscape(begin);
  }

  // `[:alpha:]`, whose `[` is taken.
  bool NamedClass(CodePoints& part) {
    const std::size_t end = regex_.find(":]", at_ + 1);
    if (end == regex_.npos) return false;
    const auto set = CodePoints::OfClass(fmt::format("[[{}:]]", regex_.substr(at_, end - at_)));
    if (!set) return false;
    part.Add(*set);
    at_ = end + 2;
    return true;
  }

  // --- what RE2 is given ----------------------------------------------------------------------

  Part Literal(char32_t c) {
    CodePoints set(c, c);
    if (flags_.cases) return Class(Cases(std::move(set)));
    const std::string text = fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(c));
    return {marks_ && IsMarked(c) ? "(?:Z" + text + "Z)" : text};
  }

  Part Class(const CodePoints& set) const {
    if (!marks_) return {set.Re2()};
    static const CodePoints marked = [] {
      CodePoints all = CodePoints::Word().Minus(CodePoints(0, 0x7F));
      all.Add(kMark, kMark);
      return all;
    }();
    const CodePoints inside = set.And(marked);
    return {fmt::format("(?:{}|Z{}Z)", set.Minus(marked).Re2(), inside.Re2())};
  }

  std::string_view regex_;
  const bool marks_;
  std::size_t at_ = 0;
  Flags flags_;
  std::set<std::string> names_;
  bool unicode_boundary_ = false;
  bool ascii_boundary_ = false;
  bool failed_ = false;
  RulespecRegex::Problem problem_;
};

std::shared_ptr<const RE2> Compiled(const std::string& text) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kMaxMemory);
  auto regex = std::make_shared<const RE2>(text, options);
  return regex->ok() ? regex : nullptr;
}

}  // namespace

std::optional<RulespecRegex> RulespecRegex::Read(std::string_view regex, Problem* problem) {
  RegexReader plain(regex, false);
  const std::optional<std::string> text = plain.Read();
  if (!text) {
    *problem = plain.problem();
    return std::nullopt;
  }
  RulespecRegex pattern;
  pattern.plain_ = Compiled(*text);
  bool compiled = pattern.plain_ != nullptr;
  if (compiled && plain.has_unicode_boundary()) {
    RegexReader marking(regex, true);
    if (const auto marked = marking.Read())
      pattern.marked_ = Compiled("\\A(?s:Z.Z|[^Z])*?(?:" + *marked + ")");
    compiled = pattern.marked_ != nullptr;
  }
  if (!compiled) {
    *problem = {"repetitions that make it too large", 1, true};
    return std::nullopt;
  }
  return pattern;
}

bool RulespecRegex::Matches(std::string_view text) const {
  if (marked_ == nullptr || IsAscii(text)) return RE2::PartialMatch(text, *plain_);
  return RE2::PartialMatch(Marked(text), *marked_);
}

}  // namespace rpl
