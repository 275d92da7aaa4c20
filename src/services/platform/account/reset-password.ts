import { randomBytes } from "node:crypto";
import { and, eq, isNull } from "drizzle-orm";
import type { AccountLink, PasswordReset } from "../../../contracts/platform/auth.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import type { AuthDeps } from "../auth/deps.ts";
import { type LinkMailPorts, mailLink, mailsLinks } from "../notices/link-mail.ts";
import { linkMs, linkPath, newLinkToken } from "./account-links.ts";
import { setPassword } from "./set-password.ts";

interface Reset {
  email: string;
  requestId: string;
  signal: AbortSignal;
}

/**
 * Replaces a person's password by a link with which they choose the next one. Their sessions end, and the old password no longer works.
 * Throws 404 `user_not_found`.
 */
export async function issuePasswordLink(
  deps: AuthDeps & LinkMailPorts,
  operator: Operator,
  reset: Reset,
): Promise<AccountLink> {
  const { tables } = deps.storage;
  const { token, tokenHash } = newLinkToken("password");
  // Nobody knows this password.
  const unknown = { password: randomBytes(32).toString("base64url"), isExpired: false };
  const audited = { action: "person.password_link" };
  const replaced = await replacePassword(deps, operator, reset, unknown, audited, async (tx, userId, now) => {
    const expiresAt = new Date(now.getTime() + linkMs);
    const link = { userId, purpose: "password" as const, email: null, tokenHash };
    await tx.insert(tables.accountLinks).values({ ...link, requestedAt: now, expiresAt });
    await mailLink(
      deps,
      tx,
      tables,
      {
        to: readEmail(reset.email),
        subject: "Argosy: choose a password",
        path: linkPath("password", token),
        text: "An operator of Argosy asks you to choose a new password. Open this link:",
        expiresAt,
      },
      now,
    );
  });
  return {
    user_id: replaced.userId,
    email: replaced.email,
    token,
    path: linkPath("password", token),
    expires_at: new Date(replaced.at.getTime() + linkMs).toISOString(),
    mailed: mailsLinks(deps),
  };
}

/**
 * Gives a person a new password, which they must change at the next sign-in. Their sessions end. Throws 404 `user_not_found`.
 */
export async function resetPassword(
  deps: AuthDeps,
  operator: Operator,
  reset: Reset,
): Promise<PasswordReset> {
  const password = newPassword();
  const audited = { action: "person.password_reset" };
  const { userId, email } = await replacePassword(
    deps,
    operator,
    reset,
    { password, isExpired: true },
    audited,
  );
  return { user_id: userId, email, password };
}

async function replacePassword(
  deps: AuthDeps,
  { actor }: Operator,
  { email, requestId, signal }: Reset,
  { password, isExpired }: { password: string; isExpired: boolean },
  { action }: { action: string },
  further: (tx: Query, userId: string, now: Date) => Promise<void> = async () => {},
): Promise<{ userId: string; email: string; at: Date }> {
  const { storage, clock, passwords } = deps;
  const { read, tables } = storage;
  const { users } = tables;
  const address = readEmail(email);
  const [user] = await read
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, address), isNull(users.deletedAt)));
  if (user === undefined) {
    throw new AppError("not_found", "user_not_found", `There is no account with the e-mail ${address}.`, {
      details: { hint: "Check the address, or invite the person: `argosy platform invite <email>`." },
    });
  }
  const userId = user.id;
  // Hashed before the transaction, which waits only for the database.
  const passwordHash = await passwords.hash(password, { signal });
  const at = clock.now();
  await storage.transact(async (tx) => {
    await setPassword(tx, tables, { userId, passwordHash, isExpired }, at);
    await further(tx, userId, at);
    const entry = { ownerId: null, actor, action, subject: userId, detail: { email: address } };
    await writeAudit(deps, tx, at, { ...entry, requestId });
  });
  return { userId, email: address, at };
}

/** 32 characters that nobody mistakes for one another. */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";

/** Returns a random password of 100 bits, in four groups that are easy to read out. */
function newPassword(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(20))].map((byte) => alphabet[byte % 32]);
  return [0, 5, 10, 15].map((at) => letters.slice(at, at + 5).join("")).join("-");
}
