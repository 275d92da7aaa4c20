import { sleep } from "../../../../kit/clock.ts";
import type { Line, LinePorts } from "../line.ts";
import type { ServerLogin } from "../oauth/server-login.ts";
import type { ServerAddress } from "../server-address.ts";
import { WatchedTransport } from "../watched-transport.ts";
import { openHttpTransport } from "./open-http-transport.ts";
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
  const server = createServerFetch({
    network,
    url,
    headers,
    allowsLoopback,
    login,
    answerEnded: (id) =>
      void clock.timer(readMs, () => transport.fail(id, "The answer ended before the result was in it.")),
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
      // The SDK continues after a broken stream, but its answers would never arrive.
      if (inUse && /^(SSE error:|Maximum reconnection attempts)/.test(error.message))
        lose("its stream of answers broke off");
    },
    async sayGoodbye() {
      await Promise.race([endSession().catch(() => undefined), sleep(clock, politeMs)]);
    },
    close: () => inner.close(),
  };
}
