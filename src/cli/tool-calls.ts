import { Command, InvalidArgumentError, Option } from "commander";
import type { ToolCallQuery } from "../contracts/daemon/client.ts";
import type {
  ClientToolCall,
  ClientToolCallDetail,
  ToolCallResult,
  ToolCallStatus,
} from "../contracts/daemon/runs/tool-calls.ts";
import { type Call, type Perform, withDaemon } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { type Inline, paint } from "./paint.ts";
import { usageError } from "./report-error.ts";
import type { Screen } from "./screen.ts";

const statuses: readonly ToolCallStatus[] = ["pending", "answered", "expired", "failed"];

/** The output inside an object: commander takes a bare null for an option without a value. */
type Options = { output?: { json: unknown }; error?: string };

export const toolCallsCommand = (perform: Perform) => {
  const command = new Command("tool-calls").description(
    "list pending calls of `client` tools, and answer them",
  );
  command
    .command("list", { isDefault: true })
    .description("list tool calls, newest first")
    .addOption(new Option("--status <status>", "only this status").choices(statuses))
    .option("--agent <name>", "only calls in runs of this agent")
    .option("--limit <count>", "number of rows, 1 to 200 (50)", count)
    .action((query: ToolCallQuery, self: Command) => perform(self, (call) => list(call, query)));
  command
    .command("show")
    .description("show a call and the result of its run")
    .argument("<id>", "a call's id")
    .action((id: string, _: object, self: Command) => perform(self, (call) => show(call, id)));
  command
    .command("answer")
    .description("answer a call, and print the answer of its run")
    .argument("<id>", "a call's id")
    .addOption(new Option("--output <json>", "the tool's output, as JSON").argParser(json).conflicts("error"))
    .option("--error <text>", "the reason why the tool failed")
    .action((id: string, { output, error }: Options, self: Command) =>
      perform(self, (call) => {
        if (output !== undefined) return handIn(call, id, { output: output.json });
        if (error !== undefined) return handIn(call, id, { error });
        throw usageError("Give the result with --output or --error.");
      }),
    );
  return command;
};

function count(text: string): number {
  if (/^[1-9][0-9]{0,2}$/.test(text) && Number(text) <= 200) return Number(text);
  throw new InvalidArgumentError("It must be a whole number from 1 to 200.");
}

function json(text: string): { json: unknown } {
  try {
    return { json: JSON.parse(text) };
  } catch {
    throw new InvalidArgumentError("It must be JSON: put text in double quotes.");
  }
}

async function list(call: Call, query: ToolCallQuery): Promise<ExitCode> {
  const { screen } = call;
  const found = await withDaemon(call, {}, (client) => client.listToolCalls(query));
  if (screen.json) screen.document(found);
  else if (found.tool_calls.length === 0) screen.say("No calls. Tools of type `client` ask for a result.");
  else {
    screen.table(
      ["CALL", "AGENT", "TOOL", "STATUS", "CREATED", "INPUT"],
      found.tool_calls.map((one) => [
        one.id,
        one.agent,
        one.tool,
        statusOf(one),
        one.created_at,
        JSON.stringify(one.input),
      ]),
    );
  }
  return exitCodes.ok;
}

async function show(call: Call, id: string): Promise<ExitCode> {
  const { screen } = call;
  const found = await withDaemon(call, {}, (client) => client.getToolCall(id));
  if (screen.json) screen.document(found);
  else printCall(screen, found);
  return exitCodes.ok;
}

function printCall(screen: Screen, found: ClientToolCallDetail): void {
  const { via, answered_at, error, next_call_id, next_approval_id, result } = found;
  const optional: [string, string | undefined][] = [
    ["wanted by", via],
    ["answered", answered_at],
    ["error", error && `${error.code}: ${error.message}`],
    ["next call", next_call_id],
    ["approval", next_approval_id],
    ["answer", result?.response],
  ];
  screen.fields([
    ["agent", paint("bold", found.agent)],
    ["session", found.session_id],
    ["tool", found.tool],
    ["input", JSON.stringify(found.input)],
    ["status", statusOf(found)],
    ["created", found.created_at],
    ["expires", found.expires_at],
    ...optional.flatMap(([name, value]): [string, Inline][] => (value === undefined ? [] : [[name, value]])),
  ]);
}

async function handIn(call: Call, id: string, result: ToolCallResult): Promise<ExitCode> {
  const { screen, signal } = call;
  const answer = await withDaemon(call, {}, (client) => client.answerToolCall(id, result, signal));
  if (screen.json) screen.document(answer);
  else {
    screen.write(answer.response);
    screen.endLine();
  }
  return exitCodes.ok;
}

function statusOf({ status }: Pick<ClientToolCall, "status">): Inline {
  if (status === "pending") return paint("yellow", status);
  return status === "failed" ? paint("red", status) : status;
}
