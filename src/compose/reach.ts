import { existsSync } from "node:fs";
import { type DaemonClient, daemonClient } from "../contracts/daemon/client.ts";
import { localFetch } from "../kit/fetch/local-fetch.ts";
import type { Logger } from "../kit/log.ts";
import { controlSocketPath } from "../storage/files/data-folder.ts";
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

/** Maximum time for a command's own daemon to finish work behind an answer, such as a conversation's summary. */
const lastWorkMs = 15_000;

/** Host name for connections that need none. */
const baseUrl = "http://localhost";

/**
 * Returns the daemon of this data folder: the running server through its control socket, or one assembled in this process, with the
 * platform if it is requested and enabled.
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

/** Returns true if a server answers at this socket. A killed process leaves its socket behind. */
export async function answers(socket: string): Promise<boolean> {
  try {
    const response = await fetch(`${baseUrl}/healthz`, { unix: socket });
    return response.ok;
  } catch {
    return false;
  }
}
