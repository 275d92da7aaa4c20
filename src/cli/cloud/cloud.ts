import { Command, Option } from "commander";
import { costText } from "../../contracts/amounts.ts";
import type { OrgUsageReport } from "../../contracts/cloud/usage.ts";
import { AppError } from "../../kit/app-error.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { storageText } from "../terminal/storage-text.ts";
import { accountCommands } from "./account.ts";
import { agentCommands } from "./agents.ts";
import { auditCommand } from "./audit.ts";
import { orgEvalsCommand } from "./evals.ts";
import { keyCommands, providerCommands } from "./keys.ts";
import { memberCommands } from "./members.ts";
import { releaseCommand } from "./release.ts";
import { runCommands } from "./runs.ts";
import { sessionCommands } from "./session.ts";
import { type CloudOptions, cloudCommand, orgCommand, performShown, withCloud } from "./with-cloud.ts";

const splits = ["agent", "model", "key"] as const;

interface UsageOptions extends CloudOptions {
  days?: number;
  by: (typeof splits)[number];
}

export const cloudGroup = (perform: Perform) => {
  const group = new Command("cloud").description(
    "use the managed cloud: agents, runs, members, keys and plans",
  );
  const commands = [
    ...sessionCommands(perform),
    ...accountCommands(perform),
    ...agentCommands(perform),
    ...runCommands(perform),
    ...memberCommands(perform),
    auditCommand(perform),
    releaseCommand(perform),
    orgEvalsCommand(perform),
    keyCommands(perform),
    providerCommands(perform),
  ];
  for (const command of commands) group.addCommand(command);
  return group
    .addCommand(
      orgCommand("usage", "show runs, tokens and costs by agent, model or key")
        .option("--days <days>", "UTC days, today included, 1 to 90 (30)", wholeNumber(90))
        .addOption(new Option("--by <split>", "agent, model or key").choices(splits).default("agent"))
        .action(({ days, by, ...options }: UsageOptions, command: Command) =>
          performShown(perform, command, options, {
            ask: (client, org) => client.usageAndStorage(org, days),
            show: (screen, report) => {
              screen.table(
                [by.toUpperCase(), "RUNS", "TOKENS", "COST"],
                usageRows(report, by).map(([name, used]) => [
                  name,
                  String(used.requests),
                  String(used.tokens),
                  costText(costOf(used)),
                ]),
              );
              screen.say(
                `The runs of these days cost ${costText(costOf(report))} at your providers, tests included.`,
              );
              if (report.storage !== undefined) screen.say(`${storageText(report.storage)} are stored.`);
              screen.say(`${report.remaining_today} of ${report.daily_limit} runs are left today.`);
            },
          }),
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

type Used = Pick<
  OrgUsageReport["by_agent"][number],
  "requests" | "tokens" | "cost_micros" | "unpriced_tokens"
>;

function usageRows(report: OrgUsageReport, by: UsageOptions["by"]): [string, Used][] {
  if (by === "model") return report.by_model.map((row) => [`${row.provider}/${row.model}`, row]);
  if (by === "key") return report.by_key.map((row) => [row.name, row]);
  return report.by_agent.map((row) => [row.agent, row]);
}

const costOf = ({ cost_micros, unpriced_tokens }: Pick<Used, "cost_micros" | "unpriced_tokens">) => ({
  micros: cost_micros,
  unknown: unpriced_tokens,
});

async function changePlan(
  call: CommandCall,
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
