import { Command, Option } from "commander";
import type { PlatformApproval } from "../../contracts/platform/runs/approvals.ts";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { printCalls } from "../paused-runs/paused-calls.ts";
import { printAnswer, printFrames } from "./print-run.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface ListOptions extends PlatformOptions {
  status?: PlatformApproval["status"];
  limit?: number;
}

interface DecideOptions extends PlatformOptions {
  comment?: string;
}

const statuses: readonly PlatformApproval["status"][] = ["pending", "approved", "rejected", "expired"];

export const approvalsCommand = (perform: Perform) => {
  const command = new Command("approvals")
    .description("list tool calls that wait for approval, and approve or reject them")
    .addCommand(
      tenantCommand("list", "list approvals, newest first")
        .addOption(new Option("--status <status>", "only this status").choices(statuses))
        .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
        .action((options: ListOptions, self: Command) => perform(self, (call) => list(call, options))),
      { isDefault: true },
    );
  for (const [verdict, what] of verdicts) {
    command.addCommand(
      tenantCommand(verdict, what)
        .argument("<id>", "an approval's id")
        .option("--comment <text>", "a comment stored with the decision; after a rejection the agent sees it")
        .action((id: string, options: DecideOptions, self: Command) =>
          perform(self, (call) => decide(call, verdict, id, options)),
        ),
    );
  }
  return command;
};

const verdicts = [
  ["approve", "approve a call, and print the answer of its run"],
  ["reject", "reject a call, and print the answer of its run"],
] as const;

async function list(call: Call, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { status, limit } = options;
  const query = { ...(status === undefined ? {} : { status }), ...(limit === undefined ? {} : { limit }) };
  const page = await withTenant(call, options, (client) => client.listApprovals(query));
  if (screen.json) screen.document(page);
  else printCalls(screen, "APPROVAL", page.approvals, "No calls.");
  return exitCodes.ok;
}

async function decide(
  call: Call,
  verdict: "approve" | "reject",
  id: string,
  options: DecideOptions,
): Promise<ExitCode> {
  const { screen, signal } = call;
  const { comment } = options;
  const decision = comment === undefined ? {} : { comment };
  return withTenant(call, options, async (client) => {
    if (!screen.json) return printFrames(call, client.streamDecision(id, verdict, decision, signal));
    return printAnswer(call, await client.decideApproval(id, verdict, decision, signal));
  });
}
