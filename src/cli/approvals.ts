import { Command, InvalidArgumentError, Option } from "commander";
import type { ApprovalQuery } from "../contracts/daemon/client.ts";
import type { Approval, ApprovalDetail, ApprovalStatus } from "../contracts/daemon/runs/approvals.ts";
import { type Call, type Perform, withDaemon } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type Inline, paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

const statuses: readonly ApprovalStatus[] = ["pending", "approved", "rejected", "expired", "failed"];

export const approvalsCommand = (perform: Perform) => {
  const command = new Command("approvals").description(
    "list tool calls that wait for approval, and approve or reject them",
  );
  command
    .command("list", { isDefault: true })
    .description("list approvals, newest first")
    .addOption(new Option("--status <status>", "only this status").choices(statuses))
    .option("--agent <name>", "only calls in runs of this agent")
    .option("--limit <count>", "number of rows, 1 to 200 (50)", count)
    .action((query: ApprovalQuery, self: Command) => perform(self, (call) => list(call, query)));
  command
    .command("show")
    .description("show a call and the result of its run")
    .argument("<id>", "an approval's id")
    .action((id: string, _: object, self: Command) => perform(self, (call) => show(call, id)));
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

function count(text: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 200) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 200.");
}

async function list(call: Call, query: ApprovalQuery): Promise<ExitCode> {
  const { screen } = call;
  const found = await withDaemon(call, {}, (client) => client.listApprovals(query));
  if (screen.json) screen.document(found);
  else if (found.approvals.length === 0)
    screen.say("No calls. Tools with `requires_approval` ask for a decision.");
  else {
    screen.table(
      ["APPROVAL", "AGENT", "TOOL", "STATUS", "CREATED", "INPUT"],
      found.approvals.map((approval) => [
        approval.id,
        approval.agent,
        approval.tool,
        statusOf(approval),
        approval.created_at,
        JSON.stringify(approval.input),
      ]),
    );
  }
  return exitCodes.ok;
}

async function show(call: Call, id: string): Promise<ExitCode> {
  const { screen } = call;
  const approval = await withDaemon(call, {}, (client) => client.getApproval(id));
  if (screen.json) screen.document(approval);
  else printApproval(screen, approval);
  return exitCodes.ok;
}

function printApproval(screen: Screen, approval: ApprovalDetail): void {
  const { via, decided_at, comment, error, next_approval_id, next_call_id, result } = approval;
  const optional: [string, string | undefined][] = [
    ["wanted by", via],
    ["decided", decided_at],
    ["comment", comment],
    ["error", error && `${error.code}: ${error.message}`],
    ["paused again", next_approval_id ?? next_call_id],
    ["answer", result?.response],
  ];
  screen.fields([
    ["agent", paint("bold", approval.agent)],
    ["session", approval.session_id],
    ["tool", approval.tool],
    ["input", JSON.stringify(approval.input)],
    ["status", statusOf(approval)],
    ["created", approval.created_at],
    ["expires", approval.expires_at],
    ...optional.flatMap(([name, value]): [string, Inline][] => (value === undefined ? [] : [[name, value]])),
  ]);
}

async function decide(
  call: Call,
  verdict: "approve" | "reject",
  id: string,
  options: { comment?: string },
): Promise<ExitCode> {
  const { screen, signal } = call;
  const answer = await withDaemon(call, {}, (client) => client.decideApproval(id, verdict, options, signal));
  if (screen.json) screen.document(answer);
  else if ("response" in answer) {
    screen.write(answer.response);
    screen.endLine();
  } else if ("message" in answer) screen.say(answer.message);
  return exitCodes.ok;
}

function statusOf({ status }: Pick<Approval, "status">): Inline {
  if (status === "pending") return paint("yellow", status);
  return status === "failed" ? paint("red", status) : status;
}
