import { type GatewayAdminClient, gatewayAdminClient } from "../../contracts/gateway/client.ts";
import type { Server } from "../api/server.ts";
import { useServer } from "../api/use-server.tsx";

export const gatewayOf = (server: Server): GatewayAdminClient =>
  server.client("gateway", (address) => gatewayAdminClient(address));

/** Returns the gateway's client as its operator. */
export const useGateway = (): GatewayAdminClient => gatewayOf(useServer());
