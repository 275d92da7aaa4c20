import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  AcceptInput,
  InvitationInput,
  InvitationList,
  Member,
  MemberList,
  NewInvitation,
  OwnTenant,
  RemoveQuery,
  RoleInput,
} from "../../../contracts/platform/members.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { personCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { limitPersonWrites } from "../tenants/management-limit.ts";
import { changeRole, removeMember } from "./change-members.ts";
import { acceptInvitation, inviteMember, withdrawInvitation } from "./invitations.ts";
import { listInvitations, listMembers } from "./list-members.ts";

const tags = ["members"];

/** People's routes for the members of their tenants. */
export const memberRoutes = (deps: CredentialDeps) =>
  new Elysia({ prefix: "/api/v1" })
    .use(jsonRoutes())
    .use(personCredential(deps))
    .derive(limitPersonWrites(deps))
    .get("/tenants/:id/members", async ({ person, params }) => listMembers(deps, person, params.id), {
      response: MemberList,
      detail: { tags, operationId: "listMembers", summary: "Lists a tenant's members and their roles" },
    })
    .patch(
      "/tenants/:id/members/:user",
      async ({ person, params, body }) =>
        changeRole(deps, person, { tenantId: params.id, userId: params.user, ...body }),
      {
        ...jsonBody(RoleInput),
        response: Member,
        detail: { tags, operationId: "changeRole", summary: "Changes a member's role" },
      },
    )
    .delete(
      "/tenants/:id/members/:user",
      async ({ person, params, query, set }) => {
        const keepsKeys = query.keep_keys === "true";
        await removeMember(deps, person, { tenantId: params.id, userId: params.user, keepsKeys });
        set.status = 204;
      },
      {
        query: RemoveQuery,
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "removeMember",
          summary: "Removes a member with the API keys they made, or leaves the tenant",
        },
      },
    )
    .get("/tenants/:id/invitations", async ({ person, params }) => listInvitations(deps, person, params.id), {
      response: InvitationList,
      detail: { tags, operationId: "listInvitations", summary: "Lists a tenant's open invitations" },
    })
    .post(
      "/tenants/:id/invitations",
      async ({ person, params, body, set }) => {
        set.headers["cache-control"] = "no-store";
        const invited = await inviteMember(deps, person, params.id, body);
        set.status = 201;
        return invited;
      },
      {
        ...jsonBody(InvitationInput),
        response: { 201: NewInvitation },
        detail: {
          tags,
          operationId: "inviteMember",
          summary: "Invites a person by e-mail; the token is shown only once",
        },
      },
    )
    .delete(
      "/tenants/:id/invitations/:invitation",
      async ({ person, params, set }) => {
        await withdrawInvitation(deps, person, params.id, params.invitation);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "withdrawInvitation", summary: "Withdraws an invitation" },
      },
    )
    .post("/invitations/accept", async ({ person, body }) => acceptInvitation(deps, person, body.token), {
      ...jsonBody(AcceptInput),
      response: OwnTenant,
      detail: {
        tags,
        operationId: "acceptInvitation",
        summary: "Joins the tenant of an invitation to the person's e-mail address",
      },
    });
