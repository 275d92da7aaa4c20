import { AppError } from "../../../../kit/app-error.ts";
import { ValueCount, valuesMax } from "../value-count.ts";

const bytesMax = 4 * 1024 * 1024;

/** Callbacks of an event stream. */
export interface EventStreamWatch {
  /** The stream has ended or failed. */
  ended: () => void;
  /** An event arrived after which the stream can be resumed. */
  resumable: () => void;
}

/** Limits a body to 4 MiB and 200,000 values; a larger one fails while it is read. */
export function boundedBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let bytes = 0;
  const count = new ValueCount();
  return watched(body, (chunk) => {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge();
    for (const byte of chunk) if (count.take(byte)) throw tooManyValues();
  }).stream;
}

/** An event stream with a size limit per event. */
export interface BoundedEvents {
  stream: ReadableStream<Uint8Array>;
  /** Ends the stream immediately with one more event. */
  finish(lastEvent: string): void;
}

/** A stream of server-sent events of any length, each of at most 4 MiB and 200,000 values. */
export function boundedEvents(
  body: ReadableStream<Uint8Array>,
  { ended, resumable }: EventStreamWatch,
): BoundedEvents {
  let eventBytes = 0;
  let lineBytes = 0;
  let begin = "";
  const count = new ValueCount();
  const look = (chunk: Uint8Array) => {
    for (const byte of chunk) {
      eventBytes++;
      if (byte === lineFeed || byte === carriageReturn) {
        // A line feed after a carriage return ends the same line again, which has no effect.
        count.nextLine();
        if (lineBytes === 0) {
          eventBytes = 0;
          count.restart();
        } else if (begin === "id:") resumable();
        lineBytes = 0;
        begin = "";
        continue;
      }
      lineBytes++;
      if (lineBytes <= 3) begin += String.fromCharCode(byte);
      if (eventBytes > bytesMax) throw tooLarge();
      if (count.take(byte)) throw tooManyValues();
    }
  };
  const { stream, finish } = watched(body, look, ended);
  return { stream, finish: (event) => finish(new TextEncoder().encode(`\n\ndata: ${event}\n\n`)) };
}

const lineFeed = 10;
const carriageReturn = 13;

/** The stream, with each chunk passed to `look`, which may throw. */
function watched(
  body: ReadableStream<Uint8Array>,
  look: (chunk: Uint8Array) => void,
  ended: () => void = () => {},
) {
  const reader = body.getReader();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Only the first end counts. */
  const end = (how: (open: ReadableStreamDefaultController<Uint8Array>) => void) => {
    const open = controller;
    controller = undefined;
    if (open === undefined) return;
    how(open);
    ended();
    void reader.cancel().catch(() => undefined);
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(open) {
        controller = open;
      },
      async pull() {
        try {
          const { value, done } = await reader.read();
          if (done) return end((open) => open.close());
          look(value);
          controller?.enqueue(value);
        } catch (thrown) {
          end((open) => open.error(thrown));
        }
      },
      cancel: () => end(() => {}),
    },
    { highWaterMark: 0 },
  );
  const finish = (last: Uint8Array) =>
    end((open) => {
      open.enqueue(last);
      open.close();
    });
  return { stream, finish };
}

function tooManyValues(): AppError {
  return new AppError("upstream_failed", "mcp_too_large", `it sent more than ${valuesMax} values at once.`);
}

function tooLarge(): AppError {
  return new AppError("upstream_failed", "mcp_too_large", "it sent more than 4 MiB at once.");
}
