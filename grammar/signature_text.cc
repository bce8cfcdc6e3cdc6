// SPDX-License-Identifier: Apache-2.0
#include "grammar/signature_text.h"

#include <algorithm>
#include <string>

#include "formats/character.h"
#include "grammar/sentences.h"

namespace rpl {
namespace {

// False for bare words alone, and for one before a further ` - `: it is no minuend.
bool MayBeConstraint(std::string_view text) {
  if (text.find_first_of("(?%$") == kNowhere) return false;
  const std::size_t word = text.find_first_of(" \t");
  if (word == kNowhere || !std::ranges::all_of(text.substr(0, word), IsNameChar)) return true;
  const std::size_t next = SkipBlanks(text, word);
  return IsDigit(text[0]) || !StartsWithAt(text, next, "-") || next + 1 == text.size() ||
         !IsBlank(text[next + 1]);
}

}  // namespace

std::vector<SignatureCandidate> SignatureCandidates(Span heading, std::string_view text) {
  std::vector<SignatureCandidate> candidates;
  const std::string_view line = text.substr(heading.begin, heading.end - heading.begin);
  const std::size_t last_arrow = line.rfind("->");
  for (std::size_t dash = line.rfind('-'); dash != kNowhere;
       dash = dash == 0 ? kNowhere : line.rfind('-', dash - 1)) {
    const bool delimits =
        (dash == 0 || IsBlank(line[dash - 1])) && dash + 1 < line.size() && IsBlank(line[dash + 1]);
    if (!delimits || line.substr(0, TrimmedEnd(line, 0, dash)).ends_with('<')) continue;
    const std::size_t begin = SkipBlanks(line, dash + 1);
    const Start start = SignatureStart(text, heading.begin + begin);
    const bool constraint = last_arrow != kNowhere && last_arrow > begin && !IsUpper(line[begin]) &&
                            MayBeConstraint(line.substr(begin));
    if (start != Start::kCall && start != Start::kVariable && !constraint) continue;
    candidates.push_back({heading.begin + dash, heading.begin + begin, start});
    if (candidates.size() == kMaxSignatureTries) break;
  }
  std::ranges::reverse(candidates);
  return candidates;
}

Start SignatureStart(std::string_view text, std::size_t at) {
  const Start start = StartOf(text, at, {});
  return start == Start::kMaybe && text[at] != '(' ? Start::kCall : start;
}

bool IsSignature(const Sources& sources, Span span) {
  Diagnostics ignored;
  const std::optional<Sentence> s = ParseSignature(sources, span, ignored);
  return s && Defines(*s);
}

bool HasSignature(const Sources& sources, Span heading) {
  const std::string_view text = sources.at(heading.file).text;
  return std::ranges::any_of(SignatureCandidates(heading, text), [&](const SignatureCandidate& c) {
    return IsSignature(sources, {heading.file, static_cast<std::uint32_t>(c.begin), heading.end});
  });
}

std::size_t HeadingContinuations::ContinuationOf(std::size_t index) const {
  if (index + 1 == blocks_.size()) return kNowhere;
  const Block& next = blocks_[index + 1];
  if (next.kind != BlockKind::kParagraph) return kNowhere;
  std::size_t at = SkipBlanks(file_.text(), next.span.begin);
  return IsConnectiveAt(file_.text(), at) ? at : kNowhere;
}

bool HeadingContinuations::IsRightBelow(const Block& heading, std::size_t below) const {
  const std::string_view gap = file_.text().substr(heading.span.end, below - heading.span.end);
  return std::count(gap.begin(), gap.end(), '\n') < 2;
}

std::size_t HeadingContinuations::ContinuationEnd(std::size_t begin, std::size_t below,
                                                  std::size_t limit) {
  const std::string_view text = Joined().Text(WholeFile());
  const auto stop = static_cast<std::uint32_t>(limit);
  std::size_t end = SentenceEnd(text, static_cast<std::uint32_t>(begin), stop);
  if (end < below) end = SentenceEnd(text, static_cast<std::uint32_t>(below), stop);
  for (;;) {
    std::size_t next = SkipSpace(text.substr(0, limit), end);
    if (next == limit || next == end || !IsConnectiveAt(text, next)) {
      return TrimmedEnd(text, begin, end);
    }
    end = SentenceEnd(text, static_cast<std::uint32_t>(next), stop);
  }
}

std::string_view HeadingContinuations::TextFor(std::size_t index) {
  return ContinuationOf(index) == kNowhere ? file_.text() : Joined().Text(WholeFile());
}

const Sources& HeadingContinuations::Joined() {
  if (joined_) return *joined_;
  std::string text(file_.text());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i].kind != BlockKind::kHeading) continue;
    std::size_t below = ContinuationOf(i);
    if (below == kNowhere) continue;
    std::fill(text.begin() + blocks_[i].content.end, text.begin() + below, ' ');
  }
  joined_.emplace();
  for (std::uint32_t file = 0; file < file_.file(); ++file) joined_->Add("", "");
  joined_->Add("", std::move(text));
  return *joined_;
}

}  // namespace rpl
