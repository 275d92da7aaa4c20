import { and, eq } from "drizzle-orm";
import type { Member, MemberRole } from "../../../contracts/platform/members.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { revokeKeysOf } from "../../../control-plane/keys/api-keys.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Person } from "../auth/find-actor.ts";
import { requireRight } from "../auth/tenant-role.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { keysOf } from "../tenants/api-keys.ts";
import { getOwnTenant } from "../tenants/own-tenant.ts";
import { countOwners } from "./list-members.ts";

/** Changes a member's role. Only owners change owners and make others owners. Throws 409 `last_owner`. */
export async function changeRole(
  deps: StoreDeps,
  person: Person,
  { tenantId, userId, role }: { tenantId: string; userId: string; role: MemberRole },
): Promise<Member> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { tenantMembers } = tables;
  return storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "members");
    const { member, email, displayName } = await getMember(tx, tables, tenantId, userId);
    if (member.role === "owner" || role === "owner") requireRight(tenant.role, "owners");
    if (member.role === "owner" && role !== "owner") await keepAnOwner(tx, tables, tenantId);
    if (member.role !== role) {
      await tx
        .update(tenantMembers)
        .set({ role })
        .where(and(eq(tenantMembers.tenantId, tenantId), eq(tenantMembers.userId, userId)));
      await withdrawInvitationsOf(tx, tables, tenantId, userId);
      await writeAudit(deps, tx, clock.now(), {
        actor: `user:${person.userId}`,
        action: "member.role",
        ownerId: tenantId,
        subject: userId,
        detail: { from: member.role, to: role },
      });
    }
    return {
      user_id: userId,
      email,
      display_name: displayName,
      role,
      joined_at: member.joinedAt.toISOString(),
    };
  });
}

/**
 * Removes a member, whose requests and tickets are refused from then on. All members may leave. The API keys that the person made are
 * revoked unless somebody else keeps them, and invitations that they sent end. Throws 409 `last_owner`.
 */
export async function removeMember(
  deps: StoreDeps,
  person: Person,
  { tenantId, userId, keepsKeys }: { tenantId: string; userId: string; keepsKeys: boolean },
): Promise<void> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const leaves = person.userId === userId;
  if (leaves && keepsKeys) {
    throw new AppError("forbidden", "forbidden", "Those who leave can't keep the keys that they made.", {
      details: { hint: "Another owner or admin may remove you with keep_keys=true." },
    });
  }
  await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, leaves ? "read" : "members");
    const { member, email } = await getMember(tx, tables, tenantId, userId);
    if (member.role === "owner") {
      requireRight(tenant.role, "owners");
      await keepAnOwner(tx, tables, tenantId);
    }
    const actor = `user:${person.userId}`;
    const action = leaves ? "member.leave" : "member.remove";
    const { role } = member;
    await dropMember(deps, tx, { tenantId, userId, email, role, actor, action, keepsKeys }, clock.now());
  });
}

interface DroppedMember {
  tenantId: string;
  userId: string;
  email: string;
  role: MemberRole;
  actor: string;
  action: "member.leave" | "member.remove";
  keepsKeys?: boolean;
}

/** Ends a membership with the invitations that the person sent and, unless they are kept, the API keys that they made. */
export async function dropMember(
  deps: StoreDeps,
  tx: Query,
  { tenantId, userId, email, role, actor, action, keepsKeys = false }: DroppedMember,
  now: Date,
): Promise<void> {
  const { tables } = deps.storage;
  const { tenantMembers } = tables;
  await tx
    .delete(tenantMembers)
    .where(and(eq(tenantMembers.tenantId, tenantId), eq(tenantMembers.userId, userId)));
  await withdrawInvitationsOf(tx, tables, tenantId, userId);
  const keys = keepsKeys ? [] : await revokeKeysOf(tx, keysOf(tables, tenantId), userId, now);
  await writeAudit(deps, tx, now, {
    actor,
    action,
    ownerId: tenantId,
    subject: userId,
    detail: { email, role, ...(keys.length > 0 && { revoked_keys: keys }) },
  });
}

async function getMember(
  query: Query,
  { tenantMembers, users }: PlatformTables,
  tenantId: string,
  userId: string,
) {
  const [row] = await query
    .select({ member: tenantMembers, email: users.email, displayName: users.displayName })
    .from(tenantMembers)
    .innerJoin(users, eq(users.id, tenantMembers.userId))
    .where(and(eq(tenantMembers.tenantId, tenantId), eq(tenantMembers.userId, userId)));
  if (row !== undefined) return row;
  throw new AppError("not_found", "not_found", "There is no such member.");
}

async function keepAnOwner(tx: Query, tables: PlatformTables, tenantId: string): Promise<void> {
  if ((await countOwners(tx, tables, tenantId)) > 1) return;
  throw new AppError("conflict", "last_owner", "This is the tenant's only owner.", {
    details: { hint: "Make another member an owner first." },
  });
}

/** A person's invitations don't outlive the role that they were made with. */
async function withdrawInvitationsOf(
  tx: Query,
  { tenantInvitations }: PlatformTables,
  tenantId: string,
  userId: string,
): Promise<void> {
  await tx
    .delete(tenantInvitations)
    .where(and(eq(tenantInvitations.tenantId, tenantId), eq(tenantInvitations.invitedBy, userId)));
}
