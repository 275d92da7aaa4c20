import { eq, getTableColumns, gt } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Query } from "../../../storage/storage.ts";
import { type OrgActor, requireOwner } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { lockFor } from "../access/lock-org.ts";
import { forgetAgentsOf } from "../agents/delete-agent.ts";
import type { CloudAgentDeps } from "../agents/deps.ts";
import { runtimeIdOf } from "../agents/registrations.ts";
import { changeBy } from "../audit/change-by.ts";
import type { CloudStorage, CloudTables } from "../tables.ts";

/** Dependencies of the deletion of an org. */
export type OrgDeps = AccessDeps & Pick<CloudAgentDeps, "runtime" | "log">;

/**
 * Deletes an org with everything that it has: agents and their memory, keys, evals, usage, members, tickets. The audit log stays. Only owners
 * may. If the runtime is away, the memory of its agents is deleted later.
 */
export async function deleteOrg(deps: OrgDeps, caller: OrgActor): Promise<void> {
  requireOwner(caller);
  const { storage, clock, log } = deps;
  const { tables } = storage;
  const { orgs, retiredOrgs, retiredAgents, agents } = tables;
  const { id, slug } = caller.org;
  await storage.transact(async (tx) => {
    const actor = await lockFor(tx, tables, caller);
    requireOwner(actor);
    const now = clock.now();
    const left = await tx
      .select({ id: agents.id, name: agents.name })
      .from(agents)
      .where(eq(agents.orgId, id));
    for (const agent of left) {
      const runtimeName = runtimeIdOf(slug, agent.name);
      await tx.insert(retiredAgents).values({ id: agent.id, orgId: id, runtimeName, retiredAt: now });
    }
    const [org] = await tx.delete(orgs).where(eq(orgs.id, id)).returning({ createdBy: orgs.createdBy });
    await tx.insert(retiredOrgs).values({ id, slug, createdBy: org?.createdBy ?? null, deletedAt: now });
    await writeAudit(deps, tx, now, changeBy(actor, "org.delete", slug));
    // Its counted bytes go last: every other row changes them.
    await dropRowsOf(tx, tables, id);
  });
  await forgetAgentsOf(deps, id).catch((thrown: unknown) =>
    log.warn("org.not_forgotten", { org: slug, err: thrown }),
  );
}

/** Kept for the audit, and for the worker that has the agents' memory deleted. */
const tablesKept: ReadonlySet<string> = new Set(["audit", "retiredAgents"] satisfies (keyof CloudTables)[]);

/** Deletes the rows of an org in every table that has its id. */
async function dropRowsOf(tx: Query, tables: CloudTables, orgId: string): Promise<void> {
  for (const [name, table] of Object.entries(tables) as [string, PgTable][]) {
    if (tablesKept.has(name)) continue;
    const { orgId: org, ownerId, owner } = getTableColumns(table) as Record<string, never>;
    // The owner of a ticket is its org. The owner of an open stream is a process, so its org comes first.
    const column = org ?? ownerId ?? owner;
    if (column !== undefined) await tx.delete(table).where(eq(column, orgId));
  }
}

/** A run, a ticket or an eval that was in progress when its org was deleted may have stored rows after it. */
const lateMs = 3_600_000;

/** Deletes what requests stored for orgs that were deleted while they were in progress. */
export async function dropLateRows({
  storage,
  clock,
}: {
  storage: CloudStorage;
  clock: Clock;
}): Promise<void> {
  const { read, transact, tables } = storage;
  const { retiredOrgs } = tables;
  const since = new Date(clock.now().getTime() - lateMs);
  const late = await read
    .select({ id: retiredOrgs.id })
    .from(retiredOrgs)
    .where(gt(retiredOrgs.deletedAt, since));
  for (const { id } of late) await transact((tx) => dropRowsOf(tx, tables, id));
}
