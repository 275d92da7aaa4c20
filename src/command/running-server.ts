import { socketAddress } from "../compose/peers.ts";
import { type ServerFacts, serverPath } from "../compose/server-route.ts";
import type { Config } from "../compose/settings/config.ts";
import { callService } from "../contracts/service-call.ts";
import { AppError } from "../kit/app-error.ts";
import { findServers } from "./reach.ts";

/** Throws AppError `server_running`, with its address, if a server runs on this data folder. */
export async function requireNoServer(config: Pick<Config, "dataFolder">): Promise<void> {
  const [server] = await findServers(config);
  if (server === undefined) return;
  const place = await addressOf(server.socket).catch(() => undefined);
  throw new AppError(
    "conflict",
    "server_running",
    `A server is already running ${place === undefined ? `on the data folder ${config.dataFolder}` : `at ${place}`}; \`argosy console\` opens it.`,
    { details: { hint: "To start another one, give it a folder of its own with --workspace or --data." } },
  );
}

async function addressOf(socket: string): Promise<string | undefined> {
  const response = await callService(socketAddress(socket), "GET", serverPath);
  const { services } = (await response.json()) as ServerFacts;
  return services[0]?.url;
}
