import { Type } from "@sinclair/typebox";
import { and, desc, eq, isNull } from "drizzle-orm";
import { Elysia } from "elysia";
import { KeyInput, KeyList, NewKey } from "../../../contracts/platform/keys.ts";
import { OwnTenantList } from "../../../contracts/platform/members.ts";
import { Tenant, TenantInput } from "../../../contracts/platform/tenants.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { personCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import type { Person } from "../auth/find-actor.ts";
import type { StoreDeps } from "../tables.ts";
import { createKey, listKeys, revokeKey } from "./api-keys.ts";
import { createTenant } from "./create-tenant.ts";
import { deleteTenant, type ForgetTenant } from "./delete-tenant.ts";
import { limitPersonWrites } from "./management-limit.ts";
import { auditForeign, getOwnTenant } from "./own-tenant.ts";

const tags = ["tenants"];

/** People's routes for tenants and their keys. */
export const tenantRoutes = (deps: CredentialDeps, forget: ForgetTenant) =>
  new Elysia({ prefix: "/api/v1/tenants" })
    .use(jsonRoutes())
    .use(personCredential(deps))
    .derive(limitPersonWrites(deps))
    .post(
      "",
      async ({ person, body, set }) => {
        set.status = 201;
        return createTenant(deps, person, body);
      },
      {
        ...jsonBody(TenantInput),
        response: { 201: Tenant },
        detail: { tags, operationId: "createTenant", summary: "Creates a tenant" },
      },
    )
    .get("", async ({ person }) => listTenants(deps, person.userId), {
      response: OwnTenantList,
      detail: {
        tags,
        operationId: "listTenants",
        summary: "Lists the tenants that the person is a member of, newest first",
      },
    })
    .patch("/:id", async ({ person, params, body }) => renameTenant(deps, person, params.id, body), {
      ...jsonBody(TenantInput),
      response: Tenant,
      detail: { tags, operationId: "renameTenant", summary: "Changes a tenant's display name" },
    })
    .delete(
      "/:id",
      async ({ person, params, set }) => {
        await deleteTenant(deps, forget, person, params.id);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "deleteTenant",
          summary: "Deletes a tenant: its keys stop working, its agents and subscriptions end",
        },
      },
    )
    .post(
      "/:id/keys",
      async ({ person, params, body, set }) => {
        set.status = 201;
        return createKey(deps, person, params.id, body);
      },
      {
        ...jsonBody(KeyInput),
        response: { 201: NewKey },
        detail: { tags, operationId: "createKey", summary: "Creates an API key; the key is shown only once" },
      },
    )
    .get("/:id/keys", async ({ person, params }) => listKeys(deps, person, params.id), {
      response: KeyList,
      detail: { tags, operationId: "listKeys", summary: "Lists active API keys, newest first" },
    })
    .delete(
      "/:id/keys/:hash",
      async ({ person, params, set }) => {
        await revokeKey(deps, person, params.id, params.hash);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "revokeKey", summary: "Revokes an API key immediately" },
      },
    );

async function listTenants({ storage: { read, tables } }: StoreDeps, userId: string): Promise<OwnTenantList> {
  const { tenants, tenantMembers } = tables;
  const { id, crName, displayName } = tenants;
  const rows = await read
    .select({ id, crName, displayName, role: tenantMembers.role })
    .from(tenantMembers)
    .innerJoin(tenants, eq(tenants.id, tenantMembers.tenantId))
    .where(and(eq(tenantMembers.userId, userId), isNull(tenants.deletedAt)))
    .orderBy(desc(id));
  return { tenants: rows };
}

async function renameTenant(
  deps: CredentialDeps,
  person: Person,
  tenantId: string,
  input: TenantInput,
): Promise<Tenant> {
  const { transact, tables } = deps.storage;
  const displayName = input.displayName.trim();
  return transact(async (tx) => {
    const reached = await getOwnTenant(tx, tables, person, tenantId, "tenantName");
    await tx.update(tables.tenants).set({ displayName }).where(eq(tables.tenants.id, tenantId));
    const change = { action: "tenant.rename", subject: tenantId, detail: { displayName } };
    await auditForeign(tx, deps, person, reached, change);
    return { id: tenantId, crName: reached.tenant.crName, displayName };
  });
}
