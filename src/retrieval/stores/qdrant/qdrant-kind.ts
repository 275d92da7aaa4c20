import { baseUrl, serverProblems } from "../http/server-settings.ts";
import { refuseSettings, type VectorStoreKind } from "../store-kind.ts";

export const qdrantKind: VectorStoreKind = {
  name: "qdrant",
  description:
    "A Qdrant server, 1.10 or newer: `url` is its REST address, `api_key_env` names its key's variable.",
  problems: (settings, ports) => [...refuseSettings(settings, ["dsn"]), ...serverProblems(settings, ports)],
  async build({ url = "", api_key_env: name }, { fetch, clock, random, variable }) {
    const { createStoreHttp } = await import("../http/store-http.ts");
    const { createQdrantStore } = await import("./qdrant-store.ts");
    const key = name && variable(name);
    const headers: Record<string, string> = key ? { "api-key": key } : {};
    const http = createStoreHttp({ server: "Qdrant", url: baseUrl(url), headers, fetch, clock, random });
    return createQdrantStore({ http });
  },
};
