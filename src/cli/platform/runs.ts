import { Command } from "commander";
import { queryLengthMax } from "../../contracts/daemon/run.ts";
import type { PlatformClient } from "../../contracts/platform/client.ts";
import type { InvocationDetail, InvocationSummary } from "../../contracts/platform/observability.ts";
import type { PlatformFrame } from "../../contracts/platform/run-client.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Call, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type Inline, paint } from "../paint.ts";
import { wholeNumber } from "../rag/target.ts";
import { usageError } from "../report-error.ts";
import { credits } from "./credits.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface RunOptions extends PlatformOptions {
  session?: string;
  idempotencyKey?: string;
}

interface DecideOptions extends PlatformOptions {
  comment?: string;
}

interface ListOptions extends PlatformOptions {
  limit?: number;
}

export const runCommand = (perform: Perform) =>
  tenantCommand("run", "ask a tenant's agent once and print its answer")
    .argument("<agent>", "the agent's name")
    .argument("[query...]", "what to ask; read from stdin when absent")
    .option("--session <id>", "the conversation it belongs to")
    .option("--idempotency-key <key>", "with the same key again: that run's answer, and no other run")
    .action((agent: string, words: string[], options: RunOptions, command: Command) =>
      perform(command, (call) => run(call, agent, words, options)),
    );

export const runsCommand = (perform: Perform) =>
  tenantCommand("runs", "list the runs of a tenant's agent, newest first, or show one")
    .argument("<agent>", "the agent's name")
    .argument("[id]", "an invocation's id")
    .option("--limit <count>", "how many, 1 to 200 (50)", wholeNumber(200))
    .action((agent: string, id: string | undefined, options: ListOptions, command: Command) =>
      perform(command, (call) =>
        id === undefined ? listRuns(call, agent, options) : showRun(call, agent, id, options),
      ),
    );

export const approvalsCommand = (perform: Perform) => {
  const command = new Command("approvals")
    .description("calls of a tenant's runs that wait for a person")
    .addCommand(
      tenantCommand("list", "list them, newest first").action((options: PlatformOptions, self: Command) =>
        perform(self, (call) => listApprovals(call, options)),
      ),
      { isDefault: true },
    );
  for (const [verdict, what] of verdicts) {
    command.addCommand(
      tenantCommand(verdict, what)
        .argument("<id>", "an approval's id")
        .option("--comment <text>", "kept with the decision; of a rejected call the agent is told it")
        .action((id: string, options: DecideOptions, self: Command) =>
          perform(self, (call) => decide(call, verdict, id, options)),
        ),
    );
  }
  return command;
};

const verdicts = [
  ["approve", "let a call be carried out, and print the answer of its run"],
  ["reject", "refuse a call, and print the answer of its run"],
] as const;

async function listApprovals(call: Call, options: PlatformOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withTenant(call, options, (client) => client.listApprovals());
  if (screen.json) screen.document(list);
  else if (list.approvals.length === 0) screen.say("No calls.");
  else {
    screen.table(
      ["APPROVAL", "AGENT", "TOOL", "STATUS", "CREATED", "INPUT"],
      list.approvals.map((one) => [
        one.id,
        one.agent,
        one.tool ?? "",
        one.status,
        one.created_at,
        one.input === undefined ? "" : JSON.stringify(one.input),
      ]),
    );
  }
  return exitCodes.ok;
}

async function decide(
  call: Call,
  verdict: "approve" | "reject",
  id: string,
  options: DecideOptions,
): Promise<ExitCode> {
  const { comment } = options;
  const decision = comment === undefined ? {} : { comment };
  const answer = await withTenant(call, options, (client) =>
    client.decideApproval(id, verdict, decision, call.signal),
  );
  return printAnswer(call, answer);
}

