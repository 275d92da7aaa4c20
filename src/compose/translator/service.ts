import { isAreaPath } from "../../services/console/targets.ts";
import type { Service } from "../service.ts";

/** The manifest translator: manifests to cloud resources. */
export const translatorService: Service = {
  name: "translator",
  port: 8100,
  portVariables: ["ARGOSY_TRANSLATOR_PORT"],
  controlSocket: "translator.sock",
  guard: "api_token",
  needs: () => [],
  assemble: async (...given) => (await import("./assemble-translator.ts")).assembleTranslator(...given),
  migrations: async () => (await import("../../services/translator/migrations.gen.ts")).migrations,
  console: {
    page: isAreaPath,
    closed: ["/control", "/console"],
    // No path of it takes a WebSocket.
    sockets: /^(?!)/,
    credential: { by: "api_token" },
    hint: "Sign in with the API token, or open the link that `argosy console` prints.",
  },
};
