import { and, eq, isNotNull } from "drizzle-orm";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { endSessionsOf } from "../../../control-plane/sessions/own-sessions.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Query } from "../../../storage/storage.ts";
import type { CloudPerson } from "../access/credentials.ts";
import { lockOrg } from "../access/lock-org.ts";
import { dropMember } from "../members/change-members.ts";
import { membersOf } from "../members/store.ts";
import type { CloudStoreDeps, CloudTables } from "../tables.ts";

/**
 * Deletes the person's account: name, address and ways to sign in are erased, sessions end, and the person leaves their orgs as
 * `removeMember` describes. The audit log keeps the account's id. Throws 409 `last_owner` while the person is the only owner of an org.
 */
export async function deleteAccount(deps: CloudStoreDeps, { userId }: CloudPerson): Promise<void> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { users, identities } = tables;
  await storage.transact(async (tx) => {
    const now = clock.now();
    const orgs = await orgsOf(tx, tables, userId);
    const alone: string[] = [];
    for (const org of orgs) {
      await lockOrg(tx, tables, org.id);
      const all = await membersOf(tx, tables, org.id, now);
      const own = all.find((member) => member.userId === userId);
      const owners = all.filter(({ role, joinedAt }) => role === "owner" && joinedAt !== null);
      if (own?.role === "owner" && owners.length === 1) alone.push(org.slug);
      else if (own !== undefined)
        await dropMember(tx, tables, { orgId: org.id, member: own, keepsKeys: false, now }, async (detail) =>
          writeAudit(deps, tx, now, {
            ownerId: org.id,
            actor: `user:${userId}`,
            action: "member.leave",
            subject: own.id,
            detail,
          }),
        );
    }
    if (alone.length > 0) throw onlyOwner(alone);
    await endSessionsOf(tx, tables, userId, now);
    await tx.delete(identities).where(eq(identities.userId, userId));
    // No e-mail address has this form, so nobody signs in with it.
    const erased = { email: `deleted:${userId}`, name: "Deleted account" };
    await tx.update(users).set(erased).where(eq(users.id, userId));
    const entry = { ownerId: null, actor: `user:${userId}`, action: "person.delete", subject: userId };
    await writeAudit(deps, tx, now, entry);
  });
}

/** Orgs that the person has joined, in one order everywhere, to avoid deadlocks. */
const orgsOf = (tx: Query, { members, orgs }: CloudTables, userId: string) =>
  tx
    .select({ id: orgs.id, slug: orgs.slug })
    .from(members)
    .innerJoin(orgs, eq(orgs.id, members.orgId))
    .where(and(eq(members.userId, userId), isNotNull(members.joinedAt)))
    .orderBy(orgs.id);

const namedMax = 5;

function onlyOwner(slugs: readonly string[]): AppError {
  const more = slugs.length > namedMax ? ` and ${slugs.length - namedMax} more` : "";
  return new AppError(
    "conflict",
    "last_owner",
    `You are the only owner of ${slugs.slice(0, namedMax).join(", ")}${more}. Delete the org, or make another member an owner, then delete your account.`,
  );
}
