// SPDX-License-Identifier: Apache-2.0
//
// Edits for the findings that need no judgement: names to kebab-case, parentheses for
// nullary relations, arrows, `~` before metadata maps, headings on one line, blank lines between
// RPL and text, tags of fences, marks of comments.
//
// A name is changed wherever the checked files name it: in RPL, behind `file.md#` when that
// file is checked, and in prose and titles as `__name__` or as code such as `%name`. It is
// left alone when its new spelling is taken, when it names something in a file that is not
// checked or a tool of the host, and when it stands in a regex, whose groups are spelled
// otherwise.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "formats/character.h"
#include "formats/look_alike.h"
#include "formats/spelling.h"
#include "grammar/line_start.h"
#include "grammar/markdown.h"
#include "grammar/parser.h"
#include "grammar/sentences.h"
#include "interp/lint/certainty.h"
#include "interp/lint/context.h"

namespace rpl::check {
namespace {

class Fixes {
 public:
  explicit Fixes(Context& context) : context_(context), certainty_(context) {}

  void Run() {
    for (Finding& f : context_.findings) {
      const Diagnostic& d = f.diagnostic;
      switch (d.code) {
        case Code::kNotKebabCase: Rename(f); break;
        case Code::kBareName:
          f.edits.push_back({{d.span.file, d.span.end, d.span.end}, "()"});
          break;
        case Code::kBareMetadataMap:
          f.edits.push_back({{d.span.file, d.span.begin, d.span.begin}, "~ "});
          break;
        case Code::kOldArrow: Arrow(f); break;
        case Code::kLooksLikeRpl: FenceTag(f); [[fallthrough]];
        case Code::kSyntaxError:
          Arrow(f);
          ForeignComment(f);
          LookAlikes(f);
          [[fallthrough]];
        case Code::kBadHead:
          if (f.edits.empty()) ArrowBefore(f);
          break;
        case Code::kSignatureContinued: JoinHeading(f); break;
        case Code::kSwallowedLines:
        case Code::kUnderlinedRpl:
        case Code::kContinuedByText: BlankLineBefore(f); break;
        default: break;
      }
      if (!f.edits.empty() && !IsCertain(f)) f.edits.clear();
    }
  }

 private:
  // --- What is certainly RPL --------------------------------------------------------------------

  // Decision 102: a fix changes only what is certainly RPL: a plain file, a fence, a document in
  // which a sentence has a mark of RPL, and text that reads as RPL with the fix.
  bool IsCertain(const Finding& f) {
    const Span place = f.diagnostic.span;
    const bool title_or_prose = f.diagnostic.code == Code::kLooksLikeRpl;
    if (certainty_.IsInRpl(place) || (title_or_prose && IsFenceLine(place))) return true;
    if (title_or_prose) {
      const bool words = std::ranges::all_of(f.edits, [&](const Edit& e) { return IsInWord(e); });
      return (words || certainty_.IsLineOfRpl(place)) && ReadsWith(context_.sources, f.edits);
    }
    // A name may be that of another file, as in other.md#name.
    return HasNameMark(context_.sources.Text(place)) ||
           std::ranges::any_of(f.edits,
                               [&](const Edit& e) { return certainty_.HasSentence(e.span.file); });
  }

  bool IsFenceLine(Span place) const {
    const std::string_view text = context_.sources.Text(place);
    return text.starts_with("```") || text.starts_with("~~~");
  }

  // --- Names ------------------------------------------------------------------------------

  struct Place {
    Span span;         // of the name without its mark
    bool elsewhere;    // part of a label with a namespace, or of a regex
    const Part* part;  // the sentence or heading
  };

