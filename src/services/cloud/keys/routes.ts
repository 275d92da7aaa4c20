import { Type } from "@sinclair/typebox";
import { desc, eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { CloudKeyInput, CloudKeyList, NewCloudKey } from "../../../contracts/cloud/keys.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import {
  activeKeys,
  newKey,
  presentKeyUse,
  requireFreeKey,
  revokeNamed,
} from "../../../control-plane/keys/api-keys.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { readFuture } from "../../../http/read-instant.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { limitChanges } from "../access/change-limit.ts";
import { type OrgActor, orgCredential, requireManager } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { lockFor } from "../access/lock-org.ts";
import { changeBy } from "../audit/change-by.ts";
import { limitOrgStorage } from "../room/org-room.ts";
import type { CloudStoreDeps } from "../tables.ts";
import { keysOf } from "./keys-of.ts";

const tags = ["keys"];
/** Of the secret, with `ask-`. */
const prefixLength = 12;

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

async function createKey(deps: CloudStoreDeps, caller: OrgActor, input: CloudKeyInput): Promise<NewCloudKey> {
  requireManager(caller);
  const { storage, clock, newId } = deps;
  const { apiKeys } = storage.tables;
  const { secret, hash } = newKey("ask-");
  const [id, name, createdAt] = [newId(), input.name.trim(), clock.now()];
  const expiresAt = readFuture("expires_at", input.expires_at, createdAt) ?? null;
  await storage.transact(async (tx) => {
    const actor = await lockFor(tx, storage.tables, caller);
    requireManager(actor);
    await requireFreeKey(tx, keysOf(storage.tables, actor.org.id), createdAt, "An org");
    await tx.insert(apiKeys).values({
      hash,
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

async function listKeys({ storage, clock }: CloudStoreDeps, { org }: OrgActor): Promise<CloudKeyList> {
  const { apiKeys, users } = storage.tables;
  const rows = await storage.read
    .select({ key: apiKeys, maker: users.email })
    .from(apiKeys)
    .leftJoin(users, eq(users.id, apiKeys.createdBy))
    .where(activeKeys(keysOf(storage.tables, org.id), clock.now()))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id));
  return {
    keys: rows.map(({ key, maker }) => ({
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      ...presentKeyUse(key, maker),
    })),
  };
}

async function revokeKey(deps: CloudStoreDeps, caller: OrgActor, id: string): Promise<void> {
  requireManager(caller);
  const { storage, clock } = deps;
  const revokedAt = clock.now();
  await storage.transact(async (tx) => {
    const actor = await lockFor(tx, storage.tables, caller);
    requireManager(actor);
    await revokeNamed(tx, keysOf(storage.tables, actor.org.id), id, revokedAt);
    await writeAudit(deps, tx, revokedAt, changeBy(actor, "key.revoke", id));
  });
}
