import { type CloudClient, cloudClient } from "../../contracts/cloud/client.ts";
import type { Org } from "../../contracts/cloud/orgs.ts";
import { callService } from "../../contracts/service-call.ts";
import type { Logger } from "../../kit/log.ts";
import type { Config } from "../settings/config.ts";
import { networkAddress } from "./network-address.ts";
import { reachService } from "./reach.ts";

export interface ReachedCloud {
  client: CloudClient;
  /** Org of the environment. */
  org: string | undefined;
  /** Puts an org on a plan; undefined for a cloud on the network. */
  changePlan: ((slug: string, plan: string) => Promise<Org>) | undefined;
  close(): Promise<void>;
}

/** Returns the cloud at `url` or `ARGOSY_CLOUD_URL`, with `ARGOSY_CLOUD_KEY`, or else that of this data folder, running or not. */
export async function reachCloud(
  config: Config,
  { log, url: asked }: { log: Logger; url?: string },
): Promise<ReachedCloud> {
  const { variable } = config;
  const org = variable("ARGOSY_CLOUD_ORG") || undefined;
  const url = asked ?? (variable("ARGOSY_CLOUD_URL") || undefined);
  if (url !== undefined) {
    const key = variable("ARGOSY_CLOUD_KEY") || undefined;
    const address = networkAddress("cloud", url, key === undefined ? {} : { "x-api-key": key });
    return { client: cloudClient(address), org, changePlan: undefined, close: async () => {} };
  }
  const { address, close } = await reachService(config, "cloud", { log });
  const changePlan = async (slug: string, plan: string) => {
    const path = `/control/orgs/${encodeURIComponent(slug)}/plan`;
    return (await (await callService(address, "PUT", path, { body: { plan } })).json()) as Org;
  };
  return { client: cloudClient(address), org, changePlan, close };
}
