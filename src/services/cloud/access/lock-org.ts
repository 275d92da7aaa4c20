import { and, eq, isNotNull, sql } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import type { CloudTables } from "../tables.ts";
import { type OrgActor, otherOrg } from "./credentials.ts";

/** Locks the org's row, so that two requests can't both take the last place of a limit. Throws 403 if the org was deleted meanwhile. */
export async function lockOrg(tx: Query, { orgs }: CloudTables, orgId: string): Promise<void> {
  const locked = await tx
    .update(orgs)
    .set({ plan: sql`${orgs.plan}` })
    .where(eq(orgs.id, orgId))
    .returning({ id: orgs.id });
  if (locked.length === 0) throw otherOrg();
}

/**
 * Locks the org and returns the actor with their present role, because a person may have been removed since the request began. Throws 403 if
 * they are no longer a member.
 */
export async function lockFor(tx: Query, tables: CloudTables, actor: OrgActor): Promise<OrgActor> {
  const { members } = tables;
  await lockOrg(tx, tables, actor.org.id);
  if (actor.userId === "") return actor;
  const [member] = await tx
    .select({ role: members.role })
    .from(members)
    .where(
      and(eq(members.orgId, actor.org.id), eq(members.userId, actor.userId), isNotNull(members.joinedAt)),
    );
  if (member === undefined) throw otherOrg();
  return { ...actor, role: member.role };
}
