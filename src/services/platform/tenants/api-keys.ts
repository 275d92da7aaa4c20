import { randomBytes } from "node:crypto";
import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import type { KeyInput, KeyList, NewKey } from "../../../contracts/platform/tenants.ts";
import { readFuture } from "../../../http/read-instant.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Person } from "../auth/find-actor.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { auditForeign, getOwnTenant } from "./own-tenant.ts";

/** Limit for the active keys of a tenant. */
const keysMax = 100;

/** Creates a key for the tenant. The key itself is returned only once. Throws 409 `key_limit_reached`. */
export async function createKey(
  deps: StoreDeps,
  person: Person,
  tenantId: string,
  input: KeyInput,
): Promise<NewKey> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const label = input.label.trim();
  const rawKey = `apk_${randomBytes(32).toString("base64url")}`;
  const hash = credentialDigest(rawKey);
  const createdAt = clock.now();
  const expiresAt = readFuture("expires_at", input.expires_at, createdAt) ?? null;
  await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "keys");
    if ((await tx.$count(tables.apiKeys, activeOf(tables.apiKeys, tenantId, createdAt))) >= keysMax) {
      const message = `A tenant may have ${keysMax} active keys. Revoke one first.`;
      throw new AppError("conflict", "key_limit_reached", message);
    }
    await tx.insert(tables.apiKeys).values({
      hash,
      tenantId,
      label,
      createdBy: person.userId,
      createdAt,
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    await auditForeign(tx, deps, person, tenant, { action: "key.create", subject: hash, detail: { label } });
  });
  return { rawKey, label, hash };
}

/** Keys that are neither revoked nor expired. */
const activeOf = (apiKeys: PlatformTables["apiKeys"], tenantId: string, now: Date) =>
  and(
    eq(apiKeys.tenantId, tenantId),
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
  );

/** Active keys, newest first. */
export async function listKeys(
  { storage, clock }: StoreDeps,
  person: Person,
  tenantId: string,
): Promise<KeyList> {
  const { read, tables } = storage;
  const { apiKeys, users } = tables;
  await getOwnTenant(read, tables, person, tenantId, "read");
  const rows = await read
    .select({ key: apiKeys, maker: users.email })
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.createdBy))
    .where(activeOf(apiKeys, tenantId, clock.now()))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.hash));
  return {
    keys: rows.map(({ key: { hash, label, createdAt, expiresAt, lastUsedAt }, maker }) => ({
      hash,
      label,
      created_by: maker,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  };
}

/** Revokes a key at once. Its past actions keep its name. */
export async function revokeKey(
  deps: StoreDeps,
  person: Person,
  tenantId: string,
  hash: string,
): Promise<void> {
  const { storage, clock } = deps;
  const { tables } = storage;
  const { apiKeys } = tables;
  await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "keys");
    const revoked = await tx
      .update(apiKeys)
      .set({ revokedAt: clock.now() })
      .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt)))
      .returning({ hash: apiKeys.hash });
    if (revoked.length === 0) throw new AppError("not_found", "not_found", "There is no such key.");
    await auditForeign(tx, deps, person, tenant, { action: "key.revoke", subject: hash });
  });
}

/** Revokes the active keys that a person made in a tenant, and returns their hashes. */
export async function revokeKeysOf(
  tx: Query,
  { apiKeys }: PlatformTables,
  tenantId: string,
  userId: string,
  now: Date,
): Promise<string[]> {
  const revoked = await tx
    .update(apiKeys)
    .set({ revokedAt: now })
    .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.createdBy, userId), isNull(apiKeys.revokedAt)))
    .returning({ hash: apiKeys.hash });
  return revoked.map(({ hash }) => hash);
}
