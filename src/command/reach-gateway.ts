import type { Config } from "../compose/settings/config.ts";
import { type DeskCredential, gatewayAdminClient } from "../contracts/gateway/client.ts";
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
    credential,
  }: {
    log: Logger;
    url?: string;
    runsAgents?: boolean;
    person?: string | undefined;
    /** Of a tenant's desk, for a gateway on the network without the operators' token. */
    credential?: DeskCredential | undefined;
  },
): Promise<ReachedGateway> {
  const { adminToken } = config.gateway;
  const url = asked ?? (config.variable("ARGOSY_GATEWAY_URL") || undefined);
  if (url !== undefined) {
    const caller = adminToken ?? credential;
    if (caller === undefined) {
      throw new AppError(
        "invalid",
        "usage",
        "A gateway on the network needs GATEWAY_ADMIN_TOKEN, or for one tenant's desk a credential of the platform.",
        {
          details: {
            hint: "Set ARGOSY_PLATFORM_KEY, or ARGOSY_PLATFORM_URL after `argosy platform login`.",
          },
        },
      );
    }
    const client = gatewayAdminClient(networkAddress("gateway", url), caller, person);
    return { client, via: "network", close: async () => {} };
  }
  const { address, via, close } = await reachService(config, "gateway", { log, runsAgents });
  return { client: gatewayAdminClient(address, undefined, person), via, close };
}
