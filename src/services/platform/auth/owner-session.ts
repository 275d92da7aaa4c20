import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { SignedIn } from "../../../contracts/platform/auth.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { openSession } from "../../../control-plane/sessions/refresh-tokens.ts";
import type { SessionSource } from "../../../control-plane/sessions/session-source.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AuthDeps } from "./deps.ts";
import { signedInAs } from "./token-pair.ts";

/** Can't be registered, because an e-mail address needs a domain with a dot. */
const ownerEmail = "owner@localhost";

/**
 * Signs in the machine's owner as an operator and creates the account at first use. Its password is random and not kept; access to the
 * control socket identifies the owner.
 */
export async function openOwnerSession(
  deps: AuthDeps,
  source: SessionSource = { client: null, address: null },
): Promise<SignedIn> {
  const { storage, clock, newId } = deps;
  const { users } = storage.tables;
  const byEmail = eq(users.email, ownerEmail);
  const [known] = await storage.read.select({ id: users.id }).from(users).where(byEmail);
  // Hashed before the transaction, which waits only for the database.
  const passwordHash =
    known === undefined ? await deps.passwords.hash(randomBytes(32).toString("base64url")) : "";
  const { opened, user } = await storage.transact(async (tx) => {
    const now = clock.now();
    if (known === undefined) {
      const account = { id: newId(), email: ownerEmail, displayName: "Owner of this machine", passwordHash };
      // Another process may have created it in the meantime.
      await tx
        .insert(users)
        .values({ ...account, role: "operator", createdAt: now })
        .onConflictDoNothing();
    }
    const [owner] = await tx.select().from(users).where(byEmail);
    if (owner === undefined)
      throw new AppError("internal", "owner_missing", "The owner's account is missing.");
    if (owner.role !== "operator") await tx.update(users).set({ role: "operator" }).where(byEmail);
    const entry = { ownerId: null, actor: "cli", action: "owner.sign_in", subject: owner.id };
    await writeAudit(deps, tx, now, entry);
    return { opened: await openSession(deps, tx, owner.id, source), user: owner };
  });
  return signedInAs(deps, opened, { ...user, passwordExpiredAt: null });
}
