import { isAreaPath } from "../../services/console/targets.ts";
import type { Service } from "../service.ts";

/** The daemon: runs agents. */
export const daemonService: Service = {
  name: "daemon",
  port: 8000,
  portVariables: ["PLATFORM_PORT", "ARGOSY_DAEMON_PORT"],
  controlSocket: "control.sock",
  guard: "api_token",
  needs: () => [],
  requireSafe: async (...given) => (await import("./channels.ts")).requireSafeChannels(...given),
  assemble: async (...given) => (await import("./assemble-daemon.ts")).assembleDaemon(...given),
  migrations: async () => (await import("../../services/daemon/migrations.gen.ts")).migrations,
  console: {
    page: isAreaPath,
    closed: ["/control", "/console", "/v1/internal"],
    sockets: /^\/v1\/ws\/agent\/[^/]+$/,
    credential: { by: "api_token" },
    hint: "Sign in with the API token, or open the link that `argosy console` prints.",
  },
};
