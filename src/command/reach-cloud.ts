import type { Config } from "../compose/settings/config.ts";
import { type CloudClient, cloudClient } from "../contracts/cloud/client.ts";
import type { Org } from "../contracts/cloud/orgs.ts";
import { segment } from "../contracts/paths.ts";
import { callService } from "../contracts/service-call.ts";
import type { Logger } from "../kit/log.ts";
import { networkAddress } from "./network-address.ts";
import { reachService } from "./reach.ts";
import { type SessionFile, sessionFile } from "./session-file.ts";

export interface ReachedCloud {
  /** For a cloud on the network. */
  url?: string;
  /** A client with these headers; without any, the machine's owner if the cloud is this data folder's. */
  as(headers: Readonly<Record<string, string>>): CloudClient;
  /** API key and org of the environment. */
  variables: { apiKey?: string; org?: string };
  session: SessionFile;
  /** Puts an org on a plan; undefined for a cloud on the network. */
  changePlan: ((slug: string, plan: string) => Promise<Org>) | undefined;
  close(): Promise<void>;
}

/** Returns the cloud at `url` or `ARGOSY_CLOUD_URL`, or else that of this data folder, running or not. */
export async function reachCloud(
  config: Config,
  { log, url: asked }: { log: Logger; url?: string },
): Promise<ReachedCloud> {
  const { variable } = config;
  const apiKey = variable("ARGOSY_CLOUD_KEY");
  const org = variable("ARGOSY_CLOUD_ORG");
  const variables = { ...(apiKey ? { apiKey } : {}), ...(org ? { org } : {}) };
  const shared = { variables, session: sessionFile(config, "cloud") };
  const url = asked ?? (variable("ARGOSY_CLOUD_URL") || undefined);
  if (url !== undefined) {
    const as = (headers: Readonly<Record<string, string>>) =>
      cloudClient(networkAddress("cloud", url, headers));
    return { ...shared, url, as, changePlan: undefined, close: async () => {} };
  }
  const { address, close } = await reachService(config, "cloud", { log });
  const changePlan = async (slug: string, plan: string) => {
    const path = `/control/orgs/${segment(slug)}/plan`;
    return (await (await callService(address, "PUT", path, { body: { plan } })).json()) as Org;
  };
  const as = (headers: Readonly<Record<string, string>>) => cloudClient({ ...address, headers });
  return { ...shared, as, changePlan, close };
}
