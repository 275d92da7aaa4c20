import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { CloudTables } from "../tables.ts";

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
  tx: Query,
  { members }: CloudTables,
  { userId, email, id }: { userId: string; email: string; id?: string },
  now: Date,
): Promise<number> {
  const isOpen = and(eq(members.email, email), isNull(members.joinedAt));
  const joined = await tx
    .update(members)
    .set({ userId, joinedAt: now })
    .where(id === undefined ? isOpen : and(isOpen, eq(members.id, id)))
    .returning({ id: members.id });
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
