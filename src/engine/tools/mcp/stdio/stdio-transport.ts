import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Clock } from "../../../../kit/clock.ts";
import { countSteps, othersTurn } from "../../../../kit/concurrency/others-turn.ts";
import { LineTooLong, splitLines } from "../../../../kit/text/split-lines.ts";
import { readMessage } from "../read-message.ts";
import { hasTooManyValues, valuesMax } from "../value-count.ts";
import type { ServerOrder } from "./server-order.ts";
import { type ServerProcess, startServerProcess } from "./server-process.ts";

/** Maximum bytes of a server's line, and of our data that the server has not read. */
const bytesMax = 4 * 1024 * 1024;
const stepsPerCharacter = 1;

export interface StdioOptions {
  supervisor: readonly string[];
  folder: string;
  order: ServerOrder;
  clock: Clock;
  /** Called with each line of the server's standard error. */
  errorLine: (line: string) => void;
  /** Called for a line that is not a message. */
  garbage: () => void;
}

/** Transport to a local server process: one message per line. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Reason for the loss, for the operator; undefined while running or if it was closed here. */
  lostBy: string | undefined;
  readonly #options: StdioOptions;
  #process: ServerProcess | undefined;
  #unreadBytes = 0;
  #closed: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#process = startServerProcess(this.#options);
    void this.#process.ended.then((reason) => this.#close(reason));
    void this.#readOutput(this.#process);
    void this.#readErrors(this.#process);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const text = `${JSON.stringify(message)}\n`;
    if (this.#process === undefined || this.#closed !== undefined) throw new Error("The server has ended.");
    this.#unreadBytes += text.length;
    if (this.#unreadBytes > bytesMax && this.#unreadBytes > text.length) {
      void this.#close("it does not read what it is sent and was stopped");
      throw new Error("The server does not read.");
    }
    // Not awaited, so that a slow server doesn't block the sender; the pipe keeps the order.
    void this.#process.write(text).then(
      () => {
        this.#unreadBytes -= text.length;
      },
      () => undefined,
    );
  }

  close(): Promise<void> {
    return this.#close(undefined);
  }

  /** Stops the server with the given reason. */
  giveUp(reason: string): void {
    void this.#close(reason);
  }

  #close(reason: string | undefined): Promise<void> {
    this.#closed ??= this.#end(reason);
    return this.#closed;
  }

  async #end(reason: string | undefined): Promise<void> {
    this.lostBy = reason;
    const ended = this.#process?.end();
    this.onclose?.();
    await ended;
  }

  async #readOutput({ output }: ServerProcess): Promise<void> {
    try {
      for await (const line of splitLines(output, bytesMax)) {
        if (this.#closed !== undefined) return;
        if (line.trim() === "") continue;
        if (hasTooManyValues(line))
          return this.giveUp(`it wrote a line of more than ${valuesMax} values and was stopped`);
        // Parsing a line is one piece of work.
        if (countSteps(line.length * stepsPerCharacter)) await othersTurn();
        const message = readMessage(line);
        if (message === undefined) this.#options.garbage();
        else this.onmessage?.(message);
      }
    } catch (thrown) {
      const isLine = thrown instanceof LineTooLong;
      this.giveUp(isLine ? "it wrote a line of more than 4 MiB and was stopped" : "its output can't be read");
    }
  }

  async #readErrors({ errors }: ServerProcess): Promise<void> {
    const { errorLine } = this.#options;
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of errors) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        // Of an endless line, only the beginning is kept.
        rest = (lines.pop() ?? "").slice(0, errorCharsMax);
        for (const line of lines) if (line.trim() !== "") errorLine(line.slice(0, errorCharsMax));
      }
    } catch {
      // Errors while reading standard error are ignored.
    }
    if (rest.trim() !== "") errorLine(rest);
  }
}

const errorCharsMax = 1024;
