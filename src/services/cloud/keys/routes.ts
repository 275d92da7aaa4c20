import { randomBytes } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { and, desc, eq, isNull } from "drizzle-orm";
import { Elysia } from "elysia";
import { CloudKeyInput, CloudKeyList, NewCloudKey } from "../../../contracts/cloud/keys.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { credentialDigest } from "../../../kit/credential-digest.ts";
import { limitChanges } from "../access/change-limit.ts";
import { type OrgActor, orgCredential, requireManager } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { lockOrg } from "../access/lock-org.ts";
import { changeBy, writeAudit } from "../audit/write-audit.ts";
import type { StoreDeps } from "../tables.ts";

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

async function createKey(deps: StoreDeps, actor: OrgActor, input: CloudKeyInput): Promise<NewCloudKey> {
  requireManager(actor);
  const { storage, clock, newId } = deps;
  const { apiKeys } = storage.tables;
  const secret = `ask-${randomBytes(32).toString("base64url")}`;
  const [id, name, createdAt] = [newId(), input.name.trim(), clock.now()];
  await storage.transact(async (tx) => {
    await lockOrg(tx, storage.tables, actor.org.id);
    const active = and(eq(apiKeys.orgId, actor.org.id), isNull(apiKeys.revokedAt));
    if ((await tx.$count(apiKeys, active)) >= keysMax) {
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
      lastUsedAt: null,
      revokedAt: null,
    });
    await writeAudit(deps, tx, createdAt, changeBy(actor, "key.create", id, { name }));
  });
  return { id, name, secret, created_at: createdAt.toISOString() };
}

async function listKeys({ storage }: StoreDeps, { org }: OrgActor): Promise<CloudKeyList> {
  const { apiKeys } = storage.tables;
  const rows = await storage.read
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.orgId, org.id), isNull(apiKeys.revokedAt)))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
  return {
    keys: rows.map(({ id, name, prefix, createdAt, lastUsedAt }) => ({
      id,
      name,
      prefix,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    })),
  };
}

async function revokeKey(deps: StoreDeps, actor: OrgActor, id: string): Promise<void> {
  requireManager(actor);
  const { storage, clock } = deps;
  const { apiKeys } = storage.tables;
  const revokedAt = clock.now();
  await storage.transact(async (tx) => {
    const revoked = await tx
      .update(apiKeys)
      .set({ revokedAt })
      .where(and(eq(apiKeys.orgId, actor.org.id), eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
      .returning({ id: apiKeys.id });
    if (revoked.length === 0) throw new AppError("not_found", "not_found", "There is no such key.");
    await writeAudit(deps, tx, revokedAt, changeBy(actor, "key.revoke", id));
  });
}
