import type { Command } from "commander";
import { creditsText } from "../../contracts/amounts.ts";
import { queryLengthMax } from "../../contracts/daemon/runs/run.ts";
import type { SourceFilter } from "../../contracts/daemon/runs/run-sources.ts";
import type { InvocationDetail, InvocationSummary } from "../../contracts/platform/observability.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { traceLines } from "../observe/trace-tree.ts";
import { sourceOption, wholeNumber } from "../option-values.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";
import { printAnswer, printFrames } from "./print-run.ts";
import { type PlatformOptions, tenantCommand, withTenant } from "./with-platform.ts";

interface RunOptions extends PlatformOptions {
  session?: string;
  idempotencyKey?: string;
}

interface ListOptions extends PlatformOptions {
  limit?: number;
  steps?: boolean;
  texts?: boolean;
  source?: SourceFilter;
}

export const runCommand = (perform: Perform) =>
  tenantCommand("run", "ask a tenant's agent once and print its answer")
    .argument("<agent>", "the agent's name")
    .argument("[query...]", "what to ask; read from stdin when absent")
    .option("--session <id>", "the id of the conversation")
    .option(
      "--idempotency-key <key>",
      "repeating the key returns the first run's answer instead of a new run",
    )
    .action((agent: string, words: string[], options: RunOptions, command: Command) =>
      perform(command, (call) => run(call, agent, words, options)),
    );

export const runsCommand = (perform: Perform) =>
  tenantCommand("runs", "list a tenant's runs, newest first, or show one")
    .argument("[agent]", "only runs of this agent")
    .argument("[id]", "an invocation's id")
    .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
    .addOption(sourceOption("all"))
    .option("--texts", "list how questions and answers begin, where traces keep them")
    .option("--steps", "show the steps of the run, with their times")
    .action((agent: string | undefined, id: string | undefined, options: ListOptions, command: Command) =>
      perform(command, (call) =>
        agent === undefined || id === undefined
          ? listRuns(call, agent, options)
          : options.steps === true
            ? showSteps(call, agent, id, options)
            : showRun(call, agent, id, options),
      ),
    );

async function run(
  call: CommandCall,
  agent: string,
  words: string[],
  options: RunOptions,
): Promise<ExitCode> {
  const { screen, signal } = call;
  const query = await readQuery(call, words);
  const request = { query, ...(options.session === undefined ? {} : { session_id: options.session }) };
  const { idempotencyKey } = options;
  const sending = { signal, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
  return withTenant(call, options, async (client) => {
    // With an idempotency key, the answer may be that of an earlier run, so it is not streamed.
    if (!screen.json && idempotencyKey === undefined)
      return printFrames(call, client.streamRun(agent, request, sending));
    return printAnswer(call, await client.run(agent, request, sending));
  });
}

async function readQuery({ shell, signal }: CommandCall, words: string[]): Promise<string> {
  if (words.length > 0) return words.join(" ");
  if (shell.stdin.isTTY === true)
    throw usageError("There is no query.", "Write the query after the agent's name.");
  const { readText } = await import("../terminal/read-input.ts");
  const query = await readText(shell.stdin, queryLengthMax, signal);
  if (query.trim() === "") throw usageError("The query is empty.");
  return query;
}

async function listRuns(
  call: CommandCall,
  agent: string | undefined,
  options: ListOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const { limit, source, texts } = options;
  const query = {
    ...(limit === undefined ? {} : { limit }),
    ...(source === undefined ? {} : { source }),
    ...(texts ? { texts: "true" as const } : {}),
  };
  const page = await withTenant(call, options, async (client) =>
    agent === undefined ? client.listRuns(query) : client.agentStatus(agent, query),
  );
  if (screen.json) screen.document(page);
  else if (page.invocations.length === 0) screen.say("No runs.");
  else {
    screen.table(
      [
        "INVOCATION",
        "AGENT",
        "STATUS",
        "SOURCE",
        "STARTED",
        "TOKENS",
        "CREDITS",
        "SESSION",
        "ERROR",
        ...(texts ? ["QUESTION", "ANSWER"] : []),
      ],
      page.invocations.map((one) => [
        one.invocation_id,
        "agent_name" in one ? one.agent_name : (agent ?? ""),
        statusOf(one),
        one.source,
        one.started_at,
        String(one.tokens_in + one.tokens_out),
        creditsText(one.credits_charged_micros),
        one.session_id,
        one.error_code ?? "",
        ...(texts ? [one.question ?? "", one.answer ?? ""] : []),
      ]),
    );
  }
  return exitCodes.ok;
}

async function showRun(
  call: CommandCall,
  agent: string,
  id: string,
  options: ListOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const invocation = await withTenant(call, options, (client) => client.getInvocation(agent, id));
  if (screen.json) screen.document(invocation);
  else screen.fields(fieldsOf(invocation));
  return exitCodes.ok;
}

async function showSteps(
  call: CommandCall,
  agent: string,
  id: string,
  options: ListOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const trace = await withTenant(call, options, (client) => client.getInvocationTrace(agent, id));
  if (screen.json) screen.document(trace);
  else for (const line of traceLines(trace, screen.dataWidth)) screen.print(...line);
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
    ["credits", creditsText(one.credits_charged_micros)],
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
