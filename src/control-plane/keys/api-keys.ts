import { randomBytes } from "node:crypto";
import { and, eq, gt, isNull, or, type SQL } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { AppError } from "../../kit/app-error.ts";
import { credentialDigest } from "../../kit/credential-digest.ts";
import type { Query } from "../../storage/storage.ts";

/** Limit for the active keys of a tenant or an org. */
const keysMax = 100;

/** The API keys of one owner: a tenant or an org. */
export interface OwnersKeys {
  apiKeys: PgTable & Record<"createdBy" | "expiresAt" | "revokedAt", AnyPgColumn>;
  /** Column by which a key is named in lists and requests. */
  named: AnyPgColumn;
  /** Column of the owner. */
  owner: AnyPgColumn;
  ownerId: string;
}

/** Creates the secret of a new key, which is shown once, and its digest to store. */
export function newKey(prefix: "apk_" | "ask-"): { secret: string; hash: string } {
  const secret = `${prefix}${randomBytes(32).toString("base64url")}`;
  return { secret, hash: credentialDigest(secret) };
}

/** Keys that are neither revoked nor expired. */
export const activeKeys = (
  { apiKeys, owner, ownerId }: Omit<OwnersKeys, "named">,
  now: Date,
): SQL | undefined =>
  and(
    eq(owner, ownerId),
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
  );

/** Throws 409 `key_limit_reached` if the owner may have no further key. `who` is "A tenant" or "An org". */
export async function requireFreeKey(tx: Query, keys: OwnersKeys, now: Date, who: string): Promise<void> {
  if ((await tx.$count(keys.apiKeys, activeKeys(keys, now))) < keysMax) return;
  throw new AppError(
    "conflict",
    "key_limit_reached",
    `${who} may have ${keysMax} active keys. Revoke one first.`,
  );
}

/** The part of a key in lists that all services have. */
export const presentKeyUse = (
  { createdAt, expiresAt, lastUsedAt }: { createdAt: Date; expiresAt: Date | null; lastUsedAt: Date | null },
  /** E-mail address of the person who made it. */
  maker: string | null,
) => ({
  created_by: maker,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
  last_used_at: lastUsedAt?.toISOString() ?? null,
});

/** Revokes a key at once. Throws 404. */
export async function revokeNamed(tx: Query, keys: OwnersKeys, name: string, now: Date): Promise<void> {
  const revoked = await revokeKeys(tx, keys, eq(keys.named, name), now);
  if (revoked.length === 0) throw new AppError("not_found", "not_found", "There is no such key.");
}

/** Revokes the active keys that a person made, and returns their names. */
export const revokeKeysOf = (tx: Query, keys: OwnersKeys, userId: string, now: Date): Promise<string[]> =>
  revokeKeys(tx, keys, eq(keys.apiKeys.createdBy, userId), now);

async function revokeKeys(
  tx: Query,
  { apiKeys, named, owner, ownerId }: OwnersKeys,
  which: SQL,
  now: Date,
): Promise<string[]> {
  const revoked = await tx
    .update(apiKeys)
    .set({ revokedAt: now } as never)
    .where(and(eq(owner, ownerId), which, isNull(apiKeys.revokedAt)))
    .returning({ name: named });
  return revoked.map(({ name }) => String(name));
}
