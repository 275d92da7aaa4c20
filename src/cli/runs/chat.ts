import { Command } from "commander";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import type { ExitCode } from "../exit-codes.ts";
import { type RunOptions, rehearsing, withRunOptions } from "./run-options.ts";

export const chatCommand = (perform: Perform) =>
  withRunOptions(
    new Command("chat")
      .description(
        "chat with an agent in a terminal, or read one query per line from stdin; /help lists the commands",
      )
      .argument("<agent>", "the agent's name"),
  ).action((agent: string, options: RunOptions, command: Command) =>
    perform(command, (call) => chat(call, agent, options)),
  );

async function chat(call: CommandCall, agent: string, options: RunOptions): Promise<ExitCode> {
  const { shell, signal } = call;
  const [{ readContext }, { TerminalConversation }] = await Promise.all([
    import("./run-context.ts"),
    import("./conversation.ts"),
  ]);
  const context = await readContext(options, shell.folder);
  return withDaemon(call, { runsAgents: true, ...rehearsing(options) }, async (client) => {
    // Reports an unknown agent now rather than after the first question.
    await client.getAgent(agent);
    const conversation = new TerminalConversation(call, client, { ...options, agent, context });
    if (shell.stdin.isTTY === true && shell.stderr.isTTY === true) {
      const { talkInTerminal } = await import("./talk-in-terminal.ts");
      return talkInTerminal(call, conversation);
    }
    const { readLines } = await import("../terminal/read-input.ts");
    for await (const line of readLines(shell.stdin, signal)) {
      if (!(await conversation.take(line, signal))) break;
    }
    return conversation.exitCode;
  });
}
