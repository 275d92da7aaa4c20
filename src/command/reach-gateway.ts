import type { Config } from "../compose/settings/config.ts";
import { gatewayAdminClient } from "../contracts/gateway/client.ts";
import { AppError } from "../kit/app-error.ts";
import type { Logger } from "../kit/log.ts";
import { networkAddress } from "./network-address.ts";
import { reachService } from "./reach.ts";

export interface ReachedGateway {
  client: ReturnType<typeof gatewayAdminClient>;
  /** `network`: the gateway at a URL; `server`: that of the running server; `store`: assembled in this process. */
  via: "network" | "server" | "store";
  close(): Promise<void>;
}

/** Returns the gateway at `url` or `ARGOSY_GATEWAY_URL`, or else that of this data folder, running or not. */
export async function reachGateway(
  config: Config,
  {
    log,
    url: asked,
    runsAgents = false,
    person,
  }: { log: Logger; url?: string; runsAgents?: boolean; person?: string | undefined },
): Promise<ReachedGateway> {
  const { adminToken } = config.gateway;
  const url = asked ?? (config.variable("ARGOSY_GATEWAY_URL") || undefined);
  if (url !== undefined) {
    if (adminToken === undefined) {
      throw new AppError(
        "invalid",
        "usage",
        "A gateway on the network needs its token: set GATEWAY_ADMIN_TOKEN.",
      );
    }
    const client = gatewayAdminClient(networkAddress("gateway", url), adminToken, person);
    return { client, via: "network", close: async () => {} };
  }
  const { address, via, close } = await reachService(config, "gateway", { log, runsAgents });
  return { client: gatewayAdminClient(address, undefined, person), via, close };
}
