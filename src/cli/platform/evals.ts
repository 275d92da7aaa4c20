import type { Command } from "commander";
import { creditsText } from "../../contracts/amounts.ts";
import type { PlatformEvalOrder, PlatformEvalRun } from "../../contracts/platform/evals.ts";
import { readManifest } from "../agents/change-agents.ts";
import type { Perform } from "../call.ts";
import { evalsCommand } from "../hosted-evals/evals-command.ts";
import { amount } from "../option-values.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface OrderOptions {
  manifest?: string;
  budget?: number;
}

/** The commands for a tenant's evals. */
export const tenantEvalsCommand = (perform: Perform): Command =>
  evalsCommand<PlatformOptions, OrderOptions, PlatformEvalOrder, PlatformEvalRun>(perform, {
    name: "platform evals",
    whose: "a tenant's",
    command: tenantCommand,
    connect: withTenant,
    orderOptions: (command) =>
      command
        .option("--manifest <file>", "ask this version, which need not be published")
        .option("--budget <credits>", "start no further case once this much is charged", amount),
    orderOf: ({ shell }, { manifest, budget }) => ({
      ...(manifest !== undefined && { spec: readManifest(shell.folder, manifest) }),
      ...(budget !== undefined && { budget_credits_micros: Math.round(budget * 1e6) }),
    }),
    versionOf: ({ agent_version: version, checksum }) =>
      version === null ? `candidate ${checksum.slice(0, 12)}` : `version ${version}`,
    spentOf: ({ credits_charged_micros: micros }) => `${creditsText(micros)} credits`,
  });
