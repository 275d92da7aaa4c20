import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { EvalOwner, HostedEvalDeps } from "../../../evals/hosted/deps.ts";
import type { EvalWork } from "../../../evals/hosted/eval-work.ts";
import type { TenantActor } from "../auth/credentials.ts";
import type { TenantRunDeps } from "../runs/deps.ts";
import { tenantOwners } from "../tenants/tenant-owner.ts";

/** Dependencies of evals and their runs. */
export interface EvalDeps extends TenantRunDeps {
  runtime: Pick<RuntimeClient, "run" | "decide" | "cancel" | "check" | "register" | "deregister">;
  evalWork: EvalWork;
}

/** The platform's part of what stored evals depend on. */
export const hosted = ({ storage, clock, newId, log, sealer, owner, life }: EvalDeps): HostedEvalDeps => ({
  service: "platform",
  storage,
  clock,
  newId,
  log,
  sealer,
  process: owner,
  life,
  ownersOf: (ids) => tenantOwners({ storage }, ids),
});

/** A tenant as the owner of evals. */
export const ownerOf = ({ tenantId, author }: TenantActor): EvalOwner => ({ ownerId: tenantId, author });
