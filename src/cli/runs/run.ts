import { Command } from "commander";
import type { DaemonClient } from "../../contracts/daemon/client.ts";
import type { Question } from "../../contracts/daemon/questions/question.ts";
import { queryLengthMax, type RunRequest } from "../../contracts/daemon/runs/run.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { modelName } from "../option-values.ts";
import { canAsk } from "../terminal/ask.ts";
import { usageError } from "../terminal/report-error.ts";
import { type RunOptions, rehearsing, withRunOptions } from "./run-options.ts";

export const runCommand = (perform: Perform) =>
  withRunOptions(
    new Command("run")
      .description("ask an agent once and print its answer")
      .argument("<agent>", "the agent's name")
      .argument("[query...]", "what to ask; read from stdin when absent"),
  )
    .option("--model <provider/model>", "model for this run (the agent's own)", modelName)
    .option("--record [file]", "record the run for `argosy replay` (default file: agent and time)")
    .action((agent: string, words: string[], options: RunOptions, command: Command) =>
      perform(command, (call) => run(call, agent, words, options)),
    );

async function run(
  call: CommandCall,
  agent: string,
  words: string[],
  options: RunOptions,
): Promise<ExitCode> {
  const { screen, shell, signal } = call;
  const file = await recordingFile(call, agent, options);
  const request = await readRequest(call, agent, words, options);
  const { answer } = await import("./answer.ts");
  const write = (result: unknown) => screen.document(result);
  const { askQuestion } = await import("../paused-runs/ask-question.ts");
  const asks = canAsk(shell) ? { askQuestion: (asked: Question) => askQuestion(screen, shell, asked) } : {};
  const ask = (client: DaemonClient, question: RunRequest) =>
    answer(screen, client, { agent, request: question, signal }, { ...options, ...asks, write });
  return withDaemon(call, { runsAgents: true, ...rehearsing(options) }, async (client) => {
    if (file === undefined)
      return (await ask(client, request)) === undefined ? exitCodes.failed : exitCodes.ok;
    const { recordAnswer } = await import("../replay/record-answer.ts");
    return recordAnswer(call, client, file, (watched) => ask(watched, { ...request, record: true }));
  });
}

/** Returns the file for the recording, after a check that it is writable, or undefined if none is wanted. */
async function recordingFile(
  call: CommandCall,
  agent: string,
  { record }: RunOptions,
): Promise<string | undefined> {
  if (record === undefined) return undefined;
  const { recordingPath } = await import("../replay/record-answer.ts");
  return recordingPath(call, agent, record);
}

async function readRequest(
  call: CommandCall,
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
      `Write the query after the agent's name or pipe it to stdin, or start \`argosy chat ${agent}\`.`,
    );
  }
  const { readText } = await import("../terminal/read-input.ts");
  const query = words.length > 0 ? words.join(" ") : await readText(shell.stdin, queryLengthMax, signal);
  if (query.trim() === "") throw usageError("The query is empty.");
  return {
    query,
    ...(options.session === undefined ? {} : { session_id: options.session }),
    ...(context === undefined ? {} : { context }),
    ...(options.model === undefined ? {} : { override: modelIn(options.model) }),
  };
}

/** Splits `provider/model` at the first slash: names of models may have slashes, names of providers have none. */
function modelIn(name: string): { provider: string; model: string } {
  const at = name.indexOf("/");
  return { provider: name.slice(0, at), model: name.slice(at + 1) };
}
