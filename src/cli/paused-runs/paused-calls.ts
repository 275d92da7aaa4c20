import { type Command, Option } from "commander";
import type { Question } from "../../contracts/daemon/questions/question.ts";
import type { CommandCall, Perform } from "../call.ts";
import type { ExitCode } from "../exit-codes.ts";
import { wholeNumber } from "../option-values.ts";
import { type Inline, paint } from "../terminal/paint.ts";
import type { Screen } from "../terminal/screen.ts";
import { oneLine } from "../terminal/table.ts";

/** A tool call that pauses a run until a person or a client answers it. */
interface PausedCall {
  id: string;
  agent: string;
  tool?: string;
  input?: unknown;
  /** The question that the call's server asks a person. */
  question?: Question;
  status: string;
  created_at: string;
}

/** The two commands that read paused calls, and their words in the help. */
interface PausedCallReader<Query> {
  calls: "approvals" | "tool calls";
  id: string;
  statuses: readonly string[];
  list(call: CommandCall, query: Query): Promise<ExitCode>;
  show(call: CommandCall, id: string): Promise<ExitCode>;
}

/** Adds `list`, which is the default, and `show` to a command about the daemon's paused calls. */
export function addReadingCommands<Query>(
  command: Command,
  perform: Perform,
  { calls, id, statuses, list, show }: PausedCallReader<Query>,
): void {
  command
    .command("list", { isDefault: true })
    .description(`list ${calls}, newest first`)
    .addOption(new Option("--status <status>", "only this status").choices(statuses))
    .option("--agent <name>", "only calls in runs of this agent")
    .option("--limit <count>", "number of rows, 1 to 200 (50)", wholeNumber(200))
    .action((query: Query, self: Command) => perform(self, (call) => list(call, query)));
  command
    .command("show")
    .description("show a call and the result of its run")
    .argument("<id>", id)
    .action((given: string, _: object, self: Command) => perform(self, (call) => show(call, given)));
}

/** Prints paused calls as a table, or `none` if there are none. `title` heads the column of their ids. */
export function printCalls(screen: Screen, title: string, calls: readonly PausedCall[], none: string): void {
  if (calls.length === 0) {
    screen.say(none);
    return;
  }
  screen.table(
    [title, "AGENT", "TOOL", "STATUS", "CREATED", "INPUT"],
    calls.map((call) => [
      call.id,
      call.agent,
      call.tool ?? "",
      statusText(call.status),
      call.created_at,
      shownOf(call),
    ]),
  );
}

/** The subject of the decision: a server's question, or the input of the call. */
function shownOf({ question, input }: PausedCall): string {
  if (question !== undefined) return oneLine(`${question.server} asks: ${question.message}`);
  return input === undefined ? "" : JSON.stringify(input);
}

/** Prints one paused call, with the fields of `more` that have a value. */
export function printCall(
  screen: Screen,
  call: Omit<PausedCall, "id"> & { session_id: string; tool: string; expires_at: string },
  more: readonly (readonly [string, string | undefined])[],
): void {
  screen.fields([
    ["agent", paint("bold", call.agent)],
    ["session", call.session_id],
    ["tool", call.tool],
    ["input", JSON.stringify(call.input)],
    ["status", statusText(call.status)],
    ["created", call.created_at],
    ["expires", call.expires_at],
    ...more.flatMap(([name, value]): [string, Inline][] => (value === undefined ? [] : [[name, value]])),
  ]);
}

function statusText(status: string): Inline {
  if (status === "pending") return paint("yellow", status);
  return status === "failed" ? paint("red", status) : status;
}
