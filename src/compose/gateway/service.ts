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
    page: () => false,
    // Its credentials are of its own planes, which no session of the console has.
    closed: ["/admin", "/api", "/webhooks", "/webchat"],
    // No path of it takes a WebSocket.
    sockets: /^(?!)/,
    credential: { by: "api_token" },
    hint: "Call the gateway with X-Admin-Token.",
  },
};
