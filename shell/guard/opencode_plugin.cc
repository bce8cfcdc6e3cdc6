// SPDX-License-Identifier: Apache-2.0
#include "shell/guard/opencode_plugin.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "formats/data/json_text.h"

namespace rpl {
namespace {

constexpr const char* kPluginHead =
    R"js(// Calls `rpl guard hook` for the events of OpenCode. Written by `rpl guard install`.
import { spawn } from "node:child_process";

)js";

constexpr const char* kPluginBody = R"js(
// The answer to an event; an exception if there is none.
function ask(event) {
  return new Promise((resolve, reject) => {
    const limit = { timeout: TIMEOUT_MS, killSignal: "SIGKILL" };
    const child = spawn(COMMAND[0], COMMAND.slice(1), limit);
    let answer = "";
    let why = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (answer += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (why += text));
    child.on("error", (error) => reject(new Error(`rpl guard: ${error.message}`)));
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(why.trim() || "rpl guard: no decision in time"));
      try {
        const parsed = JSON.parse(answer);
        if (parsed === null || typeof parsed !== "object") throw new Error("no object");
        resolve(parsed);
      } catch (error) {
        reject(new Error(`rpl guard: its answer cannot be read: ${error.message}`));
      }
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify(event));
  });
}

const denies = (answer) => answer.decision !== undefined && answer.decision !== "allow";

export const RplGuard = async ({ client, directory, worktree }) => {
  const project = worktree && worktree !== "/" ? worktree : directory;
  const parents = new Map(); // the parent of each session, "" of a main one
  const agents = new Map(); // the agent of each session
  const started = new Map(); // of each main session, what its start adds to the system's prompt
  const sent = new Map(); // of each main session, what this plugin told its agent last
  const calls = new Map(); // the arguments of calls under way

  async function parent(session) {
    if (!parents.has(session)) {
      const got = await client.session.get({ path: { id: session } });
      parents.set(session, (got.data ?? got).parentID ?? "");
    }
    return parents.get(session);
  }

  async function event(name, session, fields) {
    let main = session;
    for (let up = await parent(main); up; up = await parent(main)) main = up;
    const told = { hook_event_name: name, session_id: main, cwd: directory, project };
    if (main !== session) told.agent = agents.get(session) ?? "subagent";
    return { ...told, ...fields };
  }

  async function start(session) {
    if (started.has(session) || (await parent(session))) return;
    started.set(session, "");
    const { additionalContext: text } = await ask(await event("session.created", session, {}));
    if (typeof text === "string") started.set(session, text);
  }

  // What is over cannot be refused, so a fault is said, and the report is missing.
  async function report(name, session, fields) {
    try {
      return await ask(await event(name, session, fields));
    } catch (error) {
      console.error(error.message);
      return {};
    }
  }

  return {
    "tool.execute.before": async (input, output) => {
      const fields = { tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID };
      const answer = await ask(await event("tool.execute.before", input.sessionID, fields));
      if (denies(answer)) throw new Error(answer.reason);
      calls.set(input.callID, output.args);
    },

    "tool.execute.after": async (input, output) => {
      const args = calls.get(input.callID) ?? input.args;
      calls.delete(input.callID);
      const answer = await report("tool.execute.after", input.sessionID, {
        tool_name: input.tool,
        tool_input: args,
        tool_use_id: input.callID,
        tool_response: {
          output: output.output ?? output.content,
          metadata: { exit: output.metadata?.exit },
          isError: output.isError === true,
        },
      });
      if (denies(answer) && typeof output.output === "string")
        output.output += `\n\n${answer.reason}`;
    },

    "chat.message": async (input, output) => {
      if (input.agent) agents.set(input.sessionID, input.agent);
      if (await parent(input.sessionID)) return;
      await start(input.sessionID);
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      const prompt = typed.map((part) => part.text).join("\n");
      if (!typed.length || prompt === sent.get(input.sessionID)) return;
      sent.delete(input.sessionID);
      const answer = await ask(await event("chat.message", input.sessionID, { prompt }));
      if (denies(answer)) throw new Error(answer.reason);
    },

    "experimental.chat.system.transform": async (input, output) => {
      const context = started.get(input.sessionID);
      if (context) output.system.push(context);
    },

    event: async ({ event: { type, properties } }) => {
      if (type === "session.created") {
        parents.set(properties.info.id, properties.info.parentID ?? "");
        if (!properties.info.parentID) await start(properties.info.id);
      } else if (type === "session.deleted") {
        const { id } = properties.info;
        if (started.delete(id)) await report("session.deleted", id, { reason: "deleted" });
      } else if (type === "message.part.updated") {
        const { part } = properties;
        if (part.type !== "tool" || part.state.status !== "error") return;
        if (!calls.has(part.callID)) return; // it was refused, or has ended
        const args = calls.get(part.callID);
        calls.delete(part.callID);
        await report("tool.execute.failed", part.sessionID, {
          tool_name: part.tool,
          tool_input: args,
          tool_use_id: part.callID,
          error: part.state.error,
        });
      } else if (type === "session.idle") {
        const id = properties.sessionID;
        if (await parent(id)) return;
        const fields = { stop_hook_active: sent.has(id) };
        const answer = await ask(await event("session.idle", id, fields));
        if (!denies(answer)) return;
        sent.set(id, answer.reason);
        const body = { parts: [{ type: "text", text: answer.reason }] };
        await (client.session.promptAsync ?? client.session.prompt).call(client.session, {
          path: { id },
          body,
        });
      }
    },

    dispose: async () => {
      for (const id of started.keys()) await report("session.deleted", id, { reason: "closed" });
    },
  };
};
)js";

}  // namespace

std::string OpenCodePlugin(std::span<const std::string> command, int timeout_ms) {
  const nlohmann::ordered_json words = std::vector<std::string>(command.begin(), command.end());
  return kPluginHead + ("const COMMAND = " + DumpJson(words)) +
         ";\nconst TIMEOUT_MS = " + std::to_string(timeout_ms) + ";\n" + kPluginBody;
}

}  // namespace rpl
