import { randomBytes } from "node:crypto";
import { and, count, eq, isNull, lte } from "drizzle-orm";
import type { InvitationInput, NewInvitation, OwnTenant } from "../../../contracts/platform/members.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { Person } from "../auth/find-actor.ts";
import { requireRight } from "../auth/tenant-role.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { getOwnTenant } from "../tenants/own-tenant.ts";
import { presentInvitation } from "./list-members.ts";

/** Limit for the members and open invitations of a tenant. */
export const membersMax = 100;

/** Limit for the tenants of one person. */
export const membershipsMax = 100;

const lifetimeMs = 7 * 86_400_000;

/**
 * Invites a person by e-mail; an earlier invitation of the same address ends. The token is returned only once. Throws 409
 * `already_member` or `member_limit_reached`.
 */
export async function inviteMember(
  deps: StoreDeps,
  person: Person,
  tenantId: string,
  { email: sent, role }: InvitationInput,
): Promise<NewInvitation> {
  const { storage, clock, newId } = deps;
  const { tables } = storage;
  const { tenantInvitations, tenantMembers, users } = tables;
  const email = readEmail(sent);
  // With a prefix, since it is typed as an argument of a command: one token of 64 would begin with a hyphen, as options do.
  const token = `inv_${randomBytes(32).toString("base64url")}`;
  const invitedAt = clock.now();
  const invitation = {
    id: newId(),
    tenantId,
    email,
    role,
    tokenHash: credentialDigest(token),
    invitedBy: person.userId,
    invitedAt,
    expiresAt: new Date(invitedAt.getTime() + lifetimeMs),
  };
  await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "members");
    if (role === "owner") requireRight(tenant.role, "owners");
    const ofTenant = eq(tenantInvitations.tenantId, tenantId);
    await tx.delete(tenantInvitations).where(and(ofTenant, lte(tenantInvitations.expiresAt, invitedAt)));
    const replaced = await tx
      .delete(tenantInvitations)
      .where(and(ofTenant, eq(tenantInvitations.email, email)))
      .returning({ role: tenantInvitations.role });
    if (replaced.some((earlier) => earlier.role === "owner")) requireRight(tenant.role, "owners");
    const isMember = await tx
      .select({ userId: tenantMembers.userId })
      .from(tenantMembers)
      .innerJoin(users, eq(users.id, tenantMembers.userId))
      .where(and(eq(tenantMembers.tenantId, tenantId), eq(users.email, email)));
    if (isMember.length > 0) throw alreadyMember(`${email} is a member of this tenant.`);
    const members = await tx.$count(tenantMembers, eq(tenantMembers.tenantId, tenantId));
    if (members + (await tx.$count(tenantInvitations, ofTenant)) >= membersMax) {
      throw new AppError(
        "conflict",
        "member_limit_reached",
        `A tenant may have ${membersMax} members and open invitations. Remove one first.`,
      );
    }
    await tx.insert(tenantInvitations).values(invitation);
    await writeAudit(deps, tx, invitedAt, {
      actor: `user:${person.userId}`,
      action: "member.invite",
      ownerId: tenantId,
      subject: invitation.id,
      detail: { email, role },
    });
  });
  return { ...presentInvitation(invitation), token };
}

/** Withdraws an invitation. Its token no longer works. Only owners withdraw an owner's. */
export async function withdrawInvitation(
  deps: StoreDeps,
  person: Person,
  tenantId: string,
  id: string,
): Promise<void> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { tenantInvitations } = tables;
  await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "members");
    const [withdrawn] = await tx
      .delete(tenantInvitations)
      .where(and(eq(tenantInvitations.tenantId, tenantId), eq(tenantInvitations.id, id)))
      .returning({ email: tenantInvitations.email, role: tenantInvitations.role });
    if (withdrawn === undefined) throw new AppError("not_found", "not_found", "There is no such invitation.");
    if (withdrawn.role === "owner") requireRight(tenant.role, "owners");
    await writeAudit(deps, tx, clock.now(), {
      actor: `user:${person.userId}`,
      action: "member.withdraw",
      ownerId: tenantId,
      subject: id,
      detail: withdrawn,
    });
  });
}

/**
 * Makes the person a member of the tenant of an invitation to their e-mail address. Throws 404 `invitation_not_found` if the token is
 * unknown, used, withdrawn or expired, or was made for another address, and 409 `already_member` or `membership_limit_reached`.
 */
export async function acceptInvitation(
  deps: StoreDeps,
  { userId }: Person,
  token: string,
): Promise<OwnTenant> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { tenantInvitations, tenantMembers, tenants, users } = tables;
  const now = clock.now();
  return storage.transact(async (tx) => {
    const [row] = await tx
      .select({ invitation: tenantInvitations, tenant: tenants })
      .from(tenantInvitations)
      .innerJoin(tenants, eq(tenants.id, tenantInvitations.tenantId))
      .innerJoin(users, eq(users.email, tenantInvitations.email))
      .where(
        and(
          eq(tenantInvitations.tokenHash, credentialDigest(token)),
          eq(users.id, userId),
          isNull(tenants.deletedAt),
        ),
      );
    if (row === undefined || row.invitation.expiresAt <= now) throw noInvitation();
    const { invitation, tenant } = row;
    const tenantId = tenant.id;
    const { role } = invitation;
    if ((await countMemberships(tx, tables, userId)) >= membershipsMax) {
      throw new AppError(
        "conflict",
        "membership_limit_reached",
        `A person may be a member of ${membershipsMax} tenants. Leave one first.`,
      );
    }
    await tx.delete(tenantInvitations).where(eq(tenantInvitations.id, invitation.id));
    const joined = await tx
      .insert(tenantMembers)
      .values({ tenantId, userId, role, joinedAt: now })
      .onConflictDoNothing()
      .returning({ userId: tenantMembers.userId });
    if (joined.length === 0) throw alreadyMember("You are a member of this tenant.");
    await writeAudit(deps, tx, now, {
      actor: `user:${userId}`,
      action: "member.join",
      ownerId: tenantId,
      subject: userId,
      detail: { role },
    });
    return { id: tenantId, crName: tenant.crName, displayName: tenant.displayName, role };
  });
}

/** Number of live tenants that a person is a member of. Deleted tenants keep their members' rows. */
async function countMemberships(
  query: ReadQuery,
  { tenantMembers, tenants }: PlatformTables,
  userId: string,
): Promise<number> {
  const [row] = await query
    .select({ live: count() })
    .from(tenantMembers)
    .innerJoin(tenants, eq(tenants.id, tenantMembers.tenantId))
    .where(and(eq(tenantMembers.userId, userId), isNull(tenants.deletedAt)));
  return row?.live ?? 0;
}

const alreadyMember = (message: string) => new AppError("conflict", "already_member", message);

const noInvitation = () =>
  new AppError(
    "not_found",
    "invitation_not_found",
    "There is no open invitation with this token for your e-mail address.",
    {
      details: {
        hint: "Sign in with the invited address. A token works once and for 7 days; ask for a new invitation.",
      },
    },
  );