  // Lvars and avars are one kind (§19 records `$focus` as `?focus`); labels go by mark.
  void Collect() {
    if (collected_) return;
    collected_ = true;
    for (const Part& part : context_.parts) {
      checked_ = part.checked;
      part_ = &part;
      const Rule& rule = part.rule();
      for (const Node& n : rule.heads) Visit(n);
      for (const Node& n : rule.tail) Visit(n);
      for (const Abductive& a : rule.abductives)
        for (const Node& n : a.clauses) Visit(n);
      for (const Node& n : rule.constraints) Visit(n);
      if (!checked_) continue;
      if (!rule.tail.empty())
        for (const Node& head : rule.heads)
          if (const auto* call = head.As<Call>()) rules_.insert(NameOf(*call));
      SectionVariables(part);
    }
    for (const auto& [name, places] : places_) {
      const std::size_t mark = MarkOf(name);
      spellings_[name.substr(0, mark) + Kebab(name.substr(mark))].insert(name);
    }
    for (const std::uint32_t file : context_.checked_files) {
      const std::string& name = context_.sources.at(file).name;
      checked_names_.insert(name.substr(name.rfind('/') + 1));
    }
    for (const Document& document : context_.documents) {
      if (!context_.checked_files.contains(document.file)) continue;
      for (const Prose& prose : document.prose) {
        const Scope& scope = document.scopes[static_cast<std::size_t>(prose.scope)];
        for (const ProseSpan& span : prose.spans) Emphasised(span, scope);
        CodeSpans(prose.span);
      }
      for (const Scope& scope : document.scopes) {
        const std::uint32_t end = scope.signature ? scope.signature->span.begin : scope.span.end;
        if (scope.level > 0 && end >= scope.span.begin)
          CodeSpans({document.file, scope.span.begin, end});
      }
    }
  }

  void SectionVariables(const Part& part) {
    std::vector<std::string> names;
    const Rule& rule = part.rule();
    for (const Node& n : rule.heads) CollectVariables(n, names);
    for (const Node& n : rule.tail) CollectVariables(n, names);
    for (const Scope* section : SectionsOf(part))
      section_variables_[section].insert(names.begin(), names.end());
  }

  // The sections to whose variables those of the part belong.
  static std::vector<const Scope*> SectionsOf(const Part& part) {
    std::vector<const Scope*> out;
    const auto add = [&](int scope) {
      out.push_back(&part.document->scopes[static_cast<std::size_t>(scope)]);
    };
    if (part.role == Role::kSignature || part.role == Role::kOwn) add(part.scope);
    for (const int target : part.targets) add(target);
    return out;
  }

  // The size of the mark before a name.
  static std::size_t MarkOf(std::string_view name) {
    return name[0] == '?' || name[0] == '%' || name[0] == '$' ? 1 : 0;
  }

  // Variables of a file that is only read are its own; its labels with a namespace are not.
  void Note(const std::string& key, Span span, std::uint32_t skip, std::size_t size, bool ok) {
    if (!checked_ && key.starts_with("?")) return;
    const Span name{span.file, span.begin + skip,
                    span.begin + skip + static_cast<std::uint32_t>(size)};
    places_[key].push_back({name, !checked_ || !ok, part_});
  }

  void Visit(const Node& node) {
    if (const auto* v = node.As<Lvar>(); v != nullptr && !v->name.empty())
      Note("?" + v->name, node.span, 1, v->name.size(), true);
    if (const auto* v = node.As<Avar>()) Note("?" + v->name, node.span, 1, v->name.size(), true);
    if (const auto* v = node.As<Expansion>())
      Note("?" + v->name, node.span, 2, v->name.size(), true);
    if (const auto* t = node.As<Template>()) Holes(node, *t);
    if (const auto* r = node.As<Regex>()) Groups(*r);
    if (const auto* c = node.As<Call>()) {
      const std::uint32_t mark = c->ns == Namespace::kRelation ? 0 : 1;
      if (!c->label.empty())
        Note(NameOf(*c), node.span, mark, c->label.size(), FileOf(c->label).empty());
    }
    if (const auto* a = node.As<Annotated>())
      for (const Suffix& s : a->suffixes)
        if (s.bindings) SlotKeys(s);
    ForEachChild(node, [&](const Node& child) { Visit(child); });
  }

  // "other.md" of "other.md#rel", or nothing: a prefix without a dot is part of the name.
  static std::string_view FileOf(std::string_view label) {
    const std::string_view first = label.substr(0, label.find('#'));
    return first.size() < label.size() && first.find('.') != first.npos ? first : "";
  }

  // --- Names in prose -----------------------------------------------------------------------

