import { type DocumentLimits, documentLimitsOf } from "../../../contracts/platform/billing/plan-features.ts";
import type { TenantQuota } from "../../../contracts/runtime/documents.ts";
import type { PlatformDeps } from "../deps.ts";
import { basePlan } from "../plans/plan-in-force.ts";

/** Collections of one tenant. */
export const collectionsMax = 100;

/** How much the tenant's base plan lets it keep now. */
export async function documentLimits(
  { storage: { read, tables }, clock }: PlatformDeps,
  tenantId: string,
): Promise<DocumentLimits> {
  const { spec } = await basePlan(read, tables, tenantId, clock.now());
  return documentLimitsOf(spec.features);
}

/** The same as the runtime counts it. */
export async function tenantQuota(deps: PlatformDeps, tenantId: string): Promise<TenantQuota> {
  const { documents_max } = await documentLimits(deps, tenantId);
  return { collections_max: collectionsMax, documents_max };
}
