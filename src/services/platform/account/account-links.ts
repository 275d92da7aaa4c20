import { randomBytes } from "node:crypto";
import { and, eq, gt, lte } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { LinkPurpose } from "../auth/schema.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

/*
 * Links by which a person sets a password or confirms an e-mail address. The platform sends no e-mail, so an operator passes them on. Only a
 * token's hash is stored; a token works once, and a newer link of its kind replaces it.
 */

/** Time for which a link works. */
export const linkMs = 24 * 3_600_000;

const prefixes: Readonly<Record<LinkPurpose, string>> = { password: "pwd_", email: "eml_" };

/** Makes the secret of a link, which is shown once. It begins with a letter, because it may be an argument of a command. */
export function newLinkToken(purpose: LinkPurpose): { token: string; tokenHash: string } {
  const token = `${prefixes[purpose]}${randomBytes(32).toString("base64url")}`;
  return { token, tokenHash: credentialDigest(token) };
}

/** Path of the console for a link. Browsers never send the part after `#`. */
export const linkPath = (purpose: LinkPurpose, token: string): string =>
  purpose === "password" ? `/platform#password=${token}` : `/platform/account#email=${token}`;

/** Returns the row of a token that works, for one person if `userId` is given. Throws 404 `link_not_found`. */
export async function findLink(
  query: ReadQuery,
  { accountLinks }: PlatformTables,
  { purpose, token, userId }: { purpose: LinkPurpose; token: string; userId?: string },
  now: Date,
) {
  const [row] = await query
    .select()
    .from(accountLinks)
    .where(
      and(
        eq(accountLinks.tokenHash, credentialDigest(token)),
        eq(accountLinks.purpose, purpose),
        userId === undefined ? undefined : eq(accountLinks.userId, userId),
        gt(accountLinks.expiresAt, now),
      ),
    );
  if (row !== undefined) return row;
  throw new AppError("not_found", "link_not_found", "This link is unknown, used, replaced or expired.", {
    details: { hint: "A link works once and for 24 hours. Ask an operator for another one." },
  });
}

/** Deletes the links of a person, of one kind or of all. */
export async function dropLinks(
  tx: Query,
  { accountLinks }: PlatformTables,
  userId: string,
  purpose?: LinkPurpose,
): Promise<void> {
  const ofKind = purpose === undefined ? undefined : eq(accountLinks.purpose, purpose);
  await tx.delete(accountLinks).where(and(eq(accountLinks.userId, userId), ofKind));
}

/** Deletes links and requests that have expired. */
export async function dropExpiredLinks({
  storage,
  clock,
}: Pick<StoreDeps, "storage" | "clock">): Promise<void> {
  const { accountLinks } = storage.tables;
  await deleteInPieces(storage, accountLinks, lte(accountLinks.expiresAt, clock.now()));
}
