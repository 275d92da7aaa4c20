import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { CredentialDeps } from "../auth/deps.ts";

/** Dependencies of a tenant's connections. */
export interface ConnectionDeps extends CredentialDeps {
  /** Undefined if no keys are configured. */
  sealer: Sealer | undefined;
}
