import { Command } from "commander";
import type { ApprovalQuery } from "../../contracts/daemon/client.ts";
import type { ApprovalStatus } from "../../contracts/daemon/runs/approvals.ts";
import { type Call, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { addReadingCommands, printCall, printCalls } from "./paused-calls.ts";

const statuses: readonly ApprovalStatus[] = ["pending", "approved", "rejected", "expired", "failed"];

export const approvalsCommand = (perform: Perform) => {
  const command = new Command("approvals").description(
    "list tool calls that wait for approval, and approve or reject them",
  );
  addReadingCommands(command, perform, { calls: "approvals", id: "an approval's id", statuses, list, show });
  for (const [verdict, what] of decisions) {
    command
      .command(verdict)
      .description(what)
      .argument("<id>", "an approval's id")
      .option("--comment <text>", "a comment stored with the decision; after a rejection the agent sees it")
      .action((id: string, options: { comment?: string }, self: Command) =>
        perform(self, (call) => decide(call, verdict, id, options)),
      );
  }
  return command;
};

const decisions = [
  ["approve", "approve a call, and print the answer of its run"],
  ["reject", "reject a call, and print the answer of its run"],
] as const;

async function list(call: Call, query: ApprovalQuery): Promise<ExitCode> {
  const { screen } = call;
  const page = await withDaemon(call, {}, (client) => client.listApprovals(query));
  const none = "No calls. Tools with `requires_approval` ask for a decision.";
  if (screen.json) screen.document(page);
  else printCalls(screen, "APPROVAL", page.approvals, none);
  return exitCodes.ok;
}

async function show(call: Call, id: string): Promise<ExitCode> {
  const { screen } = call;
  const approval = await withDaemon(call, {}, (client) => client.getApproval(id));
  const { via, decided_at, comment, error, next_approval_id, next_call_id, result } = approval;
  if (screen.json) screen.document(approval);
  else {
    printCall(screen, approval, [
      ["wanted by", via],
      ["decided", decided_at],
      ["comment", comment],
      ["error", error && `${error.code}: ${error.message}`],
      ["paused again", next_approval_id ?? next_call_id],
      ["answer", result?.response],
    ]);
  }
  return exitCodes.ok;
}

async function decide(
  call: Call,
  verdict: "approve" | "reject",
  id: string,
  options: { comment?: string },
): Promise<ExitCode> {
  const { screen, signal } = call;
  const answer = await withDaemon(call, { runsAgents: true }, (client) =>
    client.decideApproval(id, verdict, options, signal),
  );
  if (screen.json) screen.document(answer);
  else if ("response" in answer) {
    screen.write(answer.response);
    screen.endLine();
  } else if ("message" in answer) screen.say(answer.message);
  return exitCodes.ok;
}
