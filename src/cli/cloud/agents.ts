import type { Command } from "commander";
import type { OrgAgentChange } from "../../contracts/cloud/agents.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { requireYes, yesOption } from "../option-values.ts";
import { readConfig } from "./read-config.ts";
import { type CloudOptions, orgCommand, performShown, type SignedInCloud, withOrg } from "./with-cloud.ts";

interface DeployOptions extends CloudOptions {
  releaseOverride?: string;
}

interface ApplyOptions extends CloudOptions {
  draft?: boolean;
}

/** The commands for an org's agents and their runs. */
export const agentCommands = (perform: Perform) => {
  const named = (
    name: string,
    description: string,
    work: (client: SignedInCloud, org: string, agent: string, call: CommandCall) => Promise<void>,
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
      .option("--draft", "change the draft of a deployed agent; `publish` puts it in force")
      .action((file: string, options: ApplyOptions, command: Command) =>
        perform(command, (call) => applyConfig(call, file, options)),
      ),
    named("draft", "print the draft of an agent, as JSON", async (client, org, agent, { screen }) =>
      screen.document(await client.draft(org, agent)),
    ),
    orgCommand("publish", "put the draft of an agent in force without a pause")
      .argument("<name>", "an agent's name")
      .option("--release-override <reason>", "publish it although its release gate refuses it; audited")
      .action((agent: string, { releaseOverride, ...options }: DeployOptions, command: Command) =>
        performShown(perform, command, options, {
          ask: (client, org) => client.publishDraft(org, agent, { release_override: releaseOverride }),
          show: (screen, deployed) => screen.say(`Published ${deployed.agent_id}.`),
        }),
      ),
    named("discard", "delete the draft of an agent", async (client, org, agent, { screen }) => {
      await client.discardDraft(org, agent);
      if (screen.json) screen.document({ discarded: agent });
      else screen.say(`Discarded the draft of ${agent}.`);
    }),
    orgCommand("rename-agent", "rename an agent; memory, usage and evals stay with it")
      .argument("<name>", "an agent's name")
      .argument("<new-name>", "its new name")
      .action((agent: string, to: string, options: CloudOptions, command: Command) =>
        performShown(perform, command, options, {
          ask: (client, org) => client.renameAgent(org, agent, to),
          show: (screen, renamed) => screen.say(`Renamed ${agent} to ${renamed.name}.`),
        }),
      ),
    orgCommand("deploy", "validate an agent and let it accept runs")
      .argument("<name>", "an agent's name")
      .option("--release-override <reason>", "deploy it although its release gate refuses it; audited")
      .action((agent: string, { releaseOverride, ...options }: DeployOptions, command: Command) =>
        performShown(perform, command, options, {
          ask: (client, org) => client.deploy(org, agent, { release_override: releaseOverride }),
          show: (screen, deployed) => screen.say(`Deployed ${deployed.agent_id}.`),
        }),
      ),
    named("pause", "stop an agent from accepting runs", async (client, org, agent, { screen }) => {
      const paused = await client.pause(org, agent);
      if (screen.json) screen.document(paused);
      else screen.say(`Paused ${agent}.`);
    }),
    orgCommand("delete", "delete an agent and its memory")
      .argument("<name>", "an agent's name")
      .addOption(yesOption())
      .action((agent: string, { yes, ...options }: CloudOptions & { yes?: true }, command: Command) =>
        performShown(perform, command, options, {
          ask: async (client, org) => {
            requireYes(yes ? { yes } : {}, `This would delete ${agent}, its conversations and its memory.`);
            await client.deleteAgent(org, agent);
            return { deleted: agent };
          },
          show: (screen) => screen.say(`Deleted ${agent} and its memory.`),
        }),
      ),
    orgCommand("catalog", "list what a config may name: providers, tools and guardrails").action(
      (options: CloudOptions, command: Command) =>
        performShown(perform, command, options, {
          ask: (client, org) => client.catalog(org),
          show: (screen, { providers, tools, input_guardrails: input, output_guardrails: output }) =>
            screen.table(
              ["KIND", "NAME", "DESCRIPTION"],
              [
                ...providers.map(({ provider, needs_key }) => [
                  "provider",
                  provider,
                  needs_key ? "needs a key" : "",
                ]),
                ...tools.map(({ name, description }) => ["tool", name, description]),
                ...input.map(({ name, description }) => ["input guardrail", name, description]),
                ...output.map(({ name, description }) => ["output guardrail", name, description]),
              ],
            ),
        }),
    ),
  ];
};

async function listAgents(call: CommandCall, options: CloudOptions): Promise<ExitCode> {
  return withOrg(call, options, async (client, org) => {
    const list = await client.agents(org);
    if (call.screen.json) call.screen.document(list);
    else
      call.screen.table(
        ["NAME", "STATUS", "MODEL", "CREATED"],
        list.agents.map(({ name, status, model, created_at }) => [name, status, model ?? "", created_at]),
      );
    return exitCodes.ok;
  });
}

async function applyConfig(call: CommandCall, file: string, options: ApplyOptions): Promise<ExitCode> {
  const config = readConfig(call.shell.folder, file);
  return withOrg(call, options, async (client, org) => {
    const { agents } = await client.agents(org);
    const { name, ...change } = config;
    const isKnown = agents.some((agent) => agent.name === name);
    if (options.draft === true) {
      const draft = await client.changeDraft(org, name, change as OrgAgentChange);
      if (call.screen.json) call.screen.document(draft);
      else call.screen.say(`Changed the draft of ${name}.`);
      return exitCodes.ok;
    }
    const agent = isKnown
      ? await client.updateAgent(org, name, change as OrgAgentChange)
      : await client.createAgent(org, config);
    if (call.screen.json) call.screen.document(agent);
    else call.screen.say(`${isKnown ? "Changed" : "Created"} ${agent.name} (${agent.status}).`);
    return exitCodes.ok;
  });
}
