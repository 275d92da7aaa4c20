import { and, eq, isNull } from "drizzle-orm";
import { Elysia } from "elysia";
import { Actor } from "../../../contracts/platform/members.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type TenantActor, tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";

/** The route by which other services learn whom a credential belongs to. */
export const actorRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1/actor" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "read"))
    .get("", async ({ tenant }) => describeActor(deps, tenant), {
      response: Actor,
      detail: {
        tags: ["tenants"],
        operationId: "getActor",
        summary: "The tenant, the role and the person of the credential",
      },
    });

async function describeActor(
  { storage: { read, tables } }: CredentialDeps,
  { tenantId, author, role }: TenantActor,
): Promise<Actor> {
  const { tenants, users } = tables;
  const [tenant] = await read
    .select({ name: tenants.displayName })
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const [person] = author.startsWith("user:")
    ? await read
        .select({ id: users.id, email: users.email, display_name: users.displayName })
        .from(users)
        .where(eq(users.id, author.slice("user:".length)))
    : [];
  return { tenant_id: tenantId, tenant_name: tenant.name, role: role ?? null, person: person ?? null };
}
