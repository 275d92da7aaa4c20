import { storageLimitOf } from "../../../contracts/platform/billing/plan-features.ts";
import { storesNothing } from "../../../control-plane/room/storage-use.ts";
import { requireRoom } from "../../../storage/room.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { defaultPlanId } from "../plans/default-plan.ts";
import { basePlan } from "../plans/plan-in-force.ts";
import type { PlanRow } from "../plans/schema.ts";
import type { StoreDeps } from "../tables.ts";

/** Bytes that the tenant's base plan lets it store. */
export async function storageLimit(
  { storage: { read, tables }, clock }: Pick<StoreDeps, "storage" | "clock">,
  tenantId: string,
): Promise<number | null> {
  return planStorage(await basePlan(read, tables, tenantId, clock.now()));
}

/** Bytes that a base plan lets its tenant store. */
export const planStorage = ({ id, spec }: Pick<PlanRow, "id" | "spec">) =>
  storageLimitOf(spec.features, id === defaultPlanId);

/** Throws 409 `storage_limit_reached` if the tenant may store no more, and 503 `disk_reserved` if others need the rest of the disk. */
export const requireTenantRoom = (deps: StoreDeps, tenantId: string): Promise<void> =>
  requireRoom(deps.storage, tenantId, () => storageLimit(deps, tenantId));

/** Guard for tenants' routes: refuses what stores more of a tenant that may store no more. */
export const limitTenantStorage =
  (deps: StoreDeps) =>
  async ({ tenant, request }: { tenant: TenantActor; request: Request }): Promise<Record<string, never>> => {
    if (!storesNothing(request, ["cancel", "query"])) await requireTenantRoom(deps, tenant.tenantId);
    return {};
  };
