import { randomBytes } from "node:crypto";
import { and, desc, eq, isNull } from "drizzle-orm";
import type { KeyInput, KeyList, NewKey } from "../../../contracts/platform/tenants.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import type { Person } from "../auth/find-actor.ts";
import type { StoreDeps } from "../tables.ts";
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
  await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "keys");
    const active = and(eq(tables.apiKeys.tenantId, tenantId), isNull(tables.apiKeys.revokedAt));
    if ((await tx.$count(tables.apiKeys, active)) >= keysMax) {
      const message = `A tenant may have ${keysMax} active keys. Revoke one first.`;
      throw new AppError("conflict", "key_limit_reached", message);
    }
    await tx.insert(tables.apiKeys).values({
      hash,
      tenantId,
      label,
      createdBy: person.userId,
      createdAt: clock.now(),
      lastUsedAt: null,
      revokedAt: null,
    });
    await auditForeign(tx, deps, person, tenant, { action: "key.create", subject: hash, detail: { label } });
  });
  return { rawKey, label, hash };
}

/** Active keys, newest first. */
export async function listKeys({ storage }: StoreDeps, person: Person, tenantId: string): Promise<KeyList> {
  const { read, tables } = storage;
  const { apiKeys } = tables;
  await getOwnTenant(read, tables, person, tenantId, "read");
  const rows = await read
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), isNull(apiKeys.revokedAt)))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.hash));
  return {
    keys: rows.map(({ hash, label, createdAt, lastUsedAt }) => ({
      hash,
      label,
      created_at: createdAt.toISOString(),
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
