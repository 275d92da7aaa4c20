import type { Command } from "commander";
import type { CloudFrame } from "../../contracts/cloud/runs.ts";
import { queryLengthMax } from "../../contracts/daemon/runs/run.ts";
import { AppError } from "../../kit/app-error.ts";
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { usageError } from "../terminal/report-error.ts";
import { type CloudOptions, orgCommand, withOrg } from "./with-cloud.ts";

interface RunOptions extends CloudOptions {
  session?: string;
  test?: boolean;
}

type Way = "run" | "test" | "stream";

const ways: readonly (readonly [Way, string])[] = [
  ["run", "run an agent and print its answer"],
  ["test", "run an agent without counting the run"],
  ["stream", "run an agent and print its answer as it is written; with --json, one frame a line"],
];

/** The commands that run an org's agents. */
export const runCommands = (perform: Perform) =>
  ways.map(([way, description]) => {
    const command = orgCommand(way, description)
      .argument("<name>", "an agent's name")
      .argument("[query...]", "the question; read from stdin when absent")
      .option("--session <id>", "continue a conversation");
    return command.action((agent: string, words: string[], options: RunOptions, self: Command) =>
      perform(self, (call) => ask(call, way, { agent, words }, options)),
    );
  });

async function ask(
  call: CommandCall,
  way: Way,
  { agent, words }: { agent: string; words: string[] },
  options: RunOptions,
): Promise<ExitCode> {
  const query = await readQuery(call, words);
  const request = { query, ...(options.session === undefined ? {} : { session_id: options.session }) };
  return withOrg(call, options, async (client, org) => {
    if (way === "stream") return printFrames(call, client.streamRun(org, agent, request, call.signal));
    const { result } = await client[way](org, agent, request, call.signal);
    if (call.screen.json) call.screen.document(result);
    else {
      call.screen.write(result.answer);
      call.screen.endLine();
    }
    return exitCodes.ok;
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

async function printFrames({ screen }: CommandCall, frames: AsyncIterable<CloudFrame>): Promise<ExitCode> {
  for await (const frame of frames) {
    if (screen.json) screen.record(frame);
    else if (frame.type === "token") screen.write(frame.content);
    if (frame.type !== "done" && frame.type !== "error") continue;
    if (!screen.json) screen.endLine();
    if (frame.type === "done") return exitCodes.ok;
    if (screen.json) return exitCodes.failed;
    throw new AppError("unprocessable", frame.error, frame.message);
  }
  throw new AppError("upstream_failed", "stream_broken", "The answer ended early.");
}
