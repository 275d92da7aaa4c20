import type { Clock } from "../../../../kit/clock.ts";
import type { Line, LinePorts } from "../line.ts";
import type { ServerAddress } from "../server-address.ts";
import { WatchedTransport } from "../watched-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";

const errorLinesMax = 200;
const errorWindowMs = 10_000;

/** Opens a connection to a local server process, which starts with the transport. */
export function openStdioLine(
  { clock, log, supervisor, folder, path }: LinePorts,
  name: string,
  { command, args, env, memoryBytesMax }: Extract<ServerAddress, { transport: "stdio" }>,
): Line {
  const inner = new StdioTransport({
    supervisor,
    folder,
    clock,
    order: { command, args, env: { PATH: path, ...env }, memoryBytesMax },
    errorLine: atMost(errorLinesMax, clock, (line) => log.debug("mcp.stderr", { server: name, line })),
    garbage: () => transport.sawGarbage(),
  });
  const transport: WatchedTransport = new WatchedTransport(inner, {
    clock,
    flooded: () => inner.giveUp("it sent more messages than can be read and was stopped"),
  });
  return {
    transport,
    lostBy: () => inner.lostBy,
    noticed: (error) => log.debug("mcp.noticed", { server: name, err: error }),
    sayGoodbye: async () => {},
    close: () => inner.close(),
  };
}

/** Limits the lines per window, because a server may write endlessly. */
function atMost(linesMax: number, clock: Clock, write: (line: string) => void): (line: string) => void {
  let fromMs = clock.monotonicMs();
  let count = 0;
  return (line) => {
    if (clock.monotonicMs() - fromMs >= errorWindowMs) {
      fromMs = clock.monotonicMs();
      count = 0;
    }
    count++;
    if (count <= linesMax) write(line);
  };
}
