import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { Logger } from "../../../kit/log.ts";
import type { CredentialDeps } from "../auth/deps.ts";

/** Dependencies of a tenant's agents. */
export interface AgentDeps extends CredentialDeps {
  log: Logger;
  runtime: Pick<RuntimeClient, "check" | "register" | "deregister" | "list">;
}
