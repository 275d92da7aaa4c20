import { Command, InvalidArgumentError, Option } from "commander";
import type { ToolCallQuery } from "../../contracts/daemon/client.ts";
import type { ToolCallResult, ToolCallStatus } from "../../contracts/daemon/runs/tool-calls.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { usageError } from "../terminal/report-error.ts";
import { addReadingCommands, printCall, printCalls } from "./paused-calls.ts";

const statuses: readonly ToolCallStatus[] = ["pending", "answered", "expired", "failed"];

/** The output inside an object: commander takes a bare null for an option without a value. */
type Options = { output?: { json: unknown }; error?: string };

export const toolCallsCommand = (perform: Perform) => {
  const command = new Command("tool-calls").description(
    "list pending calls of `client` tools, and answer them",
  );
  addReadingCommands(command, perform, { calls: "tool calls", id: "a call's id", statuses, list, show });
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

function json(text: string): { json: unknown } {
  try {
    return { json: JSON.parse(text) };
  } catch {
    throw new InvalidArgumentError("It must be JSON: put text in double quotes.");
  }
}

async function list(call: CommandCall, query: ToolCallQuery): Promise<ExitCode> {
  const { screen } = call;
  const page = await withDaemon(call, {}, (client) => client.listToolCalls(query));
  if (screen.json) screen.document(page);
  else printCalls(screen, "CALL", page.tool_calls, "No calls. Tools of type `client` ask for a result.");
  return exitCodes.ok;
}

async function show(call: CommandCall, id: string): Promise<ExitCode> {
  const { screen } = call;
  const toolCall = await withDaemon(call, {}, (client) => client.getToolCall(id));
  const { via, answered_at, error, next_call_id, next_approval_id, result } = toolCall;
  if (screen.json) screen.document(toolCall);
  else {
    printCall(screen, toolCall, [
      ["wanted by", via],
      ["answered", answered_at],
      ["error", error && `${error.code}: ${error.message}`],
      ["next call", next_call_id],
      ["approval", next_approval_id],
      ["answer", result?.response],
    ]);
  }
  return exitCodes.ok;
}

async function handIn(call: CommandCall, id: string, result: ToolCallResult): Promise<ExitCode> {
  const { screen, signal } = call;
  const answer = await withDaemon(call, { runsAgents: true }, (client) =>
    client.answerToolCall(id, result, signal),
  );
  if (screen.json) screen.document(answer);
  else {
    screen.write(answer.response);
    screen.endLine();
  }
  return exitCodes.ok;
}
