import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/compose/load-config.ts";
import type { Config } from "../../../src/compose/settings/config.ts";
import { startArgosy } from "../../../src/compose/start.ts";
import { type CloudClient, cloudClient } from "../../../src/contracts/cloud/client.ts";
import { silentLogger } from "../../../src/kit/log.ts";

/** The daemon and the cloud of a workspace in this process, without this machine's environment. */
export interface CloudWorld extends AsyncDisposable {
  config: Config;
  url: string;
  /** Signs a person in by the development login. */
  person(email: string): Promise<CloudCaller>;
}

export interface CloudCaller {
  client: CloudClient;
  slug: string;
  token: string;
}

/** Starts it. `openai` is the address of a model server that stands in for the vendor. */
export async function serveCloud(workspace: string, openai?: string): Promise<CloudWorld> {
  if (openai !== undefined) {
    const providers = { openai: { type: "openai", endpoint: openai } };
    writeFileSync(join(workspace, "providers.yaml"), JSON.stringify({ providers }));
  }
  const loaded = loadConfig({ workspace, port: "0", services: "daemon,cloud" });
  const config: Config = {
    ...loaded,
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    variable: () => undefined,
  };
  const running = await startArgosy(config, { log: silentLogger });
  const url = running.services.find(({ name }) => name === "cloud")?.url ?? "";
  return {
    config,
    url,
    async person(email) {
      const { access_token: token, org_slug: slug } = await cloudClientAt(url).devLogin({
        email,
        name: "Ada",
      });
      return { client: cloudClientAt(url, { authorization: `Bearer ${token}` }), slug, token };
    },
    [Symbol.asyncDispose]: () => running.stop(),
  };
}

export const cloudClientAt = (baseUrl: string, headers: Record<string, string> = {}) =>
  cloudClient({ baseUrl, headers, fetch: (request) => fetch(request) });
