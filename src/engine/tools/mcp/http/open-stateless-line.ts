import type { Line, LinePorts } from "../line.ts";
import type { ServerLogin } from "../oauth/server-login.ts";
import type { ServerAddress } from "../server-address.ts";
import { StatelessHttpTransport } from "../stateless/http-transport.ts";
import { WatchedTransport } from "../watched-transport.ts";
import { createServerFetch } from "./server-fetch.ts";

/** Opens a line to a remote server without a session: each request goes its own way. */
export function openStatelessLine(
  { clock, log, network }: LinePorts,
  name: string,
  login: ServerLogin,
  { url: address, headers, allowsLoopback }: Extract<ServerAddress, { url: string }>,
): Line {
  const url = new URL(address);
  let lostBy: string | undefined;
  const server = createServerFetch({ network, url, headers, allowsLoopback, login, streams: undefined });
  const inner = new StatelessHttpTransport({
    url,
    fetch: server.fetch,
    garbage: () => transport.sawGarbage(),
  });
  const transport: WatchedTransport = new WatchedTransport(inner, {
    clock,
    flooded: () => {
      lostBy ??= "it sent more messages than can be read";
      void inner.close();
    },
    cancelled: (id) => inner.drop(id),
  });
  return {
    transport,
    lostBy: () => lostBy,
    noticed: (error) => log.debug("mcp.noticed", { server: name, err: error }),
    sayGoodbye: async () => {},
    close: () => inner.close(),
  };
}
