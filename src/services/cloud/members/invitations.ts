import { and, eq, isNull } from "drizzle-orm";
import type { Org, OrgInvitationList } from "../../../contracts/cloud/orgs.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { CloudPerson } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { lockOrg } from "../access/lock-org.ts";
import { presentOrg } from "../orgs/present-org.ts";
import type { CloudStoreDeps, CloudTables } from "../tables.ts";
import { expiryOf, invitationsFor } from "./store.ts";

/** Open invitations to the person's e-mail address. */
export async function listInvitations(
  { storage, clock }: CloudStoreDeps,
  { userId }: CloudPerson,
): Promise<OrgInvitationList> {
  const { read, tables } = storage;
  const rows = await invitationsFor(read, tables, await emailOf(read, tables, userId), clock.now());
  return {
    invitations: rows.map(({ id, slug, displayName, role, invitedAt }) => ({
      id,
      org_slug: slug,
      org_name: displayName,
      role,
      invited_at: invitedAt.toISOString(),
      expires_at: expiryOf(invitedAt).toISOString(),
    })),
  };
}

/** Makes the person a member. Throws 404 unless the invitation is open and for their e-mail address. */
export async function acceptInvitation(deps: AccessDeps, { userId }: CloudPerson, id: string): Promise<Org> {
  const { storage, clock } = deps;
  const { transact, tables } = storage;
  const { members } = tables;
  return transact(async (tx) => {
    const now = clock.now();
    const invitation = await openInvitation(tx, tables, userId, id, now);
    const { orgId, role } = invitation;
    await lockOrg(tx, tables, orgId);
    const joined = await tx
      .update(members)
      .set({ userId, joinedAt: now })
      .where(and(eq(members.id, id), isNull(members.joinedAt)))
      .returning({ id: members.id });
    if (joined.length === 0) throw noInvitation();
    const entry = {
      ownerId: orgId,
      actor: `user:${userId}`,
      action: "member.join",
      subject: id,
      detail: { role },
    };
    await writeAudit(deps, tx, now, entry);
    return presentOrg(deps, invitation);
  });
}

/** Deletes an invitation of the person. Throws like `acceptInvitation`. */
export async function declineInvitation(
  deps: CloudStoreDeps,
  { userId }: CloudPerson,
  id: string,
): Promise<void> {
  const { storage, clock } = deps;
  const { transact, tables } = storage;
  const { members } = tables;
  await transact(async (tx) => {
    const now = clock.now();
    const { orgId } = await openInvitation(tx, tables, userId, id, now);
    const declined = await tx
      .delete(members)
      .where(and(eq(members.id, id), isNull(members.joinedAt)))
      .returning({ id: members.id });
    if (declined.length === 0) throw noInvitation();
    const entry = { ownerId: orgId, actor: `user:${userId}`, action: "member.decline", subject: id };
    await writeAudit(deps, tx, now, entry);
  });
}

async function openInvitation(tx: Query, tables: CloudTables, userId: string, id: string, now: Date) {
  const email = await emailOf(tx, tables, userId);
  const invitation = (await invitationsFor(tx, tables, email, now)).find(
    (invitation) => invitation.id === id,
  );
  if (invitation !== undefined) return invitation;
  throw noInvitation();
}

async function emailOf(query: ReadQuery, { users }: CloudTables, userId: string): Promise<string> {
  const [user] = await query.select({ email: users.email }).from(users).where(eq(users.id, userId));
  if (user !== undefined) return user.email;
  throw new AppError("unauthorized", "unauthorized", "The account no longer exists.");
}

const noInvitation = () =>
  new AppError(
    "not_found",
    "not_found",
    "There is no such open invitation for you. Invitations expire after 7 days.",
  );
