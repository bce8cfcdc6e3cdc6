// SPDX-License-Identifier: Apache-2.0
//
// A returns desk: the protocol says how a return is settled, this program knows the till and
// the warehouse, and somebody at the desk answers what is asked.
//
// usage: returns_desk returns.md
#include <fstream>
#include <iostream>
#include <iterator>

#include "rpl/rpl.h"

namespace {

using rpl::Engine;

// The warehouse: two kettles are left.
Engine::Reply CallTool(const std::string& tool, const std::string& args) {
  if (tool != "stock") return Engine::Reply::Error("unknown", "no tool of this name");
  return Engine::Reply::Json(args == R"(["kettle"])" ? "2" : "0");
}

void Print(const Engine::Outcome& outcome) {
  for (const Engine::Finding& finding : outcome.findings) std::cout << finding.rendered;
  std::cout << (outcome.reason.empty() ? Engine::Name(outcome.status) : outcome.reason) << '\n';
  for (const std::string& answer : outcome.answers) std::cout << "  " << answer << '\n';
}

bool Load(Engine& engine, const std::string& name) {
  std::ifstream file(name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) {
    std::cerr << "cannot read " << name << '\n';
    return false;
  }
  bool sound = true;
  for (const Engine::Finding& finding : engine.Load("returns.md", text)) {
    std::cerr << finding.rendered;
    sound = sound && finding.severity != Engine::Severity::kError;
  }
  return sound;
}

}  // namespace

int main(int argc, char** argv) {
  Engine::Options options;
  options.now = "2026-01-02T00:00:00Z";
  options.tool = CallTool;
  Engine engine(std::move(options));
  if (argc != 2 || !Load(engine, argv[1])) return 2;

  // What the till says: the item, and how many days ago it was sold.
  engine.Assert(R"(sold("kettle", 30))");

  Engine::Outcome outcome = engine.Run();
  Print(outcome);
  while (outcome.status == Engine::Status::kWaiting && !engine.Pending().empty()) {
    const Engine::Question question = engine.Pending().front();
    std::cout << question.prompt << '\n';
    for (const Engine::Option& option : question.options)
      std::cout << "  - " << option.text << '\n';
    const std::string error = engine.Answer(question.id, Engine::Reply::Text("broken"));
    if (!error.empty()) {
      std::cerr << error << '\n';
      return 1;
    }
    outcome = engine.Run();
    Print(outcome);
  }

  // A question of our own, and why the answer holds.
  Print(engine.Query(R"(%late(?item, ?days) <- sold(?item, ?days), ?days > 14)"));
  for (const Engine::Proof& proof : engine.Explain(R"(settle("kettle", ?how))").proofs)
    std::cout << proof.text;

  return outcome.status == Engine::Status::kSatisfied ? 0 : 1;
}
