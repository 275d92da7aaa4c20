import type { RunEvent } from "../../../../engine/run-state/run-event.ts";
import { AppError, type ErrorDetails, type ErrorKind, toAppError } from "../../../../kit/app-error.ts";
import type { MessageSigner } from "../../../../mesh/message-signature.ts";

/*
 * The answer to a run that another node sent, line by line:
 *
 *   <HMAC> <JSON>   events of one turn as a list, or the error that ended the run as `{error}`
 *   (empty)         the node still works on the run
 *
 * Each HMAC covers the HMAC of the run's message, the number of the line and its JSON, so lines can't be forged, reordered or taken from
 * another run. The last line has the event `done` or the error: an answer without either was cut off.
 */

/** An error as nodes send it. Other nodes answer with the same body. */
export interface SentError {
  kind: ErrorKind;
  code: string;
  message: string;
  details: ErrorDetails;
}

export type RunLine = RunEvent[] | { error: SentError };

type LineSigner = Pick<MessageSigner, "signAnswer">;

/** Writes the lines of one answer. `mac` is the HMAC of the run's message. */
export class LineWriter {
  readonly #signer: LineSigner;
  readonly #mac: string;
  #number = 0;

  constructor(signer: LineSigner, mac: string) {
    this.#signer = signer;
    this.#mac = mac;
  }

  events(events: readonly RunEvent[]): string {
    return this.#line(JSON.stringify(events));
  }

  error(thrown: unknown): string {
    return this.#line(errorLine(thrown));
  }

  #line(json: string): string {
    this.#number++;
    return `${this.#signer.signAnswer(`${this.#mac},${this.#number}`, json)} ${json}\n`;
  }
}

/** Writes the error that ended a run. Its causes stay in the log of this node. */
export function errorLine(thrown: unknown): string {
  const { kind, code, message, details } = toAppError(thrown);
  const error: SentError = { kind, code, message, details };
  return JSON.stringify({ error });
}

/** Returns an error as the other node threw it. */
export const errorOf = ({ error: { kind, code, message, details } }: { error: SentError }): AppError =>
  new AppError(kind, code, message, { details });

/** Largest line: a result with its trace and recorded content. */
export const lineCharsMax = 32 * 1024 * 1024;

/** Reads the lines of one answer. */
export class LineReader {
  readonly #signer: LineSigner;
  readonly #mac: string;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #number = 0;

  constructor(signer: LineSigner, mac: string) {
    this.#signer = signer;
    this.#mac = mac;
  }

  /** Returns the lines that `chunk` completes. Throws `mesh_answer_unsigned` if one was not written by a node of this mesh. */
  push(chunk: string | Uint8Array): RunLine[] {
    const text = typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true });
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > lineCharsMax) throw forged();
    return lines.filter((line) => line !== "").map((line) => this.#read(line));
  }

  #read(line: string): RunLine {
    this.#number++;
    const space = line.indexOf(" ");
    const json = line.slice(space + 1);
    if (line.slice(0, space) !== this.#signer.signAnswer(`${this.#mac},${this.#number}`, json))
      throw forged();
    return JSON.parse(json) as RunLine;
  }
}

const forged = () =>
  new AppError(
    "upstream_failed",
    "mesh_answer_unsigned",
    "The answer does not come from a node of this mesh.",
  );
