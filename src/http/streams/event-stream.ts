import { type AppError, toAppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { type Call, linger } from "../call.ts";
import { logRefusal } from "../errors/error-answer.ts";

export interface EventStreamOptions<T> {
  /** Creates the events. The signal aborts when the client is gone or too slow. */
  source: (signal: AbortSignal) => AsyncIterable<T>;
  /** Encodes one event as text, with the empty line that ends it. */
  encode: (event: T) => string;
  /** Encodes the event that reports a failure, since the status has already been sent. */
  encodeError: (error: AppError) => string;
  call: Call;
  request: Request;
  clock: Clock;
  /** True if the client has waited for the stream's head: it gets a ping at once. */
  isLate?: boolean;
}

/** Interval of pings on a silent stream: proxies close silent connections after 30 to 60 s. */
const pingMs = 10_000;

/** Limit for the unread bytes of a slow client, after which the stream is closed. */
export const unreadBytesMax = 1024 * 1024;

/**
 * Sends events as `text/event-stream`, each as soon as it exists. The source runs at its own pace. A slow reader is buffered up to 1 MiB
 * and then closed; a reader that leaves aborts the source. HEAD gets the headers alone.
 */
export function eventStream<T>(options: EventStreamOptions<T>): Response {
  const { call, request } = options;
  const gone = new AbortController();
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  };
  if (request.method === "HEAD") {
    gone.abort(new DOMException("HEAD has no events.", "AbortError"));
    void release(options, gone.signal);
    return new Response(null, { headers });
  }
  call.connection?.timeout(request, 0);
  // Bun's direct streams write to the socket without a queue in between.
  const body: Bun.DirectUnderlyingSource = {
    type: "direct",
    pull: (out) => pump(options, gone, out),
    cancel: (reason) => gone.abort(reason),
  };
  // With the DOM's types loaded, the constructor's type lacks Bun's own kind of source.
  return new Response(new ReadableStream(body as unknown as UnderlyingDefaultSource), { headers });
}

/** Lets a source whose reader is gone free what it holds: its place among the streams, its timers. */
async function release<T>({ source }: EventStreamOptions<T>, gone: AbortSignal): Promise<void> {
  try {
    for await (const _ of source(gone)) break;
  } catch {
    // The client has disconnected, so nobody receives the error.
  }
}

async function pump<T>(
  options: EventStreamOptions<T>,
  gone: AbortController,
  out: ReadableStreamDirectController,
) {
  const { call, request, clock, encode } = options;
  const write = boundedWriter(out, () => {
    gone.abort(new DOMException("The client reads too slowly.", "AbortError"));
    linger(call, request);
  });
  let stopPings = clock.timer(options.isLate === true ? 0 : pingMs, ping);
  function ping() {
    write(": ping\n\n");
    stopPings = clock.timer(pingMs, ping);
  }
  try {
    for await (const event of options.source(gone.signal)) {
      if (gone.signal.aborted) break;
      write(encode(event));
    }
  } catch (thrown) {
    if (!gone.signal.aborted) {
      const error = toAppError(thrown);
      logRefusal(call.log, error);
      write(options.encodeError(error));
    }
  } finally {
    stopPings();
    out.end();
  }
}

/**
 * Returns a function that writes. Bun sends what was written once the work of this turn of the event loop is done, so the tokens of one
 * chunk of a fast model share a system call, and a single token is sent at once. The function calls `giveUp` once when the unread bytes exceed the bound, and writes nothing after that.
 */
function boundedWriter(out: ReadableStreamDirectController, giveUp: () => void): (text: string) => void {
  let unreadBytes = 0;
  let hasGivenUp = false;
  const drained = () => {
    unreadBytes = 0;
  };
  return (text) => {
    if (hasGivenUp) return;
    const written = out.write(text);
    if (typeof written === "number") return;
    // The socket is full; the promise settles when it has drained. One listener per stall is enough.
    if (unreadBytes === 0) written.then(drained, drained);
    unreadBytes += text.length;
    if (unreadBytes <= unreadBytesMax) return;
    hasGivenUp = true;
    giveUp();
  };
}
