import { and, asc, eq, gt, isNull } from "drizzle-orm";
import type {
  AccountLink,
  EmailChangeInput,
  EmailChangeList,
  EmailChangeRequested,
  User,
} from "../../../contracts/platform/auth.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { readEmail } from "../../../kit/text/email-address.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { checkOwnPassword } from "../auth/check-password.ts";
import type { Operator } from "../auth/credentials.ts";
import type { AuthDeps } from "../auth/deps.ts";
import type { Person } from "../auth/find-actor.ts";
import { type LinkMail, type LinkMailPorts, mailLink, mailsLinks } from "../notices/link-mail.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { dropLinks, findLink, linkMs, linkPath, newLinkToken } from "./account-links.ts";
import type { PasswordSender } from "./change-password.ts";
import { getAccount, requireSession } from "./own-account.ts";

/*
 * An address changes in three steps: the person asks for it with their password, the link is sent to the new address, and the person opens
 * the link while signed in. So nobody gets an address that they can't read, and a link that somebody else asked for is useless. If the
 * installation mails links, it sends the link at once; otherwise an operator does.
 */

/** Time for which a request waits for an operator. */
const requestMs = 7 * 86_400_000;

/** Requests that the operators' list shows. */
const shownMax = 500;

/**
 * Asks for another e-mail address; an earlier request of the person ends. Throws 403 `wrong_password`, or 400 `email_unchanged`. The answer
 * doesn't tell whether the address belongs to another account.
 */
export async function requestEmail(
  deps: AuthDeps & LinkMailPorts,
  person: Person,
  input: EmailChangeInput,
  { signal, ...sender }: PasswordSender,
): Promise<EmailChangeRequested> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { userId } = person;
  const email = readEmail(input.email);
  const { user, settle } = await checkOwnPassword(deps, userId, sender, { password: input.current, signal });
  if (email === user.email) throw new AppError("invalid", "email_unchanged", "This is your address already.");
  const requestedAt = clock.now();
  const mailed = mailsLinks(deps);
  const expiresAt = new Date(requestedAt.getTime() + (mailed ? linkMs : requestMs));
  const { token, tokenHash } = newLinkToken("email");
  await storage.transact(async (tx) => {
    await settle(tx);
    await requireSession(tx, tables, person);
    if (mailed) await requirePause(tx, tables, userId, requestedAt);
    await dropLinks(tx, tables, userId, "email");
    await tx.insert(tables.accountLinks).values({
      userId,
      purpose: "email",
      email,
      tokenHash: mailed ? tokenHash : null,
      requestedAt,
      expiresAt,
    });
    // Nothing is sent to another account's address, and the answer doesn't tell.
    if (mailed && (await isFree(tx, tables, email)))
      await mailLink(deps, tx, tables, emailMail(email, token, expiresAt), requestedAt);
    const entry = {
      ownerId: null,
      actor: `user:${userId}`,
      action: "person.email_request",
      subject: userId,
      detail: { email },
    };
    await writeAudit(deps, tx, requestedAt, entry);
  });
  return { email, expires_at: expiresAt.toISOString(), mailed };
}

const emailMail = (to: string, token: string, expiresAt: Date): LinkMail => ({
  to,
  subject: "Argosy: confirm your e-mail address",
  path: linkPath("email", token),
  text: "Somebody asked to use this address for an account of Argosy. If it was you, sign in and open this link:",
  expiresAt,
});

/** Time between two e-mails that one person asks for. */
const pauseMs = 60_000;

/** Throws 429 `email_requested_lately`: a person could otherwise have any number of e-mails sent to strangers. */
async function requirePause(
  tx: ReadQuery,
  { accountLinks }: PlatformTables,
  userId: string,
  now: Date,
): Promise<void> {
  const [last] = await tx
    .select({ at: accountLinks.requestedAt })
    .from(accountLinks)
    .where(and(eq(accountLinks.userId, userId), eq(accountLinks.purpose, "email")));
  const waitMs = last === undefined ? 0 : last.at.getTime() + pauseMs - now.getTime();
  if (waitMs > 0)
    throw new AppError("rate_limited", "email_requested_lately", "An e-mail was sent to you a moment ago.", {
      details: { retryAfterSeconds: Math.ceil(waitMs / 1000) },
    });
}