  // `__townName__` is the variable of its section, or else a relation (decision 75).
  void Emphasised(const ProseSpan& span, const Scope& scope) {
    constexpr std::uint32_t kMark = 2;  // two underscores
    const Span inner{span.span.file, span.span.begin + kMark, span.span.end - kMark};
    const std::string name(context_.sources.Text(inner));
    const auto section = section_variables_.find(&scope);
    const bool own = section != section_variables_.end() && section->second.contains(name);
    const bool relation = !own && places_.contains(name);
    mentions_[relation ? name : "?" + name].push_back(inner);
  }

  // `%planDay`, `?townName` and `townName(?townName)` as code: all names with a mark, and
  // the first one without.
  void CodeSpans(Span prose) {
    const std::string_view text = context_.sources.Text(prose);
    const auto run_end = [&](std::size_t at) {
      return std::min(text.find_first_not_of('`', at), text.size());
    };
    std::unordered_map<std::size_t, std::size_t> last;  // run of each length: where it begins
    for (std::size_t at = text.find('`'); at != text.npos; at = text.find('`', run_end(at)))
      last[run_end(at) - at] = at;
    for (std::size_t open = text.find('`'); open != text.npos; open = text.find('`', open)) {
      const std::size_t begin = run_end(open);
      const std::size_t ticks = begin - open;
      const bool escaped = open > 0 && text[open - 1] == '\\';
      if (last[ticks] == open || escaped) {
        open = begin;
        continue;
      }
      std::size_t close = text.find('`', begin);
      while (run_end(close) - close != ticks) close = text.find('`', run_end(close));
      Code({prose.file, prose.begin + static_cast<std::uint32_t>(begin),
            prose.begin + static_cast<std::uint32_t>(close)});
      open = close + ticks;
    }
  }

  void Code(Span code) {
    const std::string_view text = context_.sources.Text(code);
    for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
      const bool marked = text[at] == '?' || text[at] == '%' || text[at] == '$';
      const std::size_t begin = marked ? at + 1 : at;
      std::size_t end = begin;
      while (end < text.size() && IsNameChar(text[end])) ++end;
      next = std::max(end, at + 1);
      const bool whole = end > begin && (end == text.size() || text[end] == '(');
      if (at == 0 && !marked && !whole) return;  // no RPL, as far as one can tell
      if (end == begin || (at > 0 && !marked)) continue;
      std::string key(text.substr(at, end - at));
      if (key[0] == '$' && !places_.contains(key)) key[0] = '?';
      mentions_[key].push_back({code.file, code.begin + static_cast<std::uint32_t>(begin),
                                code.begin + static_cast<std::uint32_t>(end)});
    }
  }

  // --- Names in maps, templates and regexes -------------------------------------------------

  // `g` in a bindings map addresses the slot of ?g (decision 46).
  void SlotKeys(const Suffix& suffix) {
    const auto note = [&](const Node& key) {
      if (const auto* s = key.As<Symbol>()) Note("?" + s->name, key.span, 0, s->name.size(), true);
    };
    for (const Node& key : suffix.key) note(key);
    for (const Node& value : suffix.value) {
      const Node* inner = &value;
      if (const auto* m = inner->As<Match>()) inner = &m->pattern.front();
      if (const auto* map = inner->As<Collection>(); map && map->kind == CollectionKind::kMap)
        for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) note(map->items[i]);
    }
  }

