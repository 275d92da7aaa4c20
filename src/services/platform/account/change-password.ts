import type { PasswordChange, PasswordLinkUse, SignedIn } from "../../../contracts/platform/auth.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { openSession } from "../../../control-plane/sessions/refresh-tokens.ts";
import type { SessionSource } from "../../../control-plane/sessions/session-source.ts";
import { addressGroup } from "../../../http/front-door/caller-address.ts";
import { AppError } from "../../../kit/app-error.ts";
import { checkOwnPassword } from "../auth/check-password.ts";
import type { AuthDeps } from "../auth/deps.ts";
import type { Person } from "../auth/find-actor.ts";
import { noteAddress, type SignInAttempt } from "../auth/sign-in-throttle.ts";
import { signedInAs } from "../auth/token-pair.ts";
import { findLink } from "./account-links.ts";
import { getAccount, requireSession } from "./own-account.ts";
import { setPassword } from "./set-password.ts";

/** The sender of a password, for the limits on guessing. */
export type PasswordSender = Omit<SignInAttempt, "email"> & { signal: AbortSignal };

/**
 * Changes the person's own password and ends their other sessions. Throws 403 `wrong_password`, or 400 `password_unchanged`. Wrong ones
 * count as failed sign-ins.
 */
export async function changePassword(
  deps: AuthDeps,
  person: Person,
  { current, new: password }: PasswordChange,
  { signal, ...sender }: PasswordSender,
): Promise<void> {
  const { storage, clock, passwords } = deps;
  const { tables } = storage;
  const { userId } = person;
  const { settle } = await checkOwnPassword(deps, userId, sender, { password: current, signal });
  if (password === current) {
    throw new AppError("invalid", "password_unchanged", "The new password is the current one.");
  }
  // Hashed before the transaction, which waits only for the database.
  const passwordHash = await passwords.hash(password, { owner: addressGroup(sender.address), signal });
  await storage.transact(async (tx) => {
    const now = clock.now();
    await settle(tx);
    await requireSession(tx, tables, person);
    await setPassword(tx, tables, { userId, passwordHash, keptSession: person.sessionId }, now);
    const entry = { ownerId: null, actor: `user:${userId}`, action: "person.password", subject: userId };
    await writeAudit(deps, tx, now, entry);
  });
}

/** Sets the password of a link's account and signs the person in. Throws 404 `link_not_found`. */
export async function useLink(
  deps: AuthDeps,
  { token, password }: PasswordLinkUse,
  { signal, ...sender }: PasswordSender,
  source: SessionSource,
): Promise<SignedIn> {
  const { storage, clock, passwords } = deps;
  const { tables, read } = storage;
  // Hashing is expensive, so unknown links are refused first.
  await findLink(read, tables, { purpose: "password", token }, clock.now());
  const passwordHash = await passwords.hash(password, { owner: addressGroup(sender.address), signal });
  const { opened, user } = await storage.transact(async (tx) => {
    const now = clock.now();
    const { userId } = await findLink(tx, tables, { purpose: "password", token }, now);
    const user = await getAccount(tx, tables, userId);
    await setPassword(tx, tables, { userId, passwordHash }, now);
    await noteAddress(tx, tables, { ...sender, email: user.email }, now);
    const entry = { ownerId: null, actor: `user:${userId}`, action: "person.password", subject: userId };
    await writeAudit(deps, tx, now, { ...entry, detail: { by: "link" } });
    return { opened: await openSession(deps, tx, userId, source), user };
  });
  return signedInAs(deps, opened, { ...user, passwordExpiredAt: null });
}
