import { Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { Org, OrgChange, OrgInput, OrgList } from "../../../contracts/cloud/orgs.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { documented } from "../../../http/openapi/documented-hook.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { limitChanges } from "../access/change-limit.ts";
import {
  type CloudPerson,
  type OrgActor,
  orgCredential,
  orgSecurity,
  personCredential,
  proofOf,
  requireKeyOwner,
  requireManager,
  requirePerson,
} from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { listMemberships } from "../access/find-actor.ts";
import { lockFor } from "../access/lock-org.ts";
import { changeBy } from "../audit/change-by.ts";
import { createOrg, mayCreateOrg, tooManyOrgs } from "./create-org.ts";
import { deleteOrg, type OrgDeps } from "./delete-org.ts";
import { presentOrg } from "./present-org.ts";

const tags = ["orgs"];

const MineQuery = Type.Object({
  all: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "Whether all orgs are listed.",
    }),
  ),
});

/** Routes for orgs. */
export const orgRoutes = (deps: OrgDeps) =>
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
          "You are in no org. Create one with `argosy cloud create-org <name>`, or accept an invitation.",
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
    })
    .delete(
      "/:slug",
      async ({ actor, set }) => {
        await deleteOrg(deps, actor);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "deleteOrg", summary: "Deletes the org with its agents, keys and data" },
      },
    );

/** The route by which people create orgs. */
export const newOrgRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/orgs" })
    .use(jsonRoutes())
    .use(personCredential(deps))
    .post(
      "",
      async ({ person, body, set }) => {
        const org = await openOrg(deps, person, body);
        set.status = 201;
        return org;
      },
      {
        ...jsonBody(OrgInput),
        response: { 201: Org },
        detail: { tags, operationId: "createOrg", summary: "Creates an org, whose owner the person is" },
      },
    );

async function openOrg(deps: AccessDeps, { userId }: CloudPerson, { display_name }: OrgInput): Promise<Org> {
  const { transact, tables } = deps.storage;
  const { users } = tables;
  const displayName = display_name.trim();
  return transact(async (tx) => {
    const [user] = await tx.select().from(users).where(eq(users.id, userId));
    if (user === undefined)
      throw new AppError("unauthorized", "unauthorized", "The account no longer exists.");
    if (!(await mayCreateOrg(deps, tx, userId))) throw tooManyOrgs();
    return presentOrg(deps, await createOrg(deps, tx, user, { displayName, slugFrom: `${displayName}@` }));
  });
}

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
    requireManager(await lockFor(tx, tables, actor));
    await tx.update(tables.orgs).set({ displayName }).where(eq(tables.orgs.id, actor.org.id));
    const entry = changeBy(actor, "org.rename", actor.org.slug, { display_name: displayName });
    await writeAudit(deps, tx, deps.clock.now(), entry);
  });
  return presentOrg(deps, { ...actor.org, displayName });
}
