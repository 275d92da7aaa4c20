import { Command } from "commander";
import { queryLengthMax, type RunRequest } from "../contracts/daemon/run.ts";
import { type Call, type Perform, withDaemon } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { usageError } from "./report-error.ts";
import { type RunOptions, rehearsing, withRunOptions } from "./run-options.ts";

export const runCommand = (perform: Perform) =>
  withRunOptions(
    new Command("run")
      .description("ask an agent once and print its answer")
      .argument("<agent>", "the agent's name")
      .argument("[query...]", "what to ask; read from stdin when absent"),
  ).action((agent: string, words: string[], options: RunOptions, command: Command) =>
    perform(command, (call) => run(call, agent, words, options)),
  );

async function run(call: Call, agent: string, words: string[], options: RunOptions): Promise<ExitCode> {
  const { screen, signal } = call;
  const request = await readRequest(call, agent, words, options);
  const { answer } = await import("./answer.ts");
  const write = (result: unknown) => screen.document(result);
  const session = await withDaemon(call, rehearsing(options), (client) =>
    answer(screen, client, { agent, request, signal }, { ...options, write }),
  );
  return session === undefined ? exitCodes.failed : exitCodes.ok;
}

async function readRequest(
  call: Call,
  agent: string,
  words: string[],
  options: RunOptions,
): Promise<RunRequest> {
  const { shell, signal } = call;
  const { readContext } = await import("./run-context.ts");
  const context = await readContext(options, shell.folder);
  if (words.length === 0 && shell.stdin.isTTY === true) {
    throw usageError(
      "There is no query.",
      `Write it behind the agent's name, or pipe it in; \`argosy chat ${agent}\` talks.`,
    );
  }
  const { readText } = await import("./read-input.ts");
  const query = words.length > 0 ? words.join(" ") : await readText(shell.stdin, queryLengthMax, signal);
  if (query.trim() === "") throw usageError("The query is empty.");
  return {
    query,
    ...(options.session === undefined ? {} : { session_id: options.session }),
    ...(context === undefined ? {} : { context }),
  };
}
