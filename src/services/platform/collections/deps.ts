import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { Logger } from "../../../kit/log.ts";
import type { CredentialDeps } from "../auth/deps.ts";

/** Dependencies of a tenant's documents, which the runtime keeps. */
export interface CollectionDeps extends CredentialDeps {
  log: Logger;
  runtime: Pick<RuntimeClient, "documents">;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}
