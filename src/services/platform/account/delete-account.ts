import { and, eq, isNull } from "drizzle-orm";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { endSessionsOf } from "../../../control-plane/sessions/own-sessions.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Person } from "../auth/find-actor.ts";
import { dropMember } from "../members/change-members.ts";
import { countOwners } from "../members/list-members.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { dropLinks } from "./account-links.ts";
import { getAccount } from "./own-account.ts";

/**
 * Deletes the person's account: name, address and password are erased, sessions end, and the person leaves their tenants as
 * `removeMember` describes. Bills and the audit log keep the account's id. Throws 409 `last_owner` while the person is the only owner of a
 * tenant.
 */
export async function deleteAccount(deps: StoreDeps, { userId }: Person): Promise<void> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { users } = tables;
  await storage.transact(async (tx) => {
    const now = clock.now();
    const { email } = await getAccount(tx, tables, userId);
    const memberships = await liveMemberships(tx, tables, userId);
    await requireOtherOwners(tx, tables, memberships);
    const actor = `user:${userId}`;
    for (const { tenantId, role } of memberships)
      await dropMember(deps, tx, { tenantId, userId, email, role, actor, action: "member.leave" }, now);
    await endSessionsOf(tx, tables, userId, now);
    await dropLinks(tx, tables, userId);
    await tx
      .update(users)
      .set({
        // No e-mail address has this form, so nobody signs in with it or registers it.
        email: `deleted:${userId}`,
        displayName: "Deleted account",
        passwordHash: unusable,
        role: "user",
        passwordExpiredAt: null,
        deletedAt: now,
      })
      .where(eq(users.id, userId));
    await writeAudit(deps, tx, now, { ownerId: null, actor, action: "person.delete", subject: userId });
  });
}

/** The form of a hash to which no password leads. */
const unusable = "deleted";

async function liveMemberships(tx: Query, { tenantMembers, tenants }: PlatformTables, userId: string) {
  return tx
    .select({ tenantId: tenants.id, name: tenants.displayName, role: tenantMembers.role })
    .from(tenantMembers)
    .innerJoin(tenants, eq(tenants.id, tenantMembers.tenantId))
    .where(and(eq(tenantMembers.userId, userId), isNull(tenants.deletedAt)));
}

const namedMax = 5;

async function requireOtherOwners(
  tx: Query,
  tables: PlatformTables,
  memberships: Awaited<ReturnType<typeof liveMemberships>>,
): Promise<void> {
  const alone: string[] = [];
  for (const { tenantId, name, role } of memberships)
    if (role === "owner" && (await countOwners(tx, tables, tenantId)) === 1) alone.push(name);
  if (alone.length === 0) return;
  const more = alone.length > namedMax ? ` and ${alone.length - namedMax} more` : "";
  throw new AppError(
    "conflict",
    "last_owner",
    `You are the only owner of ${alone.slice(0, namedMax).join(", ")}${more}.`,
    { details: { hint: "Make another member an owner, or delete the tenant, then delete your account." } },
  );
}
