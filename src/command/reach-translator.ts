import type { Config } from "../compose/settings/config.ts";
import { type TranslatorClient, translatorClient } from "../contracts/translator/client.ts";
import type { Logger } from "../kit/log.ts";
import { networkAddress } from "./network-address.ts";
import { reachService } from "./reach.ts";

export interface ReachedTranslator {
  client: TranslatorClient;
  /** `network`: the translator at a URL; `server`: that of the running server; `store`: assembled in this process. */
  via: "network" | "server" | "store";
  close(): Promise<void>;
}

/** Returns the translator at `url` or `ARGOSY_TRANSLATOR_URL`, or else that of this data folder, running or not. */
export async function reachTranslator(
  config: Config,
  { log, url: asked }: { log: Logger; url?: string },
): Promise<ReachedTranslator> {
  const url = asked ?? (config.variable("ARGOSY_TRANSLATOR_URL") || undefined);
  if (url !== undefined) {
    const { apiToken } = config.access;
    const headers = apiToken === undefined ? {} : { authorization: `Bearer ${apiToken}` };
    const address = networkAddress("translator", url, headers);
    return { client: translatorClient(address), via: "network", close: async () => {} };
  }
  const { address, via, close } = await reachService(config, "translator", { log });
  return { client: translatorClient(address), via, close };
}
