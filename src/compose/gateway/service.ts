import { isAreaPath, isBelow } from "../../services/console/targets.ts";
import type { Service } from "../service.ts";

/** The messaging gateway: channels to agents, and messages of tenants to channels. */
export const gatewayService: Service = {
  name: "gateway",
  port: 8081,
  portVariables: ["ARGOSY_GATEWAY_PORT"],
  controlSocket: "gateway.sock",
  guard: "routes",
  needs: ({ gateway, platform }) => {
    if (gateway.platformUrl !== undefined) return [];
    return platform.runtimeUrl === undefined ? ["daemon", "platform"] : ["platform"];
  },
  assemble: async (...given) => (await import("./assemble-gateway.ts")).assembleGateway(...given),
  migrations: async () => (await import("../../services/gateway/migrations.gen.ts")).migrations,
  console: {
    // `/ui` was always the gateway's console.
    page: (path) => isAreaPath(path) || isBelow(path, "/ui"),
    // These are for tenants' programs, providers and visitors, by credentials of their own.
    closed: ["/control", "/console", "/api", "/webhooks", "/webchat"],
    // No path of it takes a WebSocket.
    sockets: /^(?!)/,
    credential: { by: "admin_token" },
    hint: "Sign in with GATEWAY_ADMIN_TOKEN, or open the link that `argosy console` prints.",
  },
};
