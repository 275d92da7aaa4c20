import type { DaemonClient } from "../../contracts/daemon/client.ts";
import { toAppError } from "../../kit/app-error.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";
import type { CommandCall } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { paint } from "../terminal/paint.ts";
import { errorDocument, sayError } from "../terminal/report-error.ts";
import { answer } from "./answer.ts";
import type { RunOptions } from "./run-options.ts";

interface ConversationOptions extends Pick<RunOptions, "session" | "stream" | "trace"> {
  agent: string;
  context: Record<string, unknown> | undefined;
}

/** `/exit` and `/bye` are what other programs have for it. */
const leaving: ReadonlySet<string> = new Set(["/quit", "/exit", "/bye"]);

/** The commands of a chat. */
const chatCommands = new Map([
  ["/help", "show these commands"],
  ["/history", "show the conversation"],
  ["/clear", "delete the conversation"],
  ["/edit", "write a query in your editor ($VISUAL, $EDITOR), on a terminal"],
  ["/quit", "quit (also Ctrl-D)"],
]);

/** One session with an agent, line by line. A failed run is reported and does not end the session. */
export class TerminalConversation {
  readonly #call: CommandCall;
  readonly #client: DaemonClient;
  readonly #options: ConversationOptions;
  #session: string | undefined;
  #failed = false;

  constructor(call: CommandCall, client: DaemonClient, options: ConversationOptions) {
    this.#call = call;
    this.#client = client;
    this.#options = options;
    this.#session = options.session;
  }

  get agent(): string {
    return this.#options.agent;
  }

  /** The session's id, undefined before the first answer. */
  get session(): string | undefined {
    return this.#session;
  }

  get exitCode(): ExitCode {
    return this.#failed ? exitCodes.failed : exitCodes.ok;
  }

  /** Answers one query; returns false if it asks to leave. Text of several lines is not a command. Aborting `signal` ends only the answer. */
  async take(line: string, signal: AbortSignal): Promise<boolean> {
    const text = line.trim();
    if (text === "") return true;
    if (leaving.has(text)) return false;
    try {
      if (/^\/(?!\/).*$/.test(text)) await this.#obey(text);
      // A query that begins with a slash is typed with `//`.
      else await this.#ask(text.startsWith("//") ? text.slice(1) : text, signal);
    } catch (thrown) {
      const { screen } = this.#call;
      screen.endLine();
      if (signal.aborted) screen.say(paint("dim", "cancelled"));
      else this.#tell(thrown);
    }
    return true;
  }

  #tell(thrown: unknown): void {
    const { screen } = this.#call;
    const error = toAppError(thrown);
    if (screen.json) screen.record(errorDocument(error));
    else sayError(screen, error);
    this.#failed = true;
  }

  async #ask(query: string, signal: AbortSignal): Promise<void> {
    const { screen } = this.#call;
    const { agent, context } = this.#options;
    const request = {
      query,
      ...(this.#session === undefined ? {} : { session_id: this.#session }),
      ...(context === undefined ? {} : { context }),
    };
    const write = (result: unknown) => screen.record(result);
    const session = await answer(
      screen,
      this.#client,
      { agent, request, signal },
      { ...this.#options, write },
    );
    if (session === undefined) this.#failed = true;
    else this.#session = session;
  }

  async #obey(command: string): Promise<void> {
    const { screen } = this.#call;
    if (command === "/help") {
      for (const [name, purpose] of chatCommands) screen.say(paint("bold", name.padEnd(10)), purpose);
      screen.say("A line that ends with \\ goes on in the next; a paste of several lines is one query.");
    } else if (command === "/history") await this.#showHistory();
    else if (command === "/clear") await this.#clear();
    else if (command === "/edit") screen.say("/edit needs a terminal.");
    else {
      const near = didYouMean(command, chatCommands.keys());
      screen.say(
        `There is no ${command}. ${near === undefined ? "/help lists the commands" : `Did you mean ${near}?`}`,
      );
      screen.say("To send a query that begins with a slash, type two slashes.");
    }
  }

  async #showHistory(): Promise<void> {
    const { screen } = this.#call;
    const messages =
      this.#session === undefined ? [] : (await this.#client.history(this.agent, this.#session)).messages;
    if (screen.json) screen.record({ messages });
    else if (messages.length === 0) screen.say("The conversation is empty.");
    else for (const { role, content } of messages) screen.print(paint("bold", `${role}:`), " ", content);
  }

  async #clear(): Promise<void> {
    const { screen } = this.#call;
    if (this.#session !== undefined) await this.#client.clearHistory(this.agent, this.#session);
    if (screen.json) screen.record({ status: "cleared" });
    else screen.say("The conversation is now empty.");
  }
}
