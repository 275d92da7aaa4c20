import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { parse } from "yaml";
import type { AgentChange, AgentInput } from "../../contracts/cloud/agents.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import type { ReachedCloud } from "../parts.ts";
import { type CloudOptions, orgCommand, withOrg } from "./with-cloud.ts";

type Client = ReachedCloud["client"];

interface RunOptions extends CloudOptions {
  session?: string;
  test?: boolean;
}

/** The commands for an org's agents and their runs. */
export const agentCommands = (perform: Perform) => {
  const named = (
    name: string,
    description: string,
    work: (client: Client, org: string, agent: string, call: Call) => Promise<void>,
  ) =>
    orgCommand(name, description)
      .argument("<name>", "an agent's name")
      .action((agent: string, options: CloudOptions, command: Command) =>
        perform(command, (call) =>
          withOrg(call, options, async (client, org) => {
            await work(client, org, agent, call);
            return exitCodes.ok;
          }),
        ),
      );
  return [
    orgCommand("agents", "list agents").action((options: CloudOptions, command: Command) =>
      perform(command, (call) => listAgents(call, options)),
    ),
    named("show", "print an agent with its config, as JSON", async (client, org, agent, { screen }) =>
      screen.document(await client.agent(org, agent)),
    ),
    named("manifest", "print the manifest of an agent", async (client, org, agent, { screen }) =>
      screen.write(await client.manifest(org, agent)),
    ),
    orgCommand("apply", "create an agent from a config, or change the one of the same name")
      .argument("<file>", "a config in YAML or JSON: name, display_name, step1 to step5")
      .action((file: string, options: CloudOptions, command: Command) =>
        perform(command, (call) => applyConfig(call, file, options)),
      ),
    named("deploy", "validate an agent and let it accept runs", async (client, org, agent, { screen }) => {
      const deployed = await client.deploy(org, agent);
      if (screen.json) screen.document(deployed);
      else screen.say(`Deployed ${deployed.agent_id}.`);
    }),
    named("pause", "stop an agent from accepting runs", async (client, org, agent, { screen }) => {
      const paused = await client.pause(org, agent);
      if (screen.json) screen.document(paused);
      else screen.say(`Paused ${agent}.`);
    }),
    named("delete", "delete an agent and its memory", async (client, org, agent, { screen }) => {
      await client.deleteAgent(org, agent);
      if (screen.json) screen.document({ deleted: agent });
      else screen.say(`Deleted ${agent} and its memory.`);
    }),
    orgCommand("run", "run an agent")
      .argument("<name>", "an agent's name")
      .argument("<query>", "the question")
      .option("--session <id>", "continue a conversation")
      .option("--test", "do not count the run")
      .action((agent: string, query: string, options: RunOptions, command: Command) =>
        perform(command, (call) => runAgent(call, agent, query, options)),
      ),
  ];
};

async function listAgents(call: Call, options: CloudOptions): Promise<ExitCode> {
  return withOrg(call, options, async (client, org) => {
    const list = await client.agents(org);
    if (call.screen.json) call.screen.document(list);
    else
      call.screen.table(
        ["name", "status", "model", "created"],
        list.agents.map(({ name, status, model, created_at }) => [name, status, model ?? "", created_at]),
      );
    return exitCodes.ok;
  });
}

async function applyConfig(call: Call, file: string, options: CloudOptions): Promise<ExitCode> {
  const config = readConfig(resolve(call.shell.folder, file), file);
  return withOrg(call, options, async (client, org) => {
    const { agents } = await client.agents(org);
    const { name, ...change } = config;
    const isKnown = agents.some((agent) => agent.name === name);
    const agent = isKnown
      ? await client.updateAgent(org, name, change as AgentChange)
      : await client.createAgent(org, config);
    if (call.screen.json) call.screen.document(agent);
    else call.screen.say(`${isKnown ? "Changed" : "Created"} ${agent.name} (${agent.status}).`);
    return exitCodes.ok;
  });
}

function readConfig(path: string, shown: string): AgentInput {
  try {
    const config = parse(readFileSync(path, "utf8"));
    if (typeof config?.name === "string") return config as AgentInput;
  } catch (cause) {
    throw new AppError("invalid", "usage", `${shown} can't be read as YAML or JSON.`, { cause });
  }
  throw new AppError(
    "invalid",
    "usage",
    `${shown} has no name. It needs name, display_name and step1 to step5.`,
  );
}

async function runAgent(call: Call, agent: string, query: string, options: RunOptions): Promise<ExitCode> {
  return withOrg(call, options, async (client, org) => {
    const { session, test = false } = options;
    const request = { query, ...(session === undefined ? {} : { session_id: session }) };
    const { result } = await (test
      ? client.test(org, agent, request, call.signal)
      : client.run(org, agent, request, call.signal));
    if (call.screen.json) call.screen.document(result);
    else call.screen.print(result.answer);
    return exitCodes.ok;
  });
}
