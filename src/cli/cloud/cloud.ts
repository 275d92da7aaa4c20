import { Command } from "commander";
import { AppError } from "../../kit/app-error.ts";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { agentCommands } from "./agents.ts";
import { type CloudOptions, cloudCommand, orgCommand, withCloud, withOrg } from "./with-cloud.ts";

export const cloudGroup = (perform: Perform) => {
  const group = new Command("cloud").description(
    "use the managed cloud: agents, runs, members, keys and plans",
  );
  for (const command of agentCommands(perform)) group.addCommand(command);
  return group
    .addCommand(
      orgCommand("members", "list members and open invitations").action(
        (options: CloudOptions, command: Command) => perform(command, (call) => members(call, options)),
      ),
    )
    .addCommand(
      orgCommand("keys", "list API keys").action((options: CloudOptions, command: Command) =>
        perform(command, (call) => keys(call, options)),
      ),
    )
    .addCommand(
      orgCommand("providers", "list providers with a key").action((options: CloudOptions, command: Command) =>
        perform(command, (call) => providers(call, options)),
      ),
    )
    .addCommand(
      orgCommand("usage", "show runs and tokens by agent")
        .option("--days <days>", "UTC days, today included (30)")
        .action((options: CloudOptions & { days?: string }, command: Command) =>
          perform(command, (call) => usage(call, options)),
        ),
    )
    .addCommand(
      cloudCommand("plan", "put an org on a plan; on the machine itself only")
        .argument("<org>", "the org's slug")
        .argument("<plan>", "free, team, business or a plan of runtime.yaml")
        .action((org: string, plan: string, options: CloudOptions, command: Command) =>
          perform(command, (call) => changePlan(call, { org, plan }, options)),
        ),
    );
};

async function members({ screen, ...call }: Call, options: CloudOptions): Promise<ExitCode> {
  return withOrg({ screen, ...call }, options, async (client, org) => {
    const list = await client.members(org);
    if (screen.json) screen.document(list);
    else
      screen.table(
        ["email", "name", "role", "status"],
        list.members.map(({ email, name, role, status }) => [email, name, role, status]),
      );
    return exitCodes.ok;
  });
}

async function keys(call: Call, options: CloudOptions): Promise<ExitCode> {
  return withOrg(call, options, async (client, org) => {
    const list = await client.keys(org);
    if (call.screen.json) call.screen.document(list);
    else
      call.screen.table(
        ["id", "name", "prefix", "last used"],
        list.keys.map(({ id, name, prefix, last_used_at }) => [id, name, prefix, last_used_at ?? "never"]),
      );
    return exitCodes.ok;
  });
}

async function providers(call: Call, options: CloudOptions): Promise<ExitCode> {
  return withOrg(call, options, async (client, org) => {
    const list = await client.providers(org);
    if (call.screen.json) call.screen.document(list);
    else
      call.screen.table(
        ["provider", "key", "added"],
        list.providers.map(({ provider, masked_key, added_at }) => [provider, masked_key, added_at]),
      );
    return exitCodes.ok;
  });
}

async function usage(call: Call, options: CloudOptions & { days?: string }): Promise<ExitCode> {
  return withOrg(call, options, async (client, org) => {
    const report = await client.usage(org, options.days === undefined ? undefined : Number(options.days));
    if (call.screen.json) call.screen.document(report);
    else {
      call.screen.table(
        ["agent", "runs", "tokens"],
        report.by_agent.map(({ agent, requests, tokens }) => [agent, String(requests), String(tokens)]),
      );
      call.screen.say(`${report.remaining_today} of ${report.daily_limit} runs are left today.`);
    }
    return exitCodes.ok;
  });
}

async function changePlan(
  call: Call,
  { org, plan }: { org: string; plan: string },
  options: CloudOptions,
): Promise<ExitCode> {
  return withCloud(call, options, async ({ changePlan: change }) => {
    if (change === undefined) {
      throw new AppError("invalid", "usage", "Plans are changed on the cloud's own machine, without --url.");
    }
    const changed = await change(org, plan);
    if (call.screen.json) call.screen.document(changed);
    else call.screen.say(`${changed.slug} is on the plan ${changed.plan}.`);
    return exitCodes.ok;
  });
}
