import { Command } from "commander";
import type { AgentDetail } from "../../contracts/daemon/agents.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { changeCommands } from "./change-agents.ts";

export const agentsCommand = (perform: Perform) => {
  const command = new Command("agents")
    .description("list, show or change agents")
    .argument("[name]", "an agent's name")
    .action((name: string | undefined, _options: object, command: Command) =>
      perform(command, (call) => (name === undefined ? listAgents(call) : showAgent(call, name))),
    );
  for (const inner of changeCommands(perform)) command.addCommand(inner.copyInheritedSettings(command));
  return command;
};

async function listAgents(call: CommandCall): Promise<ExitCode> {
  const { screen } = call;
  const list = await withDaemon(call, {}, (client) => client.listAgents());
  if (screen.json) screen.document(list);
  else if (list.agents.length === 0) screen.say("No agents. `argosy init` creates one in agents/.");
  else {
    screen.table(
      ["NAME", "STATUS", "MODEL", "PATTERN", "DESCRIPTION"],
      list.agents.map((agent) => [
        paint("bold", agent.name),
        statusText(agent.status),
        agent.model,
        agent.pattern,
        agent.description,
      ]),
    );
    for (const { name, error } of list.agents)
      if (error !== undefined) screen.say(paint("red", `${name}:`), " ", error);
  }
  return exitCodes.ok;
}

async function showAgent(call: CommandCall, name: string): Promise<ExitCode> {
  const { screen } = call;
  const agent = await withDaemon(call, {}, (client) => client.getAgent(name));
  if (screen.json) screen.document(agent);
  else printAgent(screen, agent);
  return exitCodes.ok;
}

function printAgent(screen: Screen, agent: AgentDetail): void {
  const model = (named: AgentDetail["model"]["primary"]) =>
    named === null ? "none" : `${named.provider}/${named.model}`;
  const { pattern, max_iterations: iterations, timeout } = agent.orchestration;
  const rows: [string, Inline][] = [
    ["name", paint("bold", agent.name)],
    ["status", statusText(agent.status)],
    ["version", agent.version],
    ["namespace", agent.namespace],
    ["description", agent.description],
    ["model", `${model(agent.model.primary)}${agent.model.is_default ? " (default)" : ""}`],
    ["fallback", model(agent.model.fallback)],
    ["strategy", agent.model.routing.strategy],
    ["pattern", `${pattern}, at most ${iterations} iterations and ${timeout} s`],
    ["memory", Object.keys(agent.memory).join(", ") || "none"],
    ...agent.tools.map((tool): [string, Inline] => [
      "tool",
      `${tool.name} (${tool.type}) ${tool.description}`,
    ]),
    ["file", agent.file ?? "none; the agent is lost at a restart"],
  ];
  screen.fields(rows);
  if (agent.error !== undefined) screen.say(paint("red", "error:"), " ", agent.error);
}

function statusText(status: AgentDetail["status"]): Inline {
  return paint(({ ready: "green", failed: "red", paused: "yellow" } as const)[status], status);
}
