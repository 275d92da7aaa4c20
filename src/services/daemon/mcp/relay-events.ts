import type { Call } from "../../../http/call.ts";
import { eventStream } from "../../../http/event-stream.ts";
import type { Clock } from "../../../kit/clock.ts";

export interface RelayOptions {
  request: Request;
  call: Call;
  clock: Clock;
  /** Ends the stream; for one that has no end of its own. */
  until?: AbortSignal | undefined;
  /** Called once, when everything has been passed on or nobody reads it any more. */
  onEnd: () => void;
}

/**
 * An answer of the SDK's transport as the service sends it. The SDK would let what nobody reads pile up without a bound; so
 * its events go through the service's own stream, which gives up on a reader that falls behind.
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
  // Of a client that leaves before the stream begins, the stream is never told.
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

/** The head of an answer goes out with its first piece, and the first event may be long in coming. */
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
