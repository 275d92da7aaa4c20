import { Type } from "@sinclair/typebox";
import { and, eq, ne } from "drizzle-orm";
import { Elysia } from "elysia";
import { InvitationList, Invited, InviteInput, MemberList, Org } from "../../../contracts/cloud/orgs.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { limitChanges } from "../access/change-limit.ts";
import { type OrgActor, orgCredential, personCredential, requireManager } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { lockOrg } from "../access/lock-org.ts";
import { changeBy, writeAudit } from "../audit/write-audit.ts";
import { presentOrg } from "../orgs/routes.ts";
import type { CloudTables, StoreDeps } from "../tables.ts";
import { inviteMember } from "./invite-member.ts";
import { acceptInvitations, invitationsFor, membersOf } from "./store.ts";

const tags = ["members"];

/** Routes for the members of an org. */
export const memberRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/members" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .get("", async ({ actor }) => listMembers(deps, actor), {
      response: MemberList,
      detail: { tags, operationId: "listMembers", summary: "Members and open invitations" },
    })
    .post(
      "/invite",
      async ({ actor, body, set }) => {
        const invited = await inviteMember(deps, actor, body);
        set.status = 201;
        return invited;
      },
      {
        ...jsonBody(InviteInput),
        response: { 201: Invited },
        detail: { tags, operationId: "inviteMember", summary: "Invites a person by e-mail" },
      },
    )
    .delete(
      "/:id",
      async ({ actor, params, set }) => {
        await removeMember(deps, actor, params.id);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "removeMember", summary: "Removes a member or withdraws an invitation" },
      },
    );

/** Routes for a person's own invitations. */
export const invitationRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/invitations" })
    .use(jsonRoutes())
    .use(personCredential(deps))
    .get("", async ({ person }) => listInvitations(deps, person.userId), {
      response: InvitationList,
      detail: { tags, operationId: "listInvitations", summary: "Open invitations of the person" },
    })
    .post("/:id/accept", async ({ person, params }) => accept(deps, person.userId, params.id), {
      response: Org,
      detail: { tags, operationId: "acceptInvitation", summary: "Joins the org of an invitation" },
    });

async function listMembers({ storage }: StoreDeps, { org }: OrgActor): Promise<MemberList> {
  const rows = await membersOf(storage.read, storage.tables, org.id);
  return {
    members: rows.map(({ id, email, name, role, joinedAt }) => ({
      id,
      email,
      name: name ?? "",
      role,
      status: joinedAt === null ? "invited" : "active",
      joined_at: joinedAt?.toISOString() ?? null,
    })),
  };
}

async function removeMember(deps: StoreDeps, actor: OrgActor, id: string): Promise<void> {
  requireManager(actor);
  const { storage, clock } = deps;
  const { members } = storage.tables;
  await storage.transact(async (tx) => {
    await lockOrg(tx, storage.tables, actor.org.id);
    const inOrg = and(eq(members.orgId, actor.org.id), eq(members.id, id));
    const [found] = await tx.select({ role: members.role }).from(members).where(inOrg);
    if (found === undefined) throw new AppError("not_found", "not_found", "There is no such member.");
    if (found.role === "owner") {
      throw new AppError("forbidden", "forbidden", "The owner of an org can't be removed.");
    }
    await tx.delete(members).where(and(inOrg, ne(members.role, "owner")));
    await writeAudit(deps, tx, clock.now(), changeBy(actor, "member.remove", id));
  });
}

async function listInvitations({ storage }: StoreDeps, userId: string): Promise<InvitationList> {
  const { read, tables } = storage;
  const rows = await invitationsFor(read, tables, await emailOf(read, tables, userId));
  return {
    invitations: rows.map(({ id, slug, displayName, role, invitedAt }) => ({
      id,
      org_slug: slug,
      org_name: displayName,
      role,
      invited_at: invitedAt.toISOString(),
    })),
  };
}

async function accept(deps: AccessDeps, userId: string, id: string): Promise<Org> {
  const { transact, tables } = deps.storage;
  return transact(async (tx) => {
    const email = await emailOf(tx, tables, userId);
    const found = (await invitationsFor(tx, tables, email)).find((invitation) => invitation.id === id);
    const joined = found && (await acceptInvitations(deps, tx, { userId, email, id }));
    if (found !== undefined && joined === 1) return presentOrg(deps, found);
    throw new AppError("not_found", "not_found", "There is no such open invitation for you.");
  });
}

async function emailOf(query: ReadQuery, { users }: CloudTables, userId: string): Promise<string> {
  const [user] = await query.select({ email: users.email }).from(users).where(eq(users.id, userId));
  if (user !== undefined) return user.email;
  throw new AppError("unauthorized", "unauthorized", "The account no longer exists.");
}
