import { randomBytes } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { and, desc, eq, gt, isNull, or } from "drizzle-orm";
import { Elysia } from "elysia";
import { CloudKeyInput, CloudKeyList, NewCloudKey } from "../../../contracts/cloud/keys.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { readFuture } from "../../../http/read-instant.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { limitChanges } from "../access/change-limit.ts";
import { type OrgActor, orgCredential, requireManager } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { lockFor } from "../access/lock-org.ts";
import { changeBy, writeAudit } from "../audit/write-audit.ts";
import { limitOrgStorage } from "../room/org-room.ts";
import type { CloudTables, StoreDeps } from "../tables.ts";

const tags = ["keys"];
/** Of the secret, with `ask-`. */
const prefixLength = 12;
/** Limit for the active keys of an org. */
const keysMax = 100;

/** Routes for an org's API keys. */
export const keyRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/keys" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .derive(limitOrgStorage(deps))
    .get("", async ({ actor }) => listKeys(deps, actor), {
      response: CloudKeyList,
      detail: { tags, operationId: "listKeys", summary: "Active API keys, newest first" },
    })
    .post(
      "",
      async ({ actor, body, set }) => {
        const created = await createKey(deps, actor, body);
        set.status = 201;
        return created;
      },
      {
        ...jsonBody(CloudKeyInput),
        response: { 201: NewCloudKey },
        detail: { tags, operationId: "createKey", summary: "Makes an API key, shown this once" },
      },
    )
    .delete(
      "/:keyId",
      async ({ actor, params, set }) => {
        await revokeKey(deps, actor, params.keyId);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "revokeKey", summary: "Stops an API key at once" },
      },
    );

async function createKey(deps: StoreDeps, caller: OrgActor, input: CloudKeyInput): Promise<NewCloudKey> {
  requireManager(caller);
  const { storage, clock, newId } = deps;
  const { apiKeys } = storage.tables;
  const secret = `ask-${randomBytes(32).toString("base64url")}`;
  const [id, name, createdAt] = [newId(), input.name.trim(), clock.now()];
  const expiresAt = readFuture("expires_at", input.expires_at, createdAt) ?? null;
  await storage.transact(async (tx) => {
    const actor = await lockFor(tx, storage.tables, caller);
    requireManager(actor);
    if ((await tx.$count(apiKeys, activeOf(apiKeys, actor.org.id, createdAt))) >= keysMax) {
      const message = `An org may have ${keysMax} active keys. Revoke one first.`;
      throw new AppError("conflict", "key_limit_reached", message);
    }
    await tx.insert(apiKeys).values({
      hash: credentialDigest(secret),
      id,
      orgId: actor.org.id,
      name,
      prefix: secret.slice(0, prefixLength),
      createdBy: actor.userId,
      createdAt,
      expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    });
    await writeAudit(deps, tx, createdAt, changeBy(actor, "key.create", id, { name }));
  });
  return {
    id,
    name,
    secret,
    created_at: createdAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  };
}

/** Keys that are neither revoked nor expired. */
const activeOf = (apiKeys: CloudTables["apiKeys"], orgId: string, now: Date) =>
  and(
    eq(apiKeys.orgId, orgId),
    isNull(apiKeys.revokedAt),
    or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now)),
  );

async function listKeys({ storage, clock }: StoreDeps, { org }: OrgActor): Promise<CloudKeyList> {
  const { apiKeys, users } = storage.tables;
  const rows = await storage.read
    .select({ key: apiKeys, maker: users.email })
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.createdBy))
    .where(activeOf(apiKeys, org.id, clock.now()))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
  return {
    keys: rows.map(({ key: { id, name, prefix, createdAt, expiresAt, lastUsedAt }, maker }) => ({
      id,
      name,
      prefix,
      created_by: maker,
      created_at: createdAt.toISOString(),
      expires_at: expiresAt?.toISOString() ?? null,
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  };
}

async function revokeKey(deps: StoreDeps, caller: OrgActor, id: string): Promise<void> {
  requireManager(caller);
  const { storage, clock } = deps;
  const { apiKeys } = storage.tables;
  const revokedAt = clock.now();
  await storage.transact(async (tx) => {
    const actor = await lockFor(tx, storage.tables, caller);
    requireManager(actor);
    const revoked = await tx
      .update(apiKeys)
      .set({ revokedAt })
      .where(and(eq(apiKeys.orgId, actor.org.id), eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
      .returning({ id: apiKeys.id });
    if (revoked.length === 0) throw new AppError("not_found", "not_found", "There is no such key.");
    await writeAudit(deps, tx, revokedAt, changeBy(actor, "key.revoke", id));
  });
}
