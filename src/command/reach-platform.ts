import type { Config } from "../compose/settings/config.ts";
import {
  type PlatformClient,
  type PlatformCredential,
  platformClient,
} from "../contracts/platform/clients/client.ts";
import { type ControlClient, controlClient } from "../contracts/platform/clients/control-client.ts";
import type { Logger } from "../kit/log.ts";
import { networkAddress } from "./network-address.ts";
import { reachService } from "./reach.ts";
import { type SessionFile, sessionFile } from "./session-file.ts";

export interface ReachedPlatform {
  /** `network`: the platform at `url`; `server`: the running server of this data folder; `store`: assembled in this process. */
  via: "network" | "server" | "store";
  /** For a platform on the network. */
  url?: string;
  as(credential: PlatformCredential): PlatformClient;
  /** Routes for the machine itself; undefined for a platform on the network. */
  control: ControlClient | undefined;
  /** Credentials and tenant in the environment, for calls over the network. */
  variables: { apiKey?: string; operatorToken?: string; tenant?: string };
  session: SessionFile;
  close(): Promise<void>;
}

/** Returns the platform at `url` or `ARGOSY_PLATFORM_URL`, or else that of this data folder, running or not. */
export async function reachPlatform(
  config: Config,
  { log, url: asked }: { log: Logger; url?: string },
): Promise<ReachedPlatform> {
  const { variable, platform } = config;
  const apiKey = variable("ARGOSY_PLATFORM_KEY");
  const tenant = variable("ARGOSY_PLATFORM_TENANT");
  const variables = {
    ...(apiKey ? { apiKey } : {}),
    ...(tenant ? { tenant } : {}),
    ...(platform.operatorToken === undefined ? {} : { operatorToken: platform.operatorToken }),
  };
  const shared = { variables, session: sessionFile(config, "platform") };
  const url = asked ?? (variable("ARGOSY_PLATFORM_URL") || undefined);
  if (url !== undefined) {
    const address = networkAddress("platform", url);
    const as = (credential: PlatformCredential) => platformClient({ ...address, ...credential });
    return { ...shared, via: "network", url, as, control: undefined, close: async () => {} };
  }
  const { address, via, close } = await reachService(config, "platform", { log });
  return {
    ...shared,
    via,
    as: (credential) => platformClient({ ...address, ...credential }),
    control: controlClient(address),
    close,
  };
}
