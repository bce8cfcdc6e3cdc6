// SPDX-License-Identifier: Apache-2.0
//
// The part of CommandViews that reads addresses of programs which reach the network for some of
// their subcommands. Where the command does not say which host that is, the row is open.
#include <algorithm>
#include <string_view>

#include "checks/calls/command_views.h"

namespace rpl {
namespace {

/// The subcommands of a program that reach the network; "" for each command.
struct NetworkUse {
  std::string_view programs;
  std::string_view subcommands;
  bool by_address = false;  // an address among the operands is the only one
};

constexpr NetworkUse kUses[] = {
    {"git", "clone fetch pull push ls-remote fetch-pack send-pack request-pull", true},
    {"docker podman nerdctl", "pull push", true},
    {"docker podman nerdctl", "run create build buildx compose login search image manifest"},
    {"npm pnpm yarn bun",
     "install i ci add update up upgrade publish view info show outdated audit search login create "
     "init dlx exec x pack fund ping star deprecate unpublish dist-tag owner access link"},
    {"npx bunx pnpx uvx", ""},
    {"pip pip3", "install download wheel index search"},
    {"uv", "add sync lock run pip tool publish"},
    {"poetry pdm pipenv hatch", "add install update lock sync publish self env"},
    {"cargo", "install add update fetch publish search login owner yank"},
    {"rustup", "update install toolchain component target self"},
    {"go", "get install mod"},
    {"gem bundle", "install update push fetch outdated search add"},
    {"apt apt-get dnf yum brew",
     "update upgrade install dist-upgrade full-upgrade search tap fetch"},
    {"helm", "repo pull push install upgrade search dependency registry template"},
    {"gh glab kubectl oc aws gcloud az", ""},
    {"terraform tofu", "init apply plan destroy refresh import get login"},
};

bool IsListed(std::string_view list, std::string_view word) {
  const std::string padded = " " + std::string(list) + " ";
  return !word.empty() && padded.find(" " + std::string(word) + " ") != padded.npos;
}

// `https://host/x` and `me@host:x`; a path is none.
bool IsAddress(std::string_view text) {
  if (text.find("://") != text.npos) return true;
  const std::size_t colon = text.find(':');
  return colon != text.npos && colon > 1 && colon < text.find('/');
}

// The registry of an image: `example.org/x`, or the one that docker asks by itself.
std::string RegistryOf(std::string_view image) {
  const std::string_view first = image.substr(0, image.find('/'));
  const bool is_host = first.size() < image.size() &&
                       (first.find_first_of(".:") != first.npos || first == "localhost");
  return is_host ? std::string(first.substr(0, first.find(':'))) : "docker.io";
}

}  // namespace

void CommandViews::ReachRemote(const ShellWord& word) {
  if (!word.known()) {
    if (word.start == WordStart::kText && !word.is_pattern) rows_.OpenFetch("");
    return;
  }
  if (IsAddress(word.text)) rows_.Fetch(AddressHost(word.text), word.text);
}

// `rest` begins with the subcommand.
void CommandViews::Reach(const std::string& program, CommandWords rest) {
  for (const NetworkUse& use : kUses) {
    if (!IsListed(use.programs, program)) continue;
    const bool is_known = !rest.empty() && rest[0].known();
    if (rest.empty() ||
        (is_known && !use.subcommands.empty() && !IsListed(use.subcommands, rest[0].text)))
      continue;
    bool is_found = false;
    const bool is_image = program != "git" && use.by_address;
    // An image is the last word; other words may be values of options.
    CommandWords words = is_known ? rest.subspan(1) : CommandWords();
    if (is_image && words.size() > 1) words = words.last(1);
    for (const ShellWord& word : words) {
      if (word.text.starts_with("--recurse")) rows_.OpenFetch("");
      if (!word.known() || word.text.starts_with('-')) continue;
      const std::string address = word.text.substr(word.text.starts_with("git+") ? 4 : 0);
      if (!is_image && !IsAddress(address)) continue;
      rows_.Fetch(is_image ? RegistryOf(address) : AddressHost(address), address);
      is_found = true;
    }
    if (!is_found || !use.by_address) rows_.OpenFetch("");
  }
}

}  // namespace rpl
