import { type DocumentLimits, documentLimitsOf } from "../../../contracts/platform/billing/plan-features.ts";
import type { TenantQuota } from "../../../contracts/runtime/documents.ts";
import { basePlan } from "../plans/plan-in-force.ts";
import type { StoreDeps } from "../tables.ts";
import type { CollectionDeps } from "./deps.ts";

/** Collections of one tenant. */
export const collectionsMax = 100;

/** How much the tenant's base plan lets it keep now. */
export async function documentLimits(
  { storage: { read, tables }, clock }: StoreDeps,
  tenantId: string,
): Promise<DocumentLimits> {
  const { spec } = await basePlan(read, tables, tenantId, clock.now());
  return documentLimitsOf(spec.features);
}

/** The same as the runtime counts it. */
export async function tenantQuota(deps: CollectionDeps, tenantId: string): Promise<TenantQuota> {
  const { documents_max } = await documentLimits(deps, tenantId);
  return { collections_max: collectionsMax, documents_max };
}
