import { and, eq, isNull } from "drizzle-orm";
import type { OrgMember, OrgMemberRole } from "../../../contracts/cloud/orgs.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { revokeKeysOf } from "../../../control-plane/keys/api-keys.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import { type OrgActor, requireManager, requireOwner } from "../access/credentials.ts";
import { lockFor } from "../access/lock-org.ts";
import { changeBy } from "../audit/change-by.ts";
import { keysOf } from "../keys/keys-of.ts";
import type { CloudStoreDeps, CloudTables } from "../tables.ts";
import { membersOf, presentMember, type StoredMember } from "./store.ts";

/** Changes the role of a member or an invitation. Only owners make and change owners. Throws 409 `last_owner`. */
export async function changeRole(
  deps: CloudStoreDeps,
  caller: OrgActor,
  id: string,
  role: OrgMemberRole,
): Promise<OrgMember> {
  requireManager(caller);
  const { storage, clock } = deps;
  const { tables } = storage;
  const { members } = tables;
  return storage.transact(async (tx) => {
    const actor = await lockFor(tx, tables, caller);
    requireManager(actor);
    const now = clock.now();
    const all = await membersOf(tx, tables, actor.org.id, now);
    const member = all.find((one) => one.id === id);
    if (member === undefined) throw noMember();
    if (member.role === "owner" || role === "owner") requireOwner(actor);
    if (role === "owner" && member.joinedAt === null) throw notJoined(member.email);
    if (member.role === "owner" && role !== "owner") keepAnOwner(all);
    if (member.role !== role) {
      await tx
        .update(members)
        .set({ role })
        .where(and(eq(members.orgId, actor.org.id), eq(members.id, id)));
      // Invitations don't outlive the role with which they were sent.
      await withdrawInvitationsBy(tx, tables, actor.org.id, member.userId);
      await writeAudit(deps, tx, now, changeBy(actor, "member.role", id, { from: member.role, to: role }));
    }
    return presentMember({ ...member, role });
  });
}

/**
 * Removes a member, or withdraws an invitation. All members may leave. The API keys that the person made are revoked unless another manager
 * keeps them, and invitations that they sent end. Their requests, tickets and open streams are refused from then on, because each of them reads
 * the membership. Throws 409 `last_owner`.
 */
export async function removeMember(
  deps: CloudStoreDeps,
  caller: OrgActor,
  id: string,
  { keepsKeys }: { keepsKeys: boolean },
): Promise<void> {
  const { storage, clock } = deps;
  const { tables } = storage;
  if (caller.role === "key") requireManager(caller);
  await storage.transact(async (tx) => {
    const actor = await lockFor(tx, tables, caller);
    const now = clock.now();
    const all = await membersOf(tx, tables, actor.org.id, now);
    const member = all.find((one) => one.id === id);
    const leaves = member !== undefined && member.userId !== null && member.userId === actor.userId;
    if (!leaves) requireManager(actor);
    if (member === undefined) throw noMember();
    if (member.role === "owner") {
      requireOwner(actor);
      keepAnOwner(all);
    }
    if (leaves && keepsKeys) throw keepsOwnKeys();
    const action = leaves ? "member.leave" : "member.remove";
    await dropMember(tx, tables, { orgId: actor.org.id, member, keepsKeys, now }, async (detail) =>
      writeAudit(deps, tx, now, changeBy(actor, action, id, detail)),
    );
  });
}

interface Leaving {
  orgId: string;
  member: Pick<StoredMember, "id" | "userId" | "email" | "role">;
  keepsKeys: boolean;
  now: Date;
}

/** Deletes a member or an invitation, with the keys that the person made and the invitations that they sent. */
export async function dropMember(
  tx: Query,
  tables: CloudTables,
  { orgId, member, keepsKeys, now }: Leaving,
  audit: (detail: Record<string, unknown>) => Promise<unknown>,
): Promise<void> {
  const { members } = tables;
  await tx.delete(members).where(and(eq(members.orgId, orgId), eq(members.id, member.id)));
  await withdrawInvitationsBy(tx, tables, orgId, member.userId);
  const keys =
    keepsKeys || member.userId === null
      ? []
      : await revokeKeysOf(tx, keysOf(tables, orgId), member.userId, now);
  const { email, role } = member;
  await audit({ email, role, ...(keys.length > 0 && { revoked_keys: keys }) });
}

const noMember = () => new AppError("not_found", "not_found", "There is no such member.");

function keepAnOwner(all: readonly { role: OrgMemberRole; joinedAt: Date | null }[]): void {
  if (all.filter(({ role, joinedAt }) => role === "owner" && joinedAt !== null).length > 1) return;
  throw new AppError(
    "conflict",
    "last_owner",
    "This is the org's only owner. Make another member an owner first.",
  );
}

const notJoined = (email: string) =>
  new AppError("conflict", "not_joined", `${email} has not joined yet. Make them an owner once they have.`);

const keepsOwnKeys = () =>
  new AppError(
    "forbidden",
    "forbidden",
    "Those who leave can't keep the keys that they made. Another owner or admin may remove you with keep_keys=true.",
  );

async function withdrawInvitationsBy(
  tx: Query,
  { members }: CloudTables,
  orgId: string,
  userId: string | null,
): Promise<void> {
  if (userId === null) return;
  await tx
    .delete(members)
    .where(and(eq(members.orgId, orgId), eq(members.invitedBy, userId), isNull(members.joinedAt)));
}
