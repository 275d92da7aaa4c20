import type { Command } from "commander";
import type { OrgAgentChange } from "../../contracts/cloud/agents.ts";
import type { CloudEvalOrder, CloudEvalRun } from "../../contracts/cloud/evals.ts";
import type { Perform } from "../call.ts";
import { evalsCommand } from "../hosted-evals/evals-command.ts";
import { wholeNumber } from "../option-values.ts";
import { readConfig } from "./read-config.ts";
import { type CloudOptions, orgCommand, withOrg } from "./with-cloud.ts";

interface OrderOptions {
  config?: string;
  budget?: number;
}

/** The commands for an org's evals. */
export const orgEvalsCommand = (perform: Perform): Command =>
  evalsCommand<CloudOptions, OrderOptions, CloudEvalOrder, CloudEvalRun>(perform, {
    name: "cloud evals",
    whose: "an org's",
    command: orgCommand,
    connect: (call, options, use) => withOrg(call, options, (client, org) => use(client.evals(org))),
    orderOptions: (command) =>
      command
        .option("--config <file>", "ask the agent as `apply` of this config would make it")
        .option("--budget <tokens>", "start no further case once so many are used", wholeNumber(1e12)),
    orderOf: ({ shell }, { config, budget }) => ({
      ...(config !== undefined && { change: changeIn(shell.folder, config) }),
      ...(budget !== undefined && { budget_tokens: budget }),
    }),
    versionOf: ({ checksum }) => checksum.slice(0, 12),
    spentOf: ({ tokens_used: tokens }) => `${tokens} tokens`,
  });

function changeIn(folder: string, file: string): OrgAgentChange {
  const { name: _, ...change } = readConfig(folder, file);
  return change as OrgAgentChange;
}
