import type { InviteInput, OrgInvited } from "../../../contracts/cloud/orgs.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import { type OrgActor, requireManager } from "../access/credentials.ts";
import { lockFor } from "../access/lock-org.ts";
import { changeBy } from "../audit/change-by.ts";
import type { CloudStoreDeps } from "../tables.ts";
import { dropExpired, membersOf } from "./store.ts";

/** Invites a person by e-mail, who becomes a member by accepting. Throws 409 `already_member` or `member_limit_reached`. */
export async function inviteMember(
  deps: CloudStoreDeps,
  caller: OrgActor,
  { email: sent, role }: InviteInput,
): Promise<OrgInvited> {
  requireManager(caller);
  const { storage, clock, newId } = deps;
  const email = readEmail(sent);
  const { tables, transact } = storage;
  const { org, limits } = caller;
  const id = newId();
  const invitedAt = clock.now();
  await transact(async (tx) => {
    const actor = await lockFor(tx, tables, caller);
    requireManager(actor);
    await dropExpired(tx, tables, org.id, invitedAt);
    const known = await membersOf(tx, tables, org.id, invitedAt);
    if (known.some((member) => member.email === email)) {
      throw new AppError("conflict", "already_member", `${email} is a member or has an open invitation.`);
    }
    if (known.length >= limits.max_members) {
      throw new AppError(
        "conflict",
        "member_limit_reached",
        `The plan ${org.plan} allows ${limits.max_members} members and open invitations. Remove one, or choose a larger plan.`,
      );
    }
    const invitedBy = actor.userId === "" ? null : actor.userId;
    await tx
      .insert(tables.members)
      .values({ id, orgId: org.id, email, userId: null, role, invitedBy, invitedAt, joinedAt: null });
    await writeAudit(deps, tx, invitedAt, changeBy(actor, "member.invite", id, { email, role }));
  });
  return { id, email, role, status: "invited", invited_at: invitedAt.toISOString() };
}
