// SPDX-License-Identifier: Apache-2.0
#include "interp/eval/call_table.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

OpenCall Asked(RelationId relation, std::vector<Value> args, int column, int question = -1) {
  OpenCall call;
  call.relation = relation;
  call.args = std::move(args);
  call.column = column;
  call.question = question;
  return call;
}

TEST_CASE("calls are numbered in order, the same call once, as it was first asked") {
  CallTable calls(CallTable::Same::kArgument);
  CHECK(calls.Add(Asked(1, {kNone, kNil}, 0, 7)).number == 0);
  CHECK(calls.Add(Asked(1, {kNil, kNone}, 1)).number == 1);
  CHECK(calls.Add(Asked(2, {kNone, kNil}, 0)).number == 2);
  const CallTable::Added again = calls.Add(Asked(1, {kNone, kNil}, 0, 8));
  CHECK(again.number == 0);
  CHECK_FALSE(again.is_new);
  CHECK(calls[0].question == 7);
  CHECK(calls.size() == 3);
  calls.Clear();
  CHECK(calls.size() == 0);
  CHECK(calls.Add(Asked(2, {kNone, kNil}, 0)).is_new);
}

TEST_CASE("two arguments of a call are asked for apart, and answered together") {
  CallTable asked(CallTable::Same::kArgument), answered(CallTable::Same::kReply);
  const OpenCall first = Asked(1, {kNone, kNone}, 0), second = Asked(1, {kNone, kNone}, 1);
  CHECK(asked.Add(first).is_new);
  CHECK(asked.Add(second).is_new);
  CHECK(answered.Add(first).is_new);
  CHECK_FALSE(answered.Add(second).is_new);
}

}  // namespace
}  // namespace rpl
