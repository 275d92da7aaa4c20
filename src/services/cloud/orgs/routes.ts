import { Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { Org, OrgChange, OrgList } from "../../../contracts/cloud/orgs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { documented } from "../../../http/openapi/documented-hook.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { limitChanges } from "../access/change-limit.ts";
import {
  type OrgActor,
  orgCredential,
  orgSecurity,
  proofOf,
  requireKeyOwner,
  requireManager,
  requirePerson,
} from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { listMemberships, type OrgRow } from "../access/find-actor.ts";
import { limitsOf } from "../access/plans.ts";
import { changeBy, writeAudit } from "../audit/write-audit.ts";

const tags = ["orgs"];

const MineQuery = Type.Object({
  all: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "Whether all orgs are listed.",
    }),
  ),
});

/** Routes for orgs. */
export const orgRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/orgs" })
    .use(jsonRoutes())
    .get(
      "/me",
      async ({ request, query }) => {
        const own = await ownOrgs(deps, request.headers);
        if (query.all === "true") return own;
        const [first] = own.orgs;
        if (first !== undefined) {
          const { role: _, ...org } = first;
          return org;
        }
        throw new AppError(
          "not_found",
          "not_found",
          "You are in no org. Sign in again to get one of your own.",
        );
      },
      {
        query: MineQuery,
        // Refuses strangers before the query is checked. The handler needs no slug.
        transform: documented(
          async ({ request }: { request: Request }) => void (await ownOrgs(deps, request.headers)),
          { security: orgSecurity },
        ),
        response: { 200: Type.Union([Org, OrgList]) },
        detail: { tags, operationId: "getOwnOrg", summary: "The caller's org; with `all=true` every one" },
      },
    )
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .patch("/:slug", async ({ actor, body }) => renameOrg(deps, actor, body), {
      ...jsonBody(OrgChange),
      response: Org,
      detail: { tags, operationId: "renameOrg", summary: "Gives the org another display name" },
    });

/** Orgs of a credential, the one first joined first. A key has one. */
async function ownOrgs(deps: AccessDeps, headers: Headers): Promise<OrgList> {
  const proof = proofOf(headers);
  if (proof.by === "key") {
    const org = presentOrg(deps, await requireKeyOwner(deps, proof.key));
    return { orgs: [{ ...org, role: "key" }] };
  }
  const { userId } = await requirePerson(deps, proof);
  const memberships = await listMemberships(deps.storage, userId);
  const { users } = deps.storage.tables;
  const [user] = await deps.storage.read
    .select({ email: users.email })
    .from(users)
    .where(eq(users.id, userId));
  return {
    orgs: memberships.map((org) => ({ ...presentOrg(deps, org), role: org.role })),
    ...(user && { email: user.email }),
  };
}

async function renameOrg(deps: AccessDeps, actor: OrgActor, { display_name }: OrgChange): Promise<Org> {
  requireManager(actor);
  const { transact, tables } = deps.storage;
  const displayName = display_name.trim();
  await transact(async (tx) => {
    await tx.update(tables.orgs).set({ displayName }).where(eq(tables.orgs.id, actor.org.id));
    const entry = changeBy(actor, "org.rename", actor.org.slug, { display_name: displayName });
    await writeAudit(deps, tx, deps.clock.now(), entry);
  });
  return presentOrg(deps, { ...actor.org, displayName });
}

/** An org as its members see it. */
export const presentOrg = (
  { plans }: Pick<AccessDeps, "plans">,
  { slug, displayName, plan }: Omit<OrgRow, "id">,
): Org => ({ slug, display_name: displayName, plan, limits: limitsOf(plans, plan) });
