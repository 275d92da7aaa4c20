import { and, asc, count, eq, gt } from "drizzle-orm";
import type { InvitationList, Member, MemberList } from "../../../contracts/platform/members.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { Person } from "../auth/find-actor.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { getOwnTenant } from "../tenants/own-tenant.ts";

/** Returns the members to a person who is one of them, or an operator. */
export async function listMembers(
  { storage: { read, tables } }: StoreDeps,
  person: Person,
  tenantId: string,
): Promise<MemberList> {
  await getOwnTenant(read, tables, person, tenantId, "read");
  return { members: await findMembers(read, tables, tenantId) };
}

/** Members of a tenant, the first to join first. */
export async function findMembers(
  query: ReadQuery,
  { tenantMembers, users }: PlatformTables,
  tenantId: string,
): Promise<Member[]> {
  const rows = await query
    .select({ member: tenantMembers, email: users.email, displayName: users.displayName })
    .from(tenantMembers)
    .innerJoin(users, eq(users.id, tenantMembers.userId))
    .where(eq(tenantMembers.tenantId, tenantId))
    .orderBy(asc(tenantMembers.joinedAt), asc(tenantMembers.userId));
  return rows.map(({ member, email, displayName }) => ({
    user_id: member.userId,
    email,
    display_name: displayName,
    role: member.role,
    joined_at: member.joinedAt.toISOString(),
  }));
}

/** Open invitations of a tenant, oldest first. */
export async function listInvitations(
  { storage: { read, tables }, clock }: StoreDeps,
  person: Person,
  tenantId: string,
): Promise<InvitationList> {
  await getOwnTenant(read, tables, person, tenantId, "members");
  const { tenantInvitations } = tables;
  const rows = await read
    .select()
    .from(tenantInvitations)
    .where(and(eq(tenantInvitations.tenantId, tenantId), gt(tenantInvitations.expiresAt, clock.now())))
    .orderBy(asc(tenantInvitations.invitedAt), asc(tenantInvitations.id));
  return { invitations: rows.map(presentInvitation) };
}

export const presentInvitation = ({
  id,
  email,
  role,
  invitedAt,
  expiresAt,
}: PlatformTables["tenantInvitations"]["$inferSelect"]) => ({
  id,
  email,
  role,
  invited_at: invitedAt.toISOString(),
  expires_at: expiresAt.toISOString(),
});

/** Number of members with the role owner. */
export async function countOwners(
  query: ReadQuery,
  { tenantMembers }: PlatformTables,
  tenantId: string,
): Promise<number> {
  const [row] = await query
    .select({ owners: count() })
    .from(tenantMembers)
    .where(and(eq(tenantMembers.tenantId, tenantId), eq(tenantMembers.role, "owner")));
  return row?.owners ?? 0;
}
