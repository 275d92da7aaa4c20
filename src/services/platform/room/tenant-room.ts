import { storageLimitOf } from "../../../contracts/platform/billing/plan-features.ts";
import type { StorageUse } from "../../../contracts/platform/stored.ts";
import { requireRoom, storedAreas } from "../../../storage/room.ts";
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

/** Requests that store nothing: they read, delete, or end something. */
const storesNothing = ({ method, url }: Request) =>
  /^(GET|HEAD|DELETE)$/.test(method) || /\/(cancel|query)$/.test(new URL(url).pathname);

/** Guard for tenants' routes: refuses what stores more of a tenant that may store no more. */
export const limitTenantStorage =
  (deps: StoreDeps) =>
  async ({ tenant, request }: { tenant: TenantActor; request: Request }): Promise<Record<string, never>> => {
    if (!storesNothing(request)) await requireTenantRoom(deps, tenant.tenantId);
    return {};
  };

/** What the tenant stores, and how much it may. */
export async function storageUse(deps: StoreDeps, tenantId: string): Promise<StorageUse> {
  const areas = await storedAreas(deps.storage, tenantId);
  return {
    stored_bytes: areas.reduce((sum, { bytes }) => sum + bytes, 0),
    limit_bytes: await storageLimit(deps, tenantId),
    areas,
  };
}