  void Holes(const Node& node, const Template& t) {
    const std::string_view text = context_.sources.Text(node.span);
    const std::unordered_set<std::string> holes(t.holes.begin(), t.holes.end());
    for (std::size_t at = text.find("{?"); at != std::string_view::npos;
         at = text.find("{?", at + 1)) {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos) return;
      const std::string name(text.substr(at + 2, end - at - 2));
      if (!holes.contains(name)) continue;
      Note("?" + name, node.span, static_cast<std::uint32_t>(at + 2), name.size(), true);
    }
  }

  void Groups(const Regex& regex) {
    ForEachGroup(regex, [&](std::size_t begin, std::size_t size) {
      groups_.insert(LvarOfGroup(std::string_view(regex.body).substr(begin, size)));
    });
  }

  void Rename(Finding& f) {
    Collect();
    std::string name = f.diagnostic.name;
    if (name.starts_with("#?")) name.erase(0, 1);
    const bool variable = name.starts_with("?") || (name.starts_with("$") && !IsTool(name));
    if (variable) name[0] = '?';
    const std::size_t mark = MarkOf(name);
    // `other.md#name` is `name` of that file, if it is checked.
    const std::string file(FileOf(std::string_view(name).substr(mark)));
    if (!file.empty() && checked_names_.contains(file)) name.erase(mark, file.size() + 1);
    const std::string kebab = name.substr(0, mark) + Kebab(name.substr(mark));
    if (Meet(name, kebab)) f.diagnostic.hint = "`" + kebab + "` is taken: choose another name";
    else if (const std::string other = OtherOf(name, kebab); !other.empty())
      f.diagnostic.hint = "`" + other + "` would be `" + kebab + "` as well: choose another name";
    const std::vector<Edit> edits = RenamingOf(name, mark);
    if (!edits.empty()) context_.renamed[{f.diagnostic.span.file, f.diagnostic.span.begin}] = name;
    f.edits.insert(f.edits.end(), edits.begin(), edits.end());
  }

  // Whether both name something where one name would be one thing: variables in one rule, or labels
  // anywhere.
  bool Meet(const std::string& name, const std::string& other) const {
    const auto places = places_.find(name);
    const auto others = places_.find(other);
    if (places == places_.end() || others == places_.end()) return false;
    if (name[0] != '?') return true;
    const auto rules_of = [](const Place& p) {
      const std::vector<const Scope*> sections = SectionsOf(*p.part);
      std::vector<const void*> out(sections.begin(), sections.end());
      out.push_back(p.part);
      return out;
    };
    std::set<const void*> rules;
    for (const Place& p : places->second)
      for (const void* rule : rules_of(p)) rules.insert(rule);
    return std::ranges::any_of(others->second, [&](const Place& p) {
      return std::ranges::any_of(rules_of(p), [&](const void* r) { return rules.contains(r); });
    });
  }

  // Another name with the same new spelling, which it would meet; or "".
  std::string OtherOf(const std::string& name, const std::string& kebab) const {
    const auto all = spellings_.find(kebab);
    if (all == spellings_.end()) return "";
    for (const std::string& other : all->second)
      if (other != name && Meet(name, other)) return other;
    return "";
  }

  // Every place of `name`, whose mark has `mark` characters; none if it has to stay.
  std::vector<Edit> RenamingOf(const std::string& name, std::size_t mark) {
    const auto places = places_.find(name);
    if (places == places_.end()) return {};
    if (std::ranges::none_of(places->second,
                             [&](const Place& p) { return certainty_.Is(*p.part); }))
      return {};
    const std::string plain = name.substr(mark);
    const std::string kebab = Kebab(plain);
    const std::string spelled = name.substr(0, mark) + kebab;
    if (places_.contains(spelled) || !OtherOf(name, spelled).empty()) return {};
    if (name[0] == '?' && (groups_.contains(plain) || groups_.contains(kebab))) return {};
    if (name[0] != '?' && context_.broken_names.contains(plain)) return {};  // later
    if (name[0] == '$' && !rules_.contains(name)) return {};                 // the host names it
    std::vector<Edit> edits;
    for (const Place& p : places->second) {
      if (p.elsewhere) return {};
      edits.push_back({p.span, kebab});
    }
    if (const auto mentions = mentions_.find(name); mentions != mentions_.end())
      for (const Span span : mentions->second) edits.push_back({span, kebab});
    if (name[0] == '?') return edits;
    for (const std::string& file : checked_names_) {
      const auto at = places_.find(name.substr(0, mark) + file + "#" + plain);
      if (at == places_.end()) continue;
      for (const Place& p : at->second) {
        Span span = p.span;
        span.begin = span.end - static_cast<std::uint32_t>(plain.size());
        if (context_.checked_files.contains(span.file)) edits.push_back({span, kebab});
      }
    }
    return edits;
  }

  bool IsTool(const std::string& name) const { return places_.contains(name); }

  // --- Arrows -----------------------------------------------------------------------------

  void Arrow(Finding& f) {
    if (!f.edits.empty()) return;
    const Diagnostic& d = f.diagnostic;
    const std::string_view text = context_.sources.Text(d.span);
    if (text == "<=") f.edits.push_back({d.span, "<-"});
    if (text == "=>") f.edits.push_back({d.span, "->"});
    if (const std::string_view arrow = ArrowForSign(text, 0);
        !arrow.empty() && text.size() == kArrowSign)
      f.edits.push_back({d.span, std::string(arrow)});
  }

  // `a(?x) <= not b(?x)` and `a(?x) <= ?x > 3`: no comparison, so the parser stumbles later.
  // Only when a call begins the sentence and `<=` follows it.
  void ArrowBefore(Finding& f) {
    Diagnostic& d = f.diagnostic;
    const std::string_view text = context_.sources.at(d.span.file).text;
    std::uint32_t at = ArrowOfSentence(d.span);
    // The signature of a heading begins behind its title.
    if (d.code == Code::kBadHead) {
      at = ArrowAfterCall(text, d.span.begin);
    } else if (at == kNone) {
      const std::uint32_t line = context_.sources.PlaceOf(d.span.file, d.span.begin).line;
      const std::uint32_t begin = context_.sources.at(d.span.file).lines[line - 1];
      if (text[begin] != '#') return;
      const std::size_t dash = text.substr(begin, d.span.begin + 3 - begin).rfind(" - ");
      if (dash == text.npos) return;
      at = ArrowAfterCall(text, begin + static_cast<std::uint32_t>(dash + 3));
    }
    if (at == kNone) return;
    const Span arrow{d.span.file, at, at + 2};
    if (d.code == Code::kLooksLikeRpl) {
      if (!certainty_.IsLineOfRpl(arrow) || !ReadsWith(context_.sources, {{arrow, "<-"}})) return;
    } else if (at >= d.span.begin && d.code != Code::kBadHead) {
      return;
    }
    d = {Code::kOldArrow, InfoOf(Code::kOldArrow).severity, arrow,
         "`<=` compares values, and calls have no order", "write `<-` for a rule"};
    f.edits.push_back({arrow, "<-"});
  }

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // Where `<=` follows the call at `at` on its line, or kNone.
  static std::uint32_t ArrowAfterCall(std::string_view text, std::uint32_t at) {
    const auto end = static_cast<std::uint32_t>(std::min(text.find('\n', at), text.size()));
    Lexer lexer(text.substr(0, end));
    const std::optional<Token> name = lexer.Next(at);
    if (!name || name->In(text) == "%") return kNone;
    const std::optional<Token> arrow = lexer.NextBehind(*name);
    return IsLabel(name->kind) && arrow && arrow->In(text) == "<=" ? arrow->begin : kNone;
  }

  // The `<=` after the call that begins the sentence of `place`, or kNone.
  std::uint32_t ArrowOfSentence(Span place) {
    auto [file, is_new] = arrows_.try_emplace(place.file);
    if (is_new) CollectArrows(place.file, file->second);
    const std::vector<Arrowed>& all = file->second;
    auto after = std::upper_bound(all.begin(), all.end(), place.begin,
                                  [](std::uint32_t at, const Arrowed& a) { return at < a.begin; });
    return after == all.begin() || (--after)->end < place.begin ? kNone : after->arrow;
  }

  // A sentence that begins with a call and `<=`.
  struct Arrowed {
    std::uint32_t begin, end, arrow;
  };

  void CollectArrows(std::uint32_t file, std::vector<Arrowed>& to) {
    const std::string_view text = context_.sources.at(file).text;
    if (IsPlainRpl(context_.sources.at(file).name)) {
      ArrowsOfSentences({file, 0, static_cast<std::uint32_t>(text.size())}, to);
      return;
    }
    for (const Block& block : certainty_.BlocksOf(file)) {
      if (IsRplFence(block)) ArrowsOfSentences(block.content, to);
      if (block.kind != BlockKind::kParagraph) continue;
      // Lines of prose may stand between the sentences.
      for (std::size_t line = block.span.begin; line < block.span.end;
           line = LineEnd(text, line) + 1) {
        const auto begin = static_cast<std::uint32_t>(line);
        const std::uint32_t arrow = ArrowAfterCall(text, begin);
        if (arrow == kNone) continue;
        const std::uint32_t end = SentenceEnd(text, begin, block.span.end);
        to.push_back({begin, end, arrow});
        line = std::max<std::size_t>(line, end - 1);
      }
    }
  }

  void ArrowsOfSentences(Span region, std::vector<Arrowed>& to) const {
    const std::string_view text = context_.sources.at(region.file).text;
    SentenceCutter cutter(text, region.file, region.begin, region.end, Newlines::kEndSentences);
    while (const std::optional<Cut> cut = cutter.Next())
      if (const std::uint32_t arrow = ArrowAfterCall(text, cut->begin); arrow != kNone)
        to.push_back({cut->begin, cut->end, arrow});
  }

  // --- Fences and comments of other languages ---------------------------------------------------

  // The tag `RPL`, in the first line of the fence.
  void FenceTag(Finding& f) const {
    const Span line = f.diagnostic.span;
    if (!IsFenceLine(line)) return;
    const std::string_view text = context_.sources.Text(line);
    const std::string_view tag = TagOf(Trimmed(text.substr(text.find_first_not_of(text[0]))));
    const auto begin = line.begin + static_cast<std::uint32_t>(tag.data() - text.data());
    const auto end = begin + static_cast<std::uint32_t>(tag.size());
    f.edits.push_back({{line.file, begin, end}, "rpl"});
  }

  // `# …`, `// …` or `% …` in RPL. Below a fence that is not closed it may be a heading.
  void ForeignComment(Finding& f) const {
    const Span mark = f.diagnostic.span;
    const std::string& text = context_.sources.at(mark.file).text;
    const std::string_view marks = context_.sources.Text(mark);
    const bool hash = marks.find_first_not_of('#') == std::string_view::npos;
    const std::string& name = f.diagnostic.name;
    const bool foreign = f.diagnostic.code == Code::kSyntaxError && (name == "//" || name == "%");
    if (mark.begin == mark.end || (!hash && !foreign)) return;
    for (const Finding& other : context_.findings)
      if (other.diagnostic.code == Code::kUnclosedFence && other.diagnostic.span.file == mark.file)
        return;
    const std::size_t next = text.find_first_not_of(" \t", mark.end);
    if (hash && next != text.npos && text[next] == '{') return;  // perhaps a set
    const bool touches = mark.end < text.size() && !IsSpace(text[mark.end]);
    f.edits.push_back({mark, touches ? "-- " : "--"});
  }

  // --- Characters that look like others ------------------------------------------------------

  bool IsLookAlike(Span place) const {
    const std::optional<LookAlike> found = LookAlikeAt(context_.sources.Text(place), 0);
    return found && found->size == place.end - place.begin;
  }

  // A hyphen or letter, or what nobody sees; dashes and full-width signs stand in other texts, too.
  bool IsInWord(const Edit& edit) const {
    constexpr std::uint32_t kHyphens[] = {0x2010, 0x2011};
    const std::optional<LookAlike> found = LookAlikeAt(context_.sources.Text(edit.span), 0);
    return found && (found->write == '\0' || found->is_letter() ||
                     std::ranges::find(kHyphens, found->code_point) != std::end(kHyphens));
  }

  // The one of the finding; in prose, which has to read as RPL with the fix, all on its line.
  void LookAlikes(Finding& f) {
    const Span place = f.diagnostic.span;
    if (!f.edits.empty() || !IsLookAlike(place)) return;
    const std::string_view text = context_.sources.at(place.file).text;
    const bool alone = f.diagnostic.code != Code::kLooksLikeRpl;
    const std::size_t end = alone ? place.end : LineEnd(text, place.begin);
    const std::string_view part = text.substr(place.begin, end - place.begin);
    for (const std::size_t at : WithoutLookAlikes(part).places) {
      const LookAlike found = *LookAlikeAt(part, at);
      const std::uint32_t begin = place.begin + static_cast<std::uint32_t>(at);
      f.edits.push_back({{place.file, begin, begin + static_cast<std::uint32_t>(found.size)},
                         found.Replacement()});
    }
  }

  // --- Blank lines --------------------------------------------------------------------------

  void BlankLineBefore(Finding& f) {
    const Span span = f.diagnostic.span;
    if (const Block* block = certainty_.BlockAt(span))
      if (std::ranges::binary_search(block->inside, span.begin, {},
                                     [](const Block& b) { return b.span.begin; }))
        return;  // a part of its list or quote, not swallowed by it
    const Sources::File& file = context_.sources.at(span.file);
    const std::uint32_t line = file.lines[context_.sources.PlaceOf(span.file, span.begin).line - 1];
    if (file.text[span.begin] == '=') return;                       // a line of `=` would be prose
    if (span.begin - line >= 4 || file.text[line] == '\t') return;  // indented code stays so
    const bool crlf = line >= 2 && file.text.compare(line - 2, 2, "\r\n") == 0;
    f.edits.push_back({{span.file, line, line}, crlf ? "\r\n" : "\n"});
  }

  // --- Headings -----------------------------------------------------------------------------

  // The text of the paragraph goes to the end of the heading's text, on one line.
  void JoinHeading(Finding& f) {
    const Span below = f.diagnostic.span;
    const std::string_view more = context_.sources.Text(below);
    if (more.find("-- ") != std::string_view::npos) return;  // a comment would swallow the rest
    const std::vector<Block>& blocks = certainty_.BlocksOf(below.file);
    auto heading =
        std::lower_bound(blocks.begin(), blocks.end(), below.begin,
                         [](const Block& b, std::uint32_t to) { return b.span.begin < to; });
    do {
      if (heading == blocks.begin()) return;
      --heading;
    } while (heading->kind != BlockKind::kHeading);
    std::string joined;
    for (const char c : more) {
      const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (!space) joined += c;
      else if (!joined.empty() && joined.back() != ' ') joined += ' ';
    }
    // A heading with an underline or closing marks keeps them behind the joined text.
    const Span content = heading->content;
    const Span insert{below.file, content.end, content.end};
    const bool plain = context_.sources.Text({below.file, content.end, below.begin})
                           .find_first_not_of(" \t\r\n") == std::string_view::npos;
    if (plain) {
      f.edits.push_back({{below.file, content.end, below.end}, " " + joined});
      return;
    }
    f.edits.push_back({insert, " " + joined});
    f.edits.push_back({below, ""});
  }

  Context& context_;
  bool collected_ = false;
  bool checked_ = true;                                         // whether the current part is
  const Part* part_ = nullptr;                                  // the current part
  std::unordered_map<std::string, std::vector<Place>> places_;  // by "?x", "p", "%g", "$t"
  std::map<std::string, std::set<std::string>> spellings_;      // names in places_, by new spelling
  std::unordered_map<std::string, std::vector<Span>> mentions_;  // in prose, by the same
  std::unordered_map<const Scope*, std::unordered_set<std::string>> section_variables_;
  std::unordered_set<std::string> rules_;  // "p", "%g", "$t" with rules
  std::unordered_set<std::string> groups_;
  std::set<std::string> checked_names_;  // of the checked files, without folders
  Certainty certainty_;
  std::unordered_map<std::uint32_t, std::vector<Arrowed>> arrows_;  // in order
};

}  // namespace

void AddFixes(Context& context) { Fixes(context).Run(); }

void DropWhatFollows(Context& context) {
  std::unordered_set<std::string> mended;
  for (const Finding& f : context.findings) {
    if (f.diagnostic.code != Code::kNotKebabCase || !f.fixable()) continue;
    const auto at = context.renamed.find({f.diagnostic.span.file, f.diagnostic.span.begin});
    if (at != context.renamed.end()) mended.insert(at->second);
  }
  std::erase_if(context.findings, [&](const Finding& f) {
    if (f.diagnostic.code != Code::kUnknownSpan) return false;
    const auto at = context.misspelt.find({f.diagnostic.span.file, f.diagnostic.span.begin});
    return at != context.misspelt.end() && mended.contains(at->second);
  });
}

}  // namespace rpl::check
