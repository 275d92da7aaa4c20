import { asc, eq } from "drizzle-orm";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { endSessionsOf } from "../../../control-plane/sessions/own-sessions.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import type { StoreDeps } from "../tables.ts";
import type { UserRole } from "./schema.ts";

/** Dependencies of these commands, which also run outside the platform's process, on its storage alone. */
export type OperatorDeps = Pick<StoreDeps, "storage" | "clock" | "newId">;

/** A person who may use the operators' routes. */
export interface StoredOperator {
  userId: string;
  email: string;
  displayName: string;
}

/** Makes a person an operator. Does nothing if they are one already. Throws `user_not_found`. */
export function grantOperator(deps: OperatorDeps, email: string, actor = "cli"): Promise<StoredOperator> {
  return changeRole(deps, { email, role: "operator", action: "operator.grant", actor });
}

/** Removes the operator role and ends the person's sessions at once. Does nothing if they are not an operator. Throws `user_not_found`. */
export function revokeOperator(deps: OperatorDeps, email: string, actor = "cli"): Promise<StoredOperator> {
  return changeRole(deps, { email, role: "user", action: "operator.revoke", actor });
}

/** All operators, sorted by e-mail. */
export async function listOperators({
  storage: { read, tables },
}: Pick<OperatorDeps, "storage">): Promise<StoredOperator[]> {
  const { users } = tables;
  return read
    .select({ userId: users.id, email: users.email, displayName: users.displayName })
    .from(users)
    .where(eq(users.role, "operator"))
    .orderBy(asc(users.email));
}

/** An invitation that was not used yet. */
export interface Invited {
  email: string;
  invitedAt: Date;
}

/** Allows a person to register where an invitation is required. An existing invitation is kept. Throws 409 `email_taken`. */
export async function invite(deps: OperatorDeps, email: string, actor = "cli"): Promise<Invited> {
  const { storage, clock } = deps;
  const { users, invitations } = storage.tables;
  const address = readEmail(email);
  return storage.transact(async (tx) => {
    const taken = await tx.select({ id: users.id }).from(users).where(eq(users.email, address));
    if (taken.length > 0) {
      throw new AppError("conflict", "email_taken", "An account with this e-mail already exists.");
    }
    const [waiting] = await tx.select().from(invitations).where(eq(invitations.email, address));
    if (waiting !== undefined) return waiting;
    const invitedAt = clock.now();
    await tx.insert(invitations).values({ email: address, invitedAt });
    const entry = { ownerId: null, actor, action: "person.invite", subject: address };
    await writeAudit(deps, tx, invitedAt, entry);
    return { email: address, invitedAt };
  });
}

interface RoleChange {
  email: string;
  role: UserRole;
  action: string;
  actor: string;
}

async function changeRole(
  { storage, clock, newId }: OperatorDeps,
  { email, role, action, actor }: RoleChange,
): Promise<StoredOperator> {
  const { users } = storage.tables;
  const address = readEmail(email);
  return storage.transact(async (tx) => {
    const [user] = await tx.select().from(users).where(eq(users.email, address));
    if (user === undefined) {
      throw new AppError("not_found", "user_not_found", `There is no account with the e-mail ${address}.`, {
        details: { hint: "The person must register first: POST /auth/register." },
      });
    }
    const { id: userId, displayName } = user;
    if (user.role !== role) {
      const now = clock.now();
      await tx.update(users).set({ role }).where(eq(users.id, userId));
      if (role !== "operator") await endSessionsOf(tx, storage.tables, userId, now);
      const entry = { ownerId: null, actor, action, subject: userId, detail: { email: address } };
      await writeAudit({ storage, newId }, tx, now, entry);
    }
    return { userId, email: address, displayName };
  });
}
