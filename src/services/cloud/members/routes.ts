import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  InviteInput,
  MemberChange,
  Org,
  OrgInvitationList,
  OrgInvited,
  OrgMember,
  OrgMemberList,
} from "../../../contracts/cloud/orgs.ts";
import { RemoveQuery } from "../../../contracts/platform/members.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { limitChanges } from "../access/change-limit.ts";
import { type OrgActor, orgCredential, personCredential } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { limitOrgStorage } from "../room/org-room.ts";
import type { CloudStoreDeps } from "../tables.ts";
import { changeRole, removeMember } from "./change-members.ts";
import { acceptInvitation, declineInvitation, listInvitations } from "./invitations.ts";
import { inviteMember } from "./invite-member.ts";
import { membersOf, presentMember } from "./store.ts";

const tags = ["members"];

/** Routes for the members of an org. */
export const memberRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/members" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .derive(limitChanges(deps))
    .derive(limitOrgStorage(deps))
    .get("", async ({ actor }) => listMembers(deps, actor), {
      response: OrgMemberList,
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
        response: { 201: OrgInvited },
        detail: { tags, operationId: "inviteMember", summary: "Invites a person by e-mail" },
      },
    )
    .patch("/:id", async ({ actor, params, body }) => changeRole(deps, actor, params.id, body.role), {
      ...jsonBody(MemberChange),
      response: OrgMember,
      detail: { tags, operationId: "changeMemberRole", summary: "Changes a member's role" },
    })
    .delete(
      "/:id",
      async ({ actor, params, query, set }) => {
        await removeMember(deps, actor, params.id, { keepsKeys: query.keep_keys === "true" });
        set.status = 204;
      },
      {
        query: RemoveQuery,
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "removeMember",
          summary: "Removes a member with the API keys they made, withdraws an invitation, or leaves the org",
        },
      },
    );

/** Routes for a person's own invitations. */
export const invitationRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/invitations" })
    .use(jsonRoutes())
    .use(personCredential(deps))
    .get("", async ({ person }) => listInvitations(deps, person), {
      response: OrgInvitationList,
      detail: { tags, operationId: "listInvitations", summary: "Open invitations of the person" },
    })
    .post("/:id/accept", async ({ person, params }) => acceptInvitation(deps, person, params.id), {
      response: Org,
      detail: { tags, operationId: "acceptInvitation", summary: "Joins the org of an invitation" },
    })
    .post(
      "/:id/decline",
      async ({ person, params, set }) => {
        await declineInvitation(deps, person, params.id);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "declineInvitation", summary: "Declines an invitation" },
      },
    );

async function listMembers({ storage, clock }: CloudStoreDeps, { org }: OrgActor): Promise<OrgMemberList> {
  const rows = await membersOf(storage.read, storage.tables, org.id, clock.now());
  return { members: rows.map(presentMember) };
}
