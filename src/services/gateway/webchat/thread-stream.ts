import type { Call } from "../../../http/call.ts";
import { callerOwner } from "../../../http/front-door/caller-address.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import type { Clock } from "../../../kit/clock.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import type { GatewayStorage } from "../tables.ts";
import { bellKey, type ThreadBell } from "./thread-bell.ts";
import { presentToVisitor, readThread, type ShownMessage, type ThreadKey } from "./thread-store.ts";
import type { VisitorLimits } from "./visitor-limits.ts";

export interface StreamPorts {
  storage: GatewayStorage;
  clock: Clock;
  bell: ThreadBell;
  limits: VisitorLimits;
}

/** A visitor then calls again, so that a token that expired and an origin that was removed end their streams. */
const streamMs = 60 * 60_000;

/** Streams a visitor's thread: its messages after `since`, then each new one. Throws 429 if too many streams are open. */
export function streamThread(
  ports: StreamPorts,
  key: ThreadKey,
  since: Date | undefined,
  { request, call }: { request: Request; call: Call },
): Response {
  const close = ports.limits.openStream(key.accountId, key.visitor, callerOwner(call, request));
  const over = new AbortController();
  const cancelTimer = ports.clock.timer(streamMs, () => over.abort());
  const end = () => {
    cancelTimer();
    close();
  };
  request.signal.addEventListener("abort", end, { once: true });
  const ending = [over.signal, ...(call.retiring === undefined ? [] : [call.retiring])];
  return eventStream<ShownMessage | "open">({
    source: async function* (gone) {
      try {
        yield* follow(ports, key, since, AbortSignal.any([gone, ...ending]));
      } finally {
        end();
      }
    },
    encode: (row) =>
      row === "open"
        ? encodeSse({ event: "open", data: "" })
        : encodeSse({
            event: "message",
            id: row.at.toISOString(),
            data: JSON.stringify(presentToVisitor(row)),
          }),
    encodeError: () => encodeSse({ event: "error", data: "" }),
    request,
    call,
    clock: ports.clock,
  });
}

/** Yields `open` when the messages so far are sent, so that a page knows what is new. */
async function* follow(
  { storage, bell }: Pick<StreamPorts, "storage" | "bell">,
  key: ThreadKey,
  since: Date | undefined,
  signal: AbortSignal,
): AsyncGenerator<ShownMessage | "open"> {
  // Before the first reading, so that no message falls between.
  using watch = bell.watch(bellKey(key));
  let last = since;
  let isOpen = false;
  while (!signal.aborted) {
    const rows = await readThread(storage, key, last);
    yield* rows;
    last = rows.at(-1)?.at ?? last ?? new Date(0);
    if (rows.length > 0) continue;
    if (!isOpen) yield "open";
    isOpen = true;
    await watch.wait(signal);
  }
}
