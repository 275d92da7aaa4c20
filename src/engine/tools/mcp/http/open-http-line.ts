import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { sleep } from "../../../../kit/clock.ts";
import type { Line, LinePorts } from "../line.ts";
import type { ServerLogin } from "../oauth/server-login.ts";
import type { ServerAddress } from "../server-address.ts";
import { WatchedTransport } from "../watched-transport.ts";
import { attemptsMax, EventStreams } from "./event-streams.ts";
import { createServerFetch } from "./server-fetch.ts";

const politeMs = 1000;
/** Time limit for reading an answer that has arrived. */
const readMs = 1000;

/** Opens a connection to a remote server. */
export async function openHttpLine(
  { clock, log, network }: LinePorts,
  name: string,
  login: ServerLogin,
  { transport: kind, url: address, headers, allowsLoopback }: Extract<ServerAddress, { url: string }>,
): Promise<Line> {
  const url = new URL(address);
  let lostBy: string | undefined;
  const streams = new EventStreams({
    clock,
    isAwaited: (id) => transport.awaits(id),
    answerEnded: (id) =>
      void clock.timer(readMs, () => transport.fail(id, "The answer ended before the result was in it.")),
    // Calls don't need them. A new connection is the only way to learn of changed tools again.
    notificationsEnded: () => transport.whenIdle(() => lose("its stream of notifications broke off")),
  });
  const server = createServerFetch({
    network,
    url,
    headers,
    allowsLoopback,
    login,
    // The other transport has one stream, for everything.
    streams: kind === "http" ? streams : undefined,
  });
  const { transport: inner, endSession } = await openHttpTransport({
    transport: kind,
    url,
    fetch: server.fetch,
  });
  const lose = (reason: string) => {
    lostBy ??= reason;
    void inner.close().catch(() => undefined);
  };
  const transport: WatchedTransport = new WatchedTransport(inner, {
    clock,
    flooded: () => lose("it sent more messages than can be read"),
    cancelled: (id) => server.drop(id),
  });
  return {
    transport,
    lostBy: () => lostBy,
    noticed(error, inUse) {
      log.debug("mcp.noticed", { server: name, err: error });
      // The SDK continues after the only stream broke, but the answers would never arrive.
      if (inUse && error.message.startsWith("SSE error:")) lose("its stream of answers broke off");
    },
    async sayGoodbye() {
      await Promise.race([endSession().catch(() => undefined), sleep(clock, politeMs)]);
    },
    close: () => inner.close(),
  };
}

export interface HttpTransportOptions {
  transport: "sse" | "http";
  url: URL;
  fetch: FetchLike;
}

/** An SDK transport, with an orderly end if the protocol supports it. */
export interface HttpTransport {
  transport: Transport;
  /** Tells the server that the session has ended. */
  endSession(): Promise<void>;
}

/** Delays and attempts for continuing a broken stream. */
const reconnectionOptions = {
  initialReconnectionDelay: 250,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: attemptsMax,
};

/** Opens the SDK's transport to a remote server and loads the required part of the SDK. */
export async function openHttpTransport(options: HttpTransportOptions): Promise<HttpTransport> {
  const { url, fetch } = options;
  if (options.transport === "sse") {
    const { SSEClientTransport } = await import("@modelcontextprotocol/sdk/client/sse.js");
    return { transport: new SSEClientTransport(url, { fetch }), endSession: async () => {} };
  }
  const { StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/sdk/client/streamableHttp.js"
  );
  const transport = new StreamableHTTPClientTransport(url, { fetch, reconnectionOptions });
  return {
    // The SDK's class declares the session id as possibly undefined, its interface as optional.
    transport: transport as Transport,
    endSession: () => transport.terminateSession(),
  };
}
