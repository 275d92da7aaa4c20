import { desc, eq } from "drizzle-orm";
import type { KeyInput, KeyList, NewKey } from "../../../contracts/platform/keys.ts";
import {
  activeKeys,
  newKey,
  type OwnersKeys,
  presentKeyUse,
  requireFreeKey,
  revokeNamed,
} from "../../../control-plane/keys/api-keys.ts";
import { readFuture } from "../../../http/read-instant.ts";
import type { Person } from "../auth/find-actor.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { auditForeign, getOwnTenant } from "./own-tenant.ts";

/** The keys of a tenant, which are named by their hashes. */
export const keysOf = ({ apiKeys }: Pick<PlatformTables, "apiKeys">, tenantId: string): OwnersKeys => ({
  apiKeys,
  named: apiKeys.hash,
  owner: apiKeys.tenantId,
  ownerId: tenantId,
});

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
  const { secret: rawKey, hash } = newKey("apk_");
  const createdAt = clock.now();
  const expiresAt = readFuture("expires_at", input.expires_at, createdAt) ?? null;
  await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "keys");
    await requireFreeKey(tx, keysOf(tables, tenantId), createdAt, "A tenant");
    await tx.insert(tables.apiKeys).values({
      hash,
      tenantId,
      label,
      createdBy: person.userId,
      createdAt,
      expiresAt,
      lastUsedAt: null,
      role: input.role ?? null,
      revokedAt: null,
    });
    await auditForeign(tx, deps, person, tenant, { action: "key.create", subject: hash, detail: { label } });
  });
  return { rawKey, label, hash };
}

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
    .where(activeKeys(keysOf(tables, tenantId), clock.now()))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.hash));
  return {
    keys: rows.map(({ key, maker }) => ({
      hash: key.hash,
      label: key.label,
      role: key.role,
      ...presentKeyUse(key, maker),
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
  await storage.transact(async (tx) => {
    const tenant = await getOwnTenant(tx, tables, person, tenantId, "keys");
    await revokeNamed(tx, keysOf(tables, tenantId), hash, clock.now());
    await auditForeign(tx, deps, person, tenant, { action: "key.revoke", subject: hash });
  });
}
