import { Command, InvalidArgumentError } from "commander";
import type { History, MemorySession } from "../../contracts/daemon/memory/memory.ts";
import { AppError } from "../../kit/app-error.ts";
import { type CommandCall, type Perform, withDaemon } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { usageError } from "../terminal/report-error.ts";

interface PageOptions {
  limit: number;
  cursor?: string;
}

export const memoryCommand = (perform: Perform) => {
  const command = new Command("memory").description("list, show, delete or export agents' conversations");
  command
    .command("sessions")
    .description("list an agent's conversations, most recent first")
    .argument("<agent>", "an agent's name")
    .option("--limit <number>", "maximum number of rows", limit, 50)
    .option("--cursor <cursor>", "continue after the previous page")
    .action((agent: string, page: PageOptions, self: Command) =>
      perform(self, (call) => listSessions(call, agent, page)),
    );
  command
    .command("show")
    .description("show a conversation's messages, oldest first, with times and the summary of older ones")
    .argument("<agent>", "an agent's name")
    .argument("<session>", "a session's id")
    .option("--limit <number>", "number of latest messages", limit, 50)
    .option("--cursor <cursor>", "continue with older messages")
    .action((agent: string, session: string, page: PageOptions, self: Command) =>
      perform(self, (call) => showSession(call, agent, session, page)),
    );
  command
    .command("clear")
    .description("delete a conversation, or with --all every conversation of an agent")
    .argument("<agent>", "an agent's name")
    .argument("[session]", "a session's id")
    .option("--all", "delete every conversation of the agent")
    .action((agent: string, session: string | undefined, { all }: { all?: boolean }, self: Command) =>
      perform(self, (call) => clear(call, agent, session, all === true)),
    );
  command
    .command("export")
    .description("export one or all conversations of an agent as JSON Lines")
    .argument("<agent>", "an agent's name")
    .argument("[session]", "a session's id")
    .action((agent: string, session: string | undefined, _: object, self: Command) =>
      perform(self, (call) => exportConversations(call, agent, session)),
    );
  return command;
};

function limit(text: string): number {
  if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of at least 1.");
}

async function listSessions(call: CommandCall, agent: string, page: PageOptions): Promise<ExitCode> {
  const { screen } = call;
  const list = await withDaemon(call, {}, (client) => client.listSessions(agent, page));
  if (screen.json) screen.document(list);
  else if (list.sessions.length === 0) screen.say(`${agent} has no conversations.`);
  else {
    screen.table(["SESSION", "MESSAGES", "TOKENS", "BEGUN", "LAST"], list.sessions.map(sessionRow));
    if (list.next_cursor !== undefined) screen.say(`More rows: --cursor ${list.next_cursor}`);
  }
  return exitCodes.ok;
}

function sessionRow({ session_id, turns, tokens, first_at, last_at, has_summary }: MemorySession) {
  return [
    paint("bold", session_id),
    `${turns}${has_summary ? " and a summary" : ""}`,
    String(tokens),
    first_at,
    last_at,
  ];
}

async function showSession(
  call: CommandCall,
  agent: string,
  session: string,
  page: PageOptions,
): Promise<ExitCode> {
  const { screen } = call;
  const history = await withDaemon(call, {}, (client) =>
    client.history(agent, session, { ...page, full: true }),
  );
  if (screen.json) screen.document(history);
  else if (history.messages.length === 0) screen.say(`${agent} has no conversation ${session}.`);
  else printHistory(call, history);
  return exitCodes.ok;
}

function printHistory({ screen }: CommandCall, { messages, summary, next_cursor }: History): void {
  if (next_cursor !== undefined) screen.say(`Older messages: --cursor ${next_cursor}`);
  if (summary !== undefined) {
    screen.print(paint("bold", "summary"), paint("dim", `  up to message ${summary.up_to_seq}`));
    screen.print(summary.text);
    screen.print("");
  }
  for (const [index, { role, content, seq, timestamp }] of messages.entries()) {
    if (index > 0) screen.print("");
    screen.print(paint("bold", role), paint("dim", `  ${seq}  ${timestamp}`));
    screen.print(content);
  }
}

async function clear(
  call: CommandCall,
  agent: string,
  session: string | undefined,
  all: boolean,
): Promise<ExitCode> {
  if (all === (session !== undefined))
    throw usageError("Name the conversation to delete, or use --all for all of them.");
  const { screen } = call;
  const cleared = await withDaemon(call, {}, async (client) =>
    session === undefined ? client.clearMemory(agent) : client.clearHistory(agent, session),
  );
  if (screen.json) screen.document(cleared);
  else if ("sessions" in cleared)
    screen.say(
      `Deleted ${cleared.sessions} ${cleared.sessions === 1 ? "conversation" : "conversations"} of ${agent}.`,
    );
  else screen.say(`Deleted the conversation ${cleared.session_id} of ${agent}.`);
  return exitCodes.ok;
}

async function exportConversations(
  call: CommandCall,
  agent: string,
  session: string | undefined,
): Promise<ExitCode> {
  const { screen } = call;
  await withDaemon(call, {}, async (client) => {
    let isWhole = false;
    for await (const line of client.exportMemory(agent, session, call.signal)) {
      screen.record(line);
      isWhole = line.type === "end";
    }
    if (isWhole) return;
    throw new AppError("upstream_failed", "export_broken_off", "The export ended early.", {
      details: { hint: "See the server's log for the cause, and try again." },
    });
  });
  return exitCodes.ok;
}
