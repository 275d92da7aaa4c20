import type { Call } from "../../../http/call.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import type { Clock } from "../../../kit/clock.ts";

export interface RelayOptions {
  request: Request;
  call: Call;
  clock: Clock;
  /** Ends the stream; needed for a stream that has no end of its own. */
  until?: AbortSignal | undefined;
  /** Called once, when all events are sent or the client has disconnected. */
  onEnd: () => void;
}

/**
 * Sends an answer of the SDK's transport through the service's own stream. The SDK would buffer unread events without a limit; this stream
 * disconnects a client that falls too far behind.
 */
export function relayEvents(answer: Response, options: RelayOptions): Response {
  const { request, call, clock, until } = options;
  const { body } = answer;
  if (body === null || answer.headers.get("content-type") !== "text/event-stream") {
    options.onEnd();
    return answer;
  }
  let hasEnded = false;
  const end = () => {
    if (!hasEnded) options.onEnd();
    hasEnded = true;
  };
  // If a client disconnects before the stream begins, the stream is not notified.
  request.signal.addEventListener("abort", end, { once: true });
  const relayed = eventStream({
    source: (gone) => piecesOf(body, until === undefined ? [gone] : [gone, until], end),
    encode: (text: string) => text,
    encodeError: () => "",
    call,
    request,
    clock,
  });
  const session = answer.headers.get("mcp-session-id");
  if (session !== null) relayed.headers.set("mcp-session-id", session);
  return relayed;
}

/** The headers are sent with the first piece, and the first event may take long. */
const opening = ": open\n\n";

async function* piecesOf(
  body: ReadableStream<Uint8Array>,
  stops: readonly AbortSignal[],
  end: () => void,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  for (const stop of stops) {
    if (stop.aborted) cancel();
    else stop.addEventListener("abort", cancel, { once: true });
  }
  try {
    yield opening;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield decoder.decode(value, { stream: true });
    }
  } finally {
    for (const stop of stops) stop.removeEventListener("abort", cancel);
    cancel();
    end();
  }
}
