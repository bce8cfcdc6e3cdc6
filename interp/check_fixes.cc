// SPDX-License-Identifier: Apache-2.0
//
// Edits for the findings that need no judgement: names to kebab-case, parentheses for
// nullary relations, arrows, `~` before metadata maps, headings on one line.
//
// A name is changed wherever it stands in RPL of the checked files. It is left alone when
// its new spelling is taken, when it names something in another file, and when it stands
// in a regex, whose groups are spelled otherwise.
#include <algorithm>
#include <functional>

#include "grammar/markdown.h"
#include "interp/check_context.h"

namespace rpl::check {
namespace {

bool IsCapital(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::string Kebab(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '_') {
      if (!out.empty() && out.back() != '-') out += '-';
    } else if (IsCapital(c)) {
      if (i > 0 && IsLowerOrDigit(name[i - 1])) out += '-';
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
  }
  while (out.ends_with('-')) out.pop_back();
  return out;
}

class Fixes {
 public:
  explicit Fixes(Context& context) : context_(context) {}

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
        case Code::kOldArrow:
        case Code::kLooksLikeRpl: Arrow(f); break;
        case Code::kSyntaxError:
        case Code::kBadHead: ArrowBefore(f); break;
        case Code::kSignatureContinued: JoinHeading(f); break;
        default: break;
      }
    }
  }

 private:
  // --- Names ------------------------------------------------------------------------------

  struct Place {
    Span span;       // of the name without its mark
    bool elsewhere;  // part of a label with a namespace, or of a regex
  };

  // Lvars and avars are one kind (§19 records `$focus` as `?focus`); labels go by mark.
  void Collect() {
    if (collected_) return;
    collected_ = true;
    for (const Part& part : context_.parts) {
      const Rule& rule = part.rule();
      for (const Node& n : rule.heads) Visit(n, part.checked);
      for (const Node& n : rule.tail) Visit(n, part.checked);
      for (const Abductive& a : rule.abductives)
        for (const Node& n : a.clauses) Visit(n, part.checked);
      for (const Node& n : rule.constraints) Visit(n, part.checked);
    }
  }

  void Note(const std::string& key, Span span, std::uint32_t skip, std::size_t size, bool ok) {
    const Span name{span.file, span.begin + skip,
                    span.begin + skip + static_cast<std::uint32_t>(size)};
    places_[key].push_back({name, !ok});
  }

  void Visit(const Node& node, bool checked) {
    if (const auto* v = node.As<Lvar>(); v != nullptr && !v->name.empty())
      Note("?" + v->name, node.span, 1, v->name.size(), checked);
    if (const auto* v = node.As<Avar>()) Note("?" + v->name, node.span, 1, v->name.size(), checked);
    if (const auto* v = node.As<Expansion>())
      Note("?" + v->name, node.span, 2, v->name.size(), checked);
    if (const auto* t = node.As<Template>()) Holes(node, *t, checked);
    if (const auto* r = node.As<Regex>()) Groups(*r);
    if (const auto* c = node.As<Call>()) {
      const std::uint32_t mark = c->ns == Namespace::kRelation ? 0 : 1;
      const bool plain = checked && c->label.find('#') == std::string::npos;
      if (!c->label.empty()) Note(NameOf(*c), node.span, mark, c->label.size(), plain);
    }
    if (const auto* a = node.As<Annotated>())
      for (const Suffix& s : a->suffixes)
        if (s.bindings) SlotKeys(s, checked);
    ForEachChild(node, [&](const Node& child) { Visit(child, checked); });
  }

  // `g` in a bindings map addresses the slot of ?g (decision 46).
  void SlotKeys(const Suffix& suffix, bool checked) {
    const auto note = [&](const Node& key) {
      if (const auto* s = key.As<Symbol>())
        Note("?" + s->name, key.span, 0, s->name.size(), checked);
    };
    for (const Node& key : suffix.key) note(key);
    for (const Node& value : suffix.value) {
      const Node* inner = &value;
      if (const auto* m = inner->As<Match>()) inner = &m->pattern.front();
      if (const auto* map = inner->As<Collection>(); map && map->kind == CollectionKind::kMap)
        for (std::size_t i = 0; i + 1 < map->items.size(); i += 2) note(map->items[i]);
    }
  }

  void Holes(const Node& node, const Template& t, bool checked) {
    const std::string_view text = context_.sources.Text(node.span);
    for (std::size_t at = text.find("{?"); at != std::string_view::npos;
         at = text.find("{?", at + 1)) {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos) return;
      const std::string name(text.substr(at + 2, end - at - 2));
      if (std::find(t.holes.begin(), t.holes.end(), name) == t.holes.end()) continue;
      Note("?" + name, node.span, static_cast<std::uint32_t>(at + 2), name.size(), checked);
    }
  }

  void Groups(const Regex& regex) {
    for (const std::string_view open : {"(?P<", "(?<"})
      for (std::size_t at = regex.body.find(open); at != std::string::npos;
           at = regex.body.find(open, at + 1)) {
        const std::size_t begin = at + open.size();
        const std::size_t end = regex.body.find('>', begin);
        if (end == std::string::npos) break;
        std::string name = regex.body.substr(begin, end - begin);
        std::replace(name.begin(), name.end(), '_', '-');
        groups_.insert(name);
      }
  }

  void Rename(Finding& f) {
    Collect();
    const std::string& message = f.diagnostic.message;  // `name` is not kebab-case
    const std::size_t close = message.find('`', 1);
    if (close == std::string::npos) return;
    std::string name = message.substr(1, close - 1);
    if (name.starts_with("#?")) name.erase(0, 1);
    const bool variable = name.starts_with("?") || (name.starts_with("$") && !IsTool(name));
    if (variable) name[0] = '?';
    const auto places = places_.find(name);
    if (places == places_.end()) return;
    const std::size_t mark = name[0] == '?' || name[0] == '%' || name[0] == '$' ? 1 : 0;
    const std::string kebab = Kebab(std::string_view(name).substr(mark));
    if (places_.contains(name.substr(0, mark) + kebab)) return;  // taken
    if (variable && groups_.contains(name.substr(1))) return;
    if (!variable && context_.broken_names.contains(name.substr(mark))) return;  // later
    for (const Place& p : places->second)
      if (p.elsewhere) return;
    for (const Place& p : places->second) f.edits.push_back({p.span, kebab});
  }

  bool IsTool(const std::string& name) const { return places_.contains(name); }

  // --- Arrows -----------------------------------------------------------------------------

  void Arrow(Finding& f) {
    if (!f.edits.empty()) return;
    const Diagnostic& d = f.diagnostic;
    const std::string_view text = context_.sources.Text(d.span);
    if (text == "<=") f.edits.push_back({d.span, "<-"});
    if (text == "=>") f.edits.push_back({d.span, "->"});
  }

  // `a(?x) <= not b(?x)` and `a(?x) <= ?x > 3`: no comparison, so the parser stumbles later.
  // Only when a call begins the line and `<=` follows it.
  void ArrowBefore(Finding& f) {
    Diagnostic& d = f.diagnostic;
    const Sources::File& file = context_.sources.at(d.span.file);
    const std::uint32_t line = context_.sources.PlaceOf(d.span.file, d.span.begin).line;
    std::uint32_t at = file.lines[line - 1];
    const std::string& text = file.text;
    // The signature of a heading begins behind its title.
    if (d.code == Code::kBadHead) {
      at = d.span.begin;
    } else if (text[at] == '#') {
      const std::size_t dash = text.rfind(" - ", d.span.begin);
      if (dash == std::string::npos || dash < at) return;
      at = static_cast<std::uint32_t>(dash + 3);
    }
    const auto end = static_cast<std::uint32_t>(std::min(text.find('\n', at), text.size()));
    while (at < end && text[at] == ' ') ++at;
    if (at < end && (text[at] == '%' || text[at] == '$')) ++at;
    const auto is_name = [](char c) {
      return IsLowerOrDigit(c) || IsCapital(c) || c == '-' || c == '_' || c == '#' || c == '.';
    };
    const std::uint32_t begin = at;
    while (at < end && is_name(text[at])) ++at;
    if (at == begin) return;
    if (at < end && text[at] == '(') {
      int depth = 0;
      for (; at < end; ++at) {
        if (text[at] == '(') ++depth;
        if (text[at] == ')' && --depth == 0) break;
      }
      if (at == end) return;
      ++at;
    }
    while (at < end && text[at] == ' ') ++at;
    if (text.compare(at, 2, "<=") != 0) return;
    if (at >= d.span.begin && d.code != Code::kBadHead) return;
    const Span arrow{d.span.file, at, at + 2};
    d = {Code::kOldArrow, InfoOf(Code::kOldArrow).severity, arrow,
         "`<=` compares values, and calls have no order", "write `<-` for a rule"};
    f.edits.push_back({arrow, "<-"});
  }

  // --- Headings -----------------------------------------------------------------------------

  // The text of the paragraph goes to the end of the heading's text, on one line.
  void JoinHeading(Finding& f) {
    const Span below = f.diagnostic.span;
    const std::string_view more = context_.sources.Text(below);
    if (more.find("-- ") != std::string_view::npos) return;  // a comment would swallow the rest
    auto [at, is_new] = blocks_.try_emplace(below.file);
    if (is_new) at->second = ReadBlocks(context_.sources, below.file);
    const Block* heading = nullptr;
    for (const Block& b : at->second) {
      if (b.span.begin >= below.begin) break;
      if (b.kind == BlockKind::kHeading) heading = &b;
    }
    if (heading == nullptr) return;
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
  std::unordered_map<std::string, std::vector<Place>> places_;  // by "?x", "p", "%g", "$t"
  std::unordered_set<std::string> groups_;
  std::unordered_map<std::uint32_t, std::vector<Block>> blocks_;
};

}  // namespace

void AddFixes(Context& context) { Fixes(context).Run(); }

}  // namespace rpl::check
