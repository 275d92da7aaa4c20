import { and, asc, eq, gt, isNotNull, isNull, lte, or } from "drizzle-orm";
import type { OrgMember, OrgMemberRole } from "../../../contracts/cloud/orgs.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { CloudTables } from "../tables.ts";

const invitationMs = 7 * 86_400_000;

export const expiryOf = (invitedAt: Date): Date => new Date(invitedAt.getTime() + invitationMs);

/** Invitations sent until this instant have expired. */
const expiredUntil = (now: Date): Date => new Date(now.getTime() - invitationMs);

/** Members and open invitations of an org, in order of their invitation. */
export const membersOf = (query: ReadQuery, { members, users }: CloudTables, orgId: string, now: Date) =>
  query
    .select({
      id: members.id,
      userId: members.userId,
      email: members.email,
      name: users.name,
      role: members.role,
      joinedAt: members.joinedAt,
    })
    .from(members)
    .leftJoin(users, eq(users.id, members.userId))
    .where(
      and(
        eq(members.orgId, orgId),
        or(isNotNull(members.joinedAt), gt(members.invitedAt, expiredUntil(now))),
      ),
    )
    .orderBy(asc(members.invitedAt), asc(members.id));

export type StoredMember = Awaited<ReturnType<typeof membersOf>>[number];

/** A member or an open invitation, as the members of the org see it. */
export const presentMember = ({
  id,
  email,
  name,
  role,
  joinedAt,
}: {
  id: string;
  email: string;
  name: string | null;
  role: OrgMemberRole;
  joinedAt: Date | null;
}): OrgMember => ({
  id,
  email,
  name: name ?? "",
  role,
  status: joinedAt === null ? "invited" : "active",
  joined_at: joinedAt?.toISOString() ?? null,
});

/** Deletes the expired invitations of an org. */
export const dropExpired = (tx: Query, { members }: CloudTables, orgId: string, now: Date) =>
  tx
    .delete(members)
    .where(
      and(eq(members.orgId, orgId), isNull(members.joinedAt), lte(members.invitedAt, expiredUntil(now))),
    );

/** Open invitations for an e-mail address, oldest first. */
export const invitationsFor = (query: ReadQuery, { members, orgs }: CloudTables, email: string, now: Date) =>
  query
    .select({
      id: members.id,
      orgId: members.orgId,
      slug: orgs.slug,
      displayName: orgs.displayName,
      plan: orgs.plan,
      role: members.role,
      invitedAt: members.invitedAt,
    })
    .from(members)
    .innerJoin(orgs, eq(orgs.id, members.orgId))
    .where(and(eq(members.email, email), isNull(members.joinedAt), gt(members.invitedAt, expiredUntil(now))))
    .orderBy(asc(members.invitedAt), asc(members.id));

/** Returns true if the person has joined an org. */
export async function hasOrg(query: ReadQuery, { members }: CloudTables, userId: string): Promise<boolean> {
  const rows = await query
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.userId, userId), isNotNull(members.joinedAt)))
    .limit(1);
  return rows.length > 0;
}
