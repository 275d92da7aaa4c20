import { Command } from "commander";
import type { DaemonClient } from "../contracts/daemon/client.ts";
import { queryLengthMax, type RunRequest } from "../contracts/daemon/run.ts";
import type { Question } from "./answer.ts";
import { type Call, type Perform, withDaemon } from "./call.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { usageError } from "./report-error.ts";
import { type RunOptions, withRunOptions } from "./run-options.ts";

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
  const request = await readRequest(call, agent, words, options);
  return withDaemon(call, options.rehearse === true ? { rehearse: true } : {}, (client) =>
    ask(call, client, { agent, request, signal: call.signal }, options),
  );
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

async function ask(
  call: Call,
  client: DaemonClient,
  question: Question,
  options: RunOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const { printAnswer, recordFrames, streamAnswer } = await import("./answer.ts");
  if (screen.json) {
    if (options.stream === true) {
      const end = await recordFrames(screen, client, question);
      return end.type === "done" ? exitCodes.ok : exitCodes.failed;
    }
    const result = await client.run(question.agent, question.request, question.signal);
    screen.document(options.trace ? { ...result, trace: await client.getTrace(result.trace_id) } : result);
    return exitCodes.ok;
  }
  const answer = options.stream === false ? printAnswer : streamAnswer;
  const done = await answer(screen, client, question);
  if (options.trace) {
    const { traceLines } = await import("./trace-tree.ts");
    for (const line of traceLines(await client.getTrace(done.trace_id))) screen.say(...line);
  }
  return exitCodes.ok;
}
