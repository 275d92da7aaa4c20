import { AppError } from "../../../../kit/app-error.ts";
import { ValueCount, valuesMax } from "../value-count.ts";

const bytesMax = 4 * 1024 * 1024;

/** Callbacks of an event stream. */
export interface EventStreamWatch {
  /** The stream has ended or failed. */
  ended: () => void;
  /** An event arrived; with its id, if the stream can be continued after it. */
  took: (eventId: string | undefined) => void;
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
  /** Adds an event with this id and without data, as if the server had sent it. */
  begin(eventId: string): void;
  /** Ends the stream immediately with one more event. */
  finish(lastEvent: string): void;
}

/**
 * A stream of server-sent events of any length, each of at most 4 MiB and 200,000 values. A `retry:` of ten digits or more is made invalid, so
 * that it is ignored: no timer takes such a delay.
 */
export function boundedEvents(
  body: ReadableStream<Uint8Array>,
  { ended, took }: EventStreamWatch,
): BoundedEvents {
  const count = new ValueCount();
  let before = 0;
  let eventBytes = 0;
  let lineBytes = 0;
  /** The current line if it gives an id, otherwise its first characters. */
  let line = "";
  let hasId = false;
  let hasRetry = false;
  let retryDigits = 0;
  let id: string | undefined;
  let hasData = false;
  const endEvent = () => {
    if (hasData) took(id);
    hasData = false;
    id = undefined;
    eventBytes = 0;
    count.restart();
  };
  const endLine = () => {
    count.nextLine();
    if (lineBytes === 0) endEvent();
    else if (hasId) id = usableId(line.slice(3));
    else if (/^data(:|$)/.test(line)) hasData = true;
    lineBytes = 0;
    line = "";
    hasId = false;
    hasRetry = false;
    retryDigits = 0;
  };
  const look = (chunk: Uint8Array) => {
    for (const [index, byte] of chunk.entries()) {
      const isSecondHalf = byte === lineFeed && before === carriageReturn;
      before = byte;
      if (isSecondHalf) continue;
      eventBytes++;
      if (byte === lineFeed || byte === carriageReturn) {
        endLine();
        continue;
      }
      lineBytes++;
      if (hasRetry && isDigit(byte) && ++retryDigits > retryDigitsMax) chunk[index] = notDigit;
      if (lineBytes <= 6 || hasId) line += String.fromCharCode(byte);
      if (lineBytes === 3) hasId = line === "id:";
      if (lineBytes === 6) hasRetry = line === "retry:";
      if (eventBytes > bytesMax) throw tooLarge();
      if (count.take(byte)) throw tooManyValues();
    }
  };
  const { stream, add, finish } = watched(body, look, ended);
  const encoder = new TextEncoder();
  return {
    stream,
    begin: (eventId) => add(encoder.encode(`id: ${eventId}\ndata:\n\n`)),
    finish: (event) => finish(encoder.encode(`\n\ndata: ${event}\n\n`)),
  };
}

/** The id as a header can name it; undefined if none can. */
function usableId(value: string): string | undefined {
  return /^[ -~]+$/.test(value) ? value.trim() || undefined : undefined;
}

/** A delay with this many digits fits in a timer. */
const retryDigitsMax = 9;

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

const lineFeed = 10;
const carriageReturn = 13;
const notDigit = 0x2e;

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
  const add = (piece: Uint8Array) => controller?.enqueue(piece);
  const finish = (last: Uint8Array) =>
    end((open) => {
      open.enqueue(last);
      open.close();
    });
  return { stream, add, finish };
}

function tooManyValues(): AppError {
  return new AppError("upstream_failed", "mcp_too_large", `it sent more than ${valuesMax} values at once.`);
}

function tooLarge(): AppError {
  return new AppError("upstream_failed", "mcp_too_large", "it sent more than 4 MiB at once.");
}
