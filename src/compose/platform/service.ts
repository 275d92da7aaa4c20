import { isBelow } from "../../services/console/targets.ts";
import type { Service } from "../service.ts";

/** The agent platform: accounts, tenants, versioned agents and billing. */
export const platformService: Service = {
  name: "platform",
  port: 8080,
  portVariables: ["ARGOSY_PLATFORM_PORT"],
  controlSocket: "platform.sock",
  guard: "routes",
  needs: ({ platform }) => (platform.runtimeUrl === undefined ? ["daemon"] : []),
  assemble: async (...given) => (await import("./assemble-platform.ts")).assemblePlatform(...given),
  migrations: async () => (await import("../../services/platform/migrations.gen.ts")).migrations,
  console: {
    page: (path) => path !== "" && !ownPaths.some((own) => isBelow(path, own)),
    closed: ["/control", "/console", "/auth"],
    sockets: /^\/api\/v1\/agents\/[^/]+\/run\/stream$/,
    credential: { by: "person", operatorPath: "/api/v1/admin" },
    hint: "Sign in with an account of the platform.",
  },
};

/** All other paths of its listener show the console. */
const ownPaths = ["/api", "/auth", "/control", "/healthz", "/readyz", "/docs", "/openapi.json", "/console"];