async function run(call: Call, agent: string, words: string[], options: RunOptions): Promise<ExitCode> {
  const { screen, signal } = call;
  const query = await readQuery(call, words);
  const request = { query, ...(options.session === undefined ? {} : { session_id: options.session }) };
  const { idempotencyKey } = options;
  const sending = { signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
  return withTenant(call, options, async (client) => {
    // A key gives the answer as a whole: it may be that of an earlier run.
    if (!screen.json && idempotencyKey === undefined)
      return printFrames(call, client.streamRun(agent, request, sending));
    return printAnswer(call, await client.run(agent, request, sending));
  });
}

async function readQuery({ shell, signal }: Call, words: string[]): Promise<string> {
  if (words.length > 0) return words.join(" ");
  if (shell.stdin.isTTY === true) throw usageError("There is no query.", "Write it behind the agent's name.");
  const { readText } = await import("../read-input.ts");
  const query = await readText(shell.stdin, queryLengthMax, signal);
  if (query.trim() === "") throw usageError("The query is empty.");
  return query;
}

function printAnswer(
  { screen }: Call,
  { body, creditPercent }: Awaited<ReturnType<PlatformClient["run"]>>,
): ExitCode {
  if (screen.json) screen.document(body);
  else if (body.status === "ok") {
    screen.write(body.answer);
    screen.endLine();
  } else if (body.status === "in_progress") screen.say(`It runs, as ${body.invocation_id}.`);
  else sayAwaited({ screen }, body.approval_id);
  if (creditPercent !== undefined) screen.say(`${creditPercent} % of the month's credits are used.`);
  return body.status === "awaiting_approval" ? exitCodes.failed : exitCodes.ok;
}

/** Tokens as they come, and to a reader what the agent does meanwhile. */
async function printFrames(call: Call, frames: AsyncIterable<PlatformFrame>): Promise<ExitCode> {
  const { screen } = call;
  for await (const frame of frames) {
    switch (frame.type) {
      case "token":
        screen.write(frame.content);
        break;
      case "done":
        screen.endLine();
        if (screen.hasReader) screen.say(paint("dim", factsOf(frame)));
        return exitCodes.ok;
      case "error":
        screen.endLine();
        throw new AppError("unprocessable", frame.error_code, frame.message);
      case "approval_required":
        screen.endLine();
        sayAwaited(call, frame.approval_id);
        // There is no answer.
        return exitCodes.failed;
      default:
    }
  }
  throw new AppError("upstream_failed", "stream_broken", "The answer broke off before its end.");
}

const factsOf = (frame: Extract<PlatformFrame, { type: "done" }>) =>
  [
    `${frame.usage.tokens_in + frame.usage.tokens_out} tokens`,
    `${credits(frame.credits_charged_micros)} credits`,
    `session ${frame.session_id}`,
  ].join(" · ");

function sayAwaited({ screen }: Pick<Call, "screen">, approvalId: string): void {
  screen.say("A call of the agent waits for a person.");
  screen.say(`argosy platform approvals approve ${approvalId}`);
}

async function listRuns(call: Call, agent: string, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const { limit } = options;
  const page = await withTenant(call, options, (client) =>
    client.agentStatus(agent, limit === undefined ? {} : { limit }),
  );
  if (screen.json) screen.document(page);
  else if (page.invocations.length === 0) screen.say("No runs.");
  else {
    screen.table(
      ["INVOCATION", "STATUS", "STARTED", "TOKENS", "CREDITS", "SESSION", "ERROR"],
      page.invocations.map((one) => [
        one.invocation_id,
        statusOf(one),
        one.started_at,
        String(one.tokens_in + one.tokens_out),
        credits(one.credits_charged_micros),
        one.session_id,
        one.error_code ?? "",
      ]),
    );
  }
  return exitCodes.ok;
}

async function showRun(call: Call, agent: string, id: string, options: ListOptions): Promise<ExitCode> {
  const { screen } = call;
  const found = await withTenant(call, options, (client) => client.getInvocation(agent, id));
  if (screen.json) screen.document(found);
  else screen.fields(fieldsOf(found));
  return exitCodes.ok;
}

function fieldsOf(one: InvocationDetail): [string, Inline][] {
  const optional: [string, string | null][] = [
    ["ended", one.ended_at],
    ["error", one.error_code],
    ["message", one.message],
  ];
  return [
    ["status", statusOf(one)],
    ["agent", `${one.agent_name}, version ${one.agent_version}`],
    ["session", one.session_id],
    ["started", one.started_at],
    ...optional.flatMap(([name, value]): [string, Inline][] => (value === null ? [] : [[name, value]])),
    ["credits", credits(one.credits_charged_micros)],
    ...one.usage.by_model.map((model): [string, Inline] => [
      "model",
      `${model.provider}/${model.model} (${model.role}): ${model.tokens_in} in, ${model.tokens_out} out`,
    ]),
  ];
}

function statusOf({ status }: Pick<InvocationSummary, "status">): Inline {
  if (status === "ok") return paint("green", status);
  return status === "in_progress" || status === "awaiting_approval"
    ? paint("yellow", status)
    : paint("red", status);
}
