import { and, asc, eq, isNull } from "drizzle-orm";
import type { WorkspaceChange, WorkspaceRecords } from "../../../contracts/platform/workspace.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

/** Returns the records of a tenant's workspace, and their revision: 0 before the first apply. */
export async function readRecords(
  { storage: { read, tables } }: StoreDeps,
  tenantId: string,
): Promise<WorkspaceRecords> {
  const { workspaces, workspaceResources } = tables;
  // Read first: a change in between makes the revision too old, and the next change is refused.
  const [workspace] = await read
    .select({ revision: workspaces.revision })
    .from(workspaces)
    .where(eq(workspaces.tenantId, tenantId));
  const rows = await read
    .select()
    .from(workspaceResources)
    .where(eq(workspaceResources.tenantId, tenantId))
    .orderBy(asc(workspaceResources.resourceType), asc(workspaceResources.name));
  return {
    revision: workspace?.revision ?? 0,
    resources: rows.map(({ resourceType, name, applied, appliedAt }) => ({
      resource_type: resourceType,
      name,
      applied,
      applied_at: appliedAt.toISOString(),
    })),
  };
}

/** Changes the records. Throws 409 `workspace_changed` if another apply changed them since they were read, 404 for an unknown tenant. */
export async function changeRecords(
  { storage, clock }: StoreDeps,
  tenantId: string,
  { revision, put, drop }: WorkspaceChange,
): Promise<{ revision: number }> {
  const { tables } = storage;
  const { workspaceResources } = tables;
  const appliedAt = clock.now();
  return storage.transact(async (tx) => {
    await requireTenant(tx, tables, tenantId);
    await raiseRevision(tx, tables, { tenantId, revision, at: appliedAt });
    for (const { resource_type: resourceType, name, applied } of put) {
      await tx
        .insert(workspaceResources)
        .values({ tenantId, resourceType, name, applied, appliedAt })
        .onConflictDoUpdate({
          target: [workspaceResources.tenantId, workspaceResources.resourceType, workspaceResources.name],
          set: { applied, appliedAt },
        });
    }
    for (const { resource_type, name } of drop) {
      await tx
        .delete(workspaceResources)
        .where(
          and(
            eq(workspaceResources.tenantId, tenantId),
            eq(workspaceResources.resourceType, resource_type),
            eq(workspaceResources.name, name),
          ),
        );
    }
    return { revision: revision + 1 };
  });
}

async function requireTenant(tx: Query, { tenants }: PlatformTables, tenantId: string): Promise<void> {
  const [tenant] = await tx
    .select({ id: tenants.id })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
}

async function raiseRevision(
  tx: Query,
  { workspaces }: PlatformTables,
  { tenantId, revision, at }: { tenantId: string; revision: number; at: Date },
): Promise<void> {
  const raised =
    revision === 0
      ? await tx
          .insert(workspaces)
          .values({ tenantId, revision: 1, changedAt: at })
          .onConflictDoNothing()
          .returning({ revision: workspaces.revision })
      : await tx
          .update(workspaces)
          .set({ revision: revision + 1, changedAt: at })
          .where(and(eq(workspaces.tenantId, tenantId), eq(workspaces.revision, revision)))
          .returning({ revision: workspaces.revision });
  if (raised.length > 0) return;
  throw new AppError("conflict", "workspace_changed", "Another apply changed this tenant at the same time.", {
    details: { hint: "Make a new plan when the other apply has ended, and apply that." },
  });
}
