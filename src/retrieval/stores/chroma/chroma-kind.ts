import { baseUrl, serverProblems } from "../http/server-settings.ts";
import { refuseSettings, type VectorStoreKind } from "../store-kind.ts";

export const chromaKind: VectorStoreKind = {
  name: "chroma",
  description:
    "A Chroma server, 1.0 or newer: `url` is its address, with `/tenants/…/databases/…` for others than the default ones; `api_key_env` names its key's variable.",
  problems: (settings, ports) => [...refuseSettings(settings, ["dsn"]), ...serverProblems(settings, ports)],
  async build({ url = "", api_key_env: name }, { fetch, clock, random, variable }) {
    const { createStoreHttp } = await import("../http/store-http.ts");
    const { createChromaStore } = await import("./chroma-store.ts");
    const key = name && variable(name);
    // Hosted servers read the first header, servers with their own authentication the second.
    const headers: Record<string, string> = key
      ? { "x-chroma-token": key, authorization: `Bearer ${key}` }
      : {};
    const http = createStoreHttp({ server: "Chroma", url: databaseUrl(url), headers, fetch, clock, random });
    return createChromaStore({ http });
  },
};

/** Address of the database that contains the collections. */
function databaseUrl(url: string): string {
  const base = baseUrl(url);
  const named = /^(.*?)(?:\/api\/v2)?(\/tenants\/[^/]+\/databases\/[^/]+)$/.exec(base);
  const server = named?.[1] ?? base.replace(/\/api\/v2$/, "");
  return `${server}/api/v2${named?.[2] ?? "/tenants/default_tenant/databases/default_database"}`;
}
