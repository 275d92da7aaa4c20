import { Command } from "commander";
import type { ApprovalQuery } from "../../contracts/daemon/client.ts";
import { questionLines } from "../../contracts/daemon/questions/written-answer.ts";
import type { ApprovalStatus } from "../../contracts/daemon/runs/approvals.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type DecisionOptions, decisionCommands, decisionOf, type Verdict } from "./decision.ts";
import { addReadingCommands, printCall, printCalls } from "./paused-calls.ts";

const statuses: readonly ApprovalStatus[] = ["pending", "approved", "rejected", "expired", "failed"];

export const approvalsCommand = (perform: Perform) => {
  const command = new Command("approvals").description(
    "list tool calls that wait for approval and questions of MCP servers, and decide on them",
  );
  addReadingCommands(command, perform, { calls: "approvals", id: "an approval's id", statuses, list, show });
  for (const decision of decisionCommands()) {
    command.addCommand(
      decision.action((id: string, options: DecisionOptions, self: Command) =>
        perform(self, (call) => decide(call, decision.name() as Verdict, id, options)),
      ),
    );
  }
  return command;
};

async function list(call: CommandCall, query: ApprovalQuery): Promise<ExitCode> {
  const { screen } = call;
  const page = await withDaemon(call, {}, (client) => client.listApprovals(query));
  const none = "No calls. Tools with `requires_approval` ask for a decision.";
  if (screen.json) screen.document(page);
  else printCalls(screen, "APPROVAL", page.approvals, none);
  return exitCodes.ok;
}

async function show(call: CommandCall, id: string): Promise<ExitCode> {
  const { screen } = call;
  const approval = await withDaemon(call, {}, (client) => client.getApproval(id));
  const { via, decided_at, comment, error, next_approval_id, next_call_id, result, question } = approval;
  if (screen.json) screen.document(approval);
  else {
    printCall(screen, approval, [
      ["wanted by", via],
      ["question", question && questionLines(question).join("\n")],
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
  call: CommandCall,
  given: Verdict,
  id: string,
  options: DecisionOptions,
): Promise<ExitCode> {
  const { screen, signal } = call;
  const answer = await withDaemon(call, { runsAgents: true }, async (client) => {
    const open = async () => (await client.getApproval(id)).question;
    const { verdict, request } = await decisionOf(call, given, options, open);
    return client.decideApproval(id, verdict, request, signal);
  });
  if (screen.json) screen.document(answer);
  else if ("response" in answer) {
    screen.write(answer.response);
    screen.endLine();
  } else if ("message" in answer) screen.say(answer.message);
  return exitCodes.ok;
}