/** Changes of addresses that were asked for, the oldest first. */
export async function listEmailChanges({
  storage: { read, tables },
  clock,
}: StoreDeps): Promise<EmailChangeList> {
  const { accountLinks, users } = tables;
  const rows = await read
    .select({ link: accountLinks, present: users.email })
    .from(accountLinks)
    .innerJoin(users, eq(users.id, accountLinks.userId))
    .where(and(eq(accountLinks.purpose, "email"), gt(accountLinks.expiresAt, clock.now())))
    .orderBy(asc(accountLinks.requestedAt), asc(accountLinks.userId))
    .limit(shownMax);
  return {
    changes: rows.map(({ link, present }) => ({
      user_id: link.userId,
      email: present,
      new_email: link.email ?? "",
      requested_at: link.requestedAt.toISOString(),
      expires_at: link.expiresAt.toISOString(),
    })),
  };
}

/** Issues the link for a change of address; an earlier one no longer works. Throws 404, or 409 `email_taken`. */
export async function issueEmailLink(
  deps: StoreDeps & LinkMailPorts,
  { actor }: Operator,
  userId: string,
): Promise<AccountLink> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { accountLinks } = tables;
  const { token, tokenHash } = newLinkToken("email");
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + linkMs);
  const email = await storage.transact(async (tx) => {
    const [request] = await tx
      .update(accountLinks)
      .set({ tokenHash, expiresAt })
      .where(
        and(
          eq(accountLinks.userId, userId),
          eq(accountLinks.purpose, "email"),
          gt(accountLinks.expiresAt, now),
        ),
      )
      .returning({ email: accountLinks.email });
    if (request === undefined || request.email === null)
      throw new AppError(
        "not_found",
        "not_found",
        "This person asked for no change of their e-mail address.",
      );
    await requireFree(tx, tables, request.email);
    await mailLink(deps, tx, tables, emailMail(request.email, token, expiresAt), now);
    const detail = { email: request.email };
    const entry = { ownerId: null, actor, action: "person.email_link", subject: userId, detail };
    await writeAudit(deps, tx, now, entry);
    return request.email;
  });
  return {
    user_id: userId,
    email,
    token,
    path: linkPath("email", token),
    expires_at: expiresAt.toISOString(),
    mailed: mailsLinks(deps),
  };
}

/**
 * Gives the person the address of a link. Links for their old address no longer work. Throws 404 `link_not_found` for a link of somebody
 * else too, or 409 `email_taken`.
 */
export async function confirmEmail(deps: StoreDeps, person: Person, token: string): Promise<User> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { users } = tables;
  const { userId } = person;
  return storage.transact(async (tx) => {
    const now = clock.now();
    const { email } = await findLink(tx, tables, { purpose: "email", token, userId }, now);
    const { id, displayName, email: before } = await getAccount(tx, tables, userId);
    await requireFree(tx, tables, email ?? "");
    await tx
      .update(users)
      .set({ email: email ?? before })
      .where(eq(users.id, userId));
    await dropLinks(tx, tables, userId);
    const detail = { from: before, to: email };
    const entry = { ownerId: null, actor: `user:${userId}`, action: "person.email", subject: userId, detail };
    await writeAudit(deps, tx, now, entry);
    return { id, email: email ?? before, displayName };
  });
}

async function isFree(query: ReadQuery, { users }: PlatformTables, email: string): Promise<boolean> {
  const taken = await query
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.email, email), isNull(users.deletedAt)));
  return taken.length === 0;
}

async function requireFree(query: ReadQuery, tables: PlatformTables, email: string): Promise<void> {
  if (!(await isFree(query, tables, email)))
    throw new AppError("conflict", "email_taken", "An account with this e-mail already exists.");
}
