import { isAreaPath } from "../../services/console/targets.ts";
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
    page: isAreaPath,
    // The console signs people in itself, so that no script gets their tokens.
    closed: ["/control", "/console", "/api/v1/auth"],
    // Pages read streams of runs over HTTP.
    sockets: /^(?!)/,
    credential: { by: "member" },
    hint: "Sign in to the cloud.",
  },
};
