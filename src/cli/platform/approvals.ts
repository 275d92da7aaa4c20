import { Command, Option } from "commander";
import type { PlatformApproval } from "../../contracts/platform/runs/approvals.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { type DecisionOptions, decisionCommands, decisionOf, type Verdict } from "../paused-runs/decision.ts";
import { printCalls } from "../paused-runs/paused-calls.ts";
import { printAnswer, printFrames } from "./print-run.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface ListOptions extends PlatformOptions {
  status?: PlatformApproval["status"];
  limit?: number;
}

type DecideOptions = PlatformOptions & DecisionOptions;

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
  for (const decision of decisionCommands(tenantCommand)) {
    command.addCommand(
      decision.action((id: string, options: DecideOptions, self: Command) =>
        perform(self, (call) => decide(call, decision.name() as Verdict, id, options)),
      ),
    );
  }
  return command;
};

async function list(call: CommandCall, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { status, limit } = options;
  const query = { ...(status === undefined ? {} : { status }), ...(limit === undefined ? {} : { limit }) };
  const page = await withTenant(call, options, (client) => client.listApprovals(query));
  if (screen.json) screen.document(page);
  else printCalls(screen, "APPROVAL", page.approvals, "No calls.");
  return exitCodes.ok;
}

async function decide(
  call: CommandCall,
  given: Verdict,
  id: string,
  options: DecideOptions,
): Promise<ExitCode> {
  const { screen, signal } = call;
  const { comment, answer, cancel } = options;
  const said = {
    ...(comment !== undefined && { comment }),
    ...(answer !== undefined && { answer }),
    ...(cancel !== undefined && { cancel }),
  };
  return withTenant(call, options, async (client) => {
    const open = async () => {
      const { approvals } = await client.listApprovals({ status: "pending", limit: 200 });
      return approvals.find((one) => one.id === id)?.question;
    };
    const { verdict, request } = await decisionOf(call, given, said, open);
    if (!screen.json) return printFrames(call, client.streamDecision(id, verdict, request, signal));
    return printAnswer(call, await client.decideApproval(id, verdict, request, signal));
  });
}
