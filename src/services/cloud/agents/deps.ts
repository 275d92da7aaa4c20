import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { Logger } from "../../../kit/log.ts";
import type { AccessDeps } from "../access/deps.ts";
import type { ProviderDeps } from "../providers/provider-keys.ts";

/** Dependencies of agents. */
export interface CloudAgentDeps extends AccessDeps, ProviderDeps {
  log: Logger;
  runtime: Pick<RuntimeClient, "register" | "unload" | "deregister" | "check" | "catalog">;
}
