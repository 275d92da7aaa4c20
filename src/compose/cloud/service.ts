import type { Service } from "../service.ts";

/** The managed cloud: orgs, wizard agents and their runs. */
export const cloudService: Service = {
  name: "cloud",
  port: 8082,
  portVariables: ["ARGOSY_CLOUD_PORT"],
  controlSocket: "cloud.sock",
  guard: "routes",
  needs: () => ["daemon"],
  assemble: async (...given) => (await import("./assemble-cloud.ts")).assembleCloud(...given),
  migrations: async () => (await import("../../services/cloud/migrations.gen.ts")).migrations,
  console: {
    page: () => false,
    // The console has no pages of it, so no session may reach it.
    closed: ["/control", "/api"],
    sockets: /^(?!)/,
    credential: { by: "api_token" },
    hint: "The cloud has no pages in the console; use `argosy cloud`.",
  },
};
