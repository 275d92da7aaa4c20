import { existsSync } from "node:fs";
import { type DaemonClient, daemonClient } from "../contracts/daemon/client.ts";
import { localFetch } from "../kit/local-fetch.ts";
import type { Logger } from "../kit/log.ts";
import { controlSocketPath } from "../storage/control-socket.ts";
import { insideTransaction } from "../storage/transaction-scope.ts";
import { assembleArgosy } from "./assemble.ts";
import type { Config } from "./config.ts";
import type { ServiceName } from "./services.ts";

export interface Reached {
  client: DaemonClient;
  /** `server`: a running one answers; `store`: this process opened the data folder itself. */
  via: "server" | "store";
  close(): Promise<void>;
}

/** What a command's own daemon may take to end what goes on behind an answer, such as a summary of the conversation. */
const lastWorkMs = 15_000;

/** What stands for the host where the connection already says who is meant. */
const baseUrl = "http://localhost";

/**
 * The daemon of this data folder: the running server through its control socket, or one put together in this process, with the
 * platform where that is asked for and enabled.
 */
export async function reachDaemon(
  config: Config,
  { log, withPlatform = false }: { log: Logger; withPlatform?: boolean },
): Promise<Reached> {
  const socket = controlSocketPath(config.dataFolder);
  if (existsSync(socket) && (await answers(socket))) {
    const client = daemonClient({ baseUrl, fetch: (request) => fetch(request, { unix: socket }) });
    return { client, via: "server", close: async () => {} };
  }
  const only: ServiceName[] =
    withPlatform && config.services.platform.enabled ? ["daemon", "platform"] : ["daemon"];
  const assembled = await assembleArgosy(config, { log, only });
  const { app } = assembled.getService("daemon");
  assembled.startWorkers();
  const handle = async (request: Request) => app.handle(request, { peer: "local" });
  return {
    client: daemonClient({ baseUrl, fetch: localFetch(handle, { refuseWhen: insideTransaction }) }),
    via: "store",
    async close() {
      await assembled.retireIntake(lastWorkMs);
      await assembled.close(0);
    },
  };
}

/** Whether a server answers at this socket: a process that was killed leaves its own behind. */
export async function answers(socket: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { unix: socket });
    return response.ok;
  } catch {
    return false;
  }
}
