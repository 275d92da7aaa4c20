import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import { writeAudit } from "../audit/write-audit.ts";
import type { CloudTables, StoreDeps } from "../tables.ts";

/** Members and open invitations of an org, in order of their invitation. */
export const membersOf = (query: ReadQuery, { members, users }: CloudTables, orgId: string) =>
  query
    .select({
      id: members.id,
      email: members.email,
      name: users.name,
      role: members.role,
      joinedAt: members.joinedAt,
    })
    .from(members)
    .leftJoin(users, eq(users.id, members.userId))
    .where(eq(members.orgId, orgId))
    .orderBy(asc(members.invitedAt), asc(members.id));

/** Open invitations for an e-mail address, oldest first. */
export const invitationsFor = (query: ReadQuery, { members, orgs }: CloudTables, email: string) =>
  query
    .select({
      id: members.id,
      slug: orgs.slug,
      displayName: orgs.displayName,
      plan: orgs.plan,
      role: members.role,
      invitedAt: members.invitedAt,
    })
    .from(members)
    .innerJoin(orgs, eq(orgs.id, members.orgId))
    .where(and(eq(members.email, email), isNull(members.joinedAt)))
    .orderBy(asc(members.invitedAt), asc(members.id));

/** Makes invitations memberships of a person; all of an address, or one of them. Returns how many. */
export async function acceptInvitations(
  deps: StoreDeps,
  tx: Query,
  { userId, email, id }: { userId: string; email: string; id?: string },
): Promise<number> {
  const { members } = deps.storage.tables;
  const now = deps.clock.now();
  const isOpen = and(eq(members.email, email), isNull(members.joinedAt));
  const joined = await tx
    .update(members)
    .set({ userId, joinedAt: now })
    .where(id === undefined ? isOpen : and(isOpen, eq(members.id, id)))
    .returning({ id: members.id, orgId: members.orgId, role: members.role });
  for (const { id: subject, orgId, role } of joined) {
    const entry = { orgId, actor: `user:${userId}`, action: "member.join", subject, detail: { role } };
    await writeAudit(deps, tx, now, entry);
  }
  return joined.length;
}

/** Returns true if the person has joined an org. */
export async function hasOrg(query: ReadQuery, { members }: CloudTables, userId: string): Promise<boolean> {
  const rows = await query
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.userId, userId), isNotNull(members.joinedAt)))
    .limit(1);
  return rows.length > 0;
}
