import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { CloudUserAccount } from "../../../contracts/cloud/auth.ts";
import { OwnSessionList } from "../../../contracts/sessions.ts";
import {
  endOtherSessions,
  endOwnSession,
  listSessions,
} from "../../../control-plane/sessions/own-sessions.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { personCredential } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { deleteAccount } from "./delete-account.ts";
import { readAccount } from "./read-account.ts";

const tags = ["auth"];

/** Routes of a person for their own account. */
export const accountRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/me" })
    .use(jsonRoutes())
    .use(personCredential(deps))
    .get("", async ({ person }) => readAccount(deps, person), {
      response: CloudUserAccount,
      detail: { tags, operationId: "getAccount", summary: "The person's own account" },
    })
    .get("/sessions", async ({ person }) => listSessions(deps, person), {
      response: OwnSessionList,
      detail: { tags, operationId: "listSessions", summary: "The person's sessions, the last used first" },
    })
    .delete(
      "/sessions",
      async ({ person, set }) => {
        await endOtherSessions(deps, person);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "endOtherSessions",
          summary: "Ends all sessions of the person but this one",
        },
      },
    )
    .delete(
      "/sessions/:session",
      async ({ person, params, set }) => {
        await endOwnSession(deps, person, params.session);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "endSession", summary: "Ends a session of the person" },
      },
    )
    .delete(
      "",
      async ({ person, set }) => {
        await deleteAccount(deps, person);
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "deleteAccount",
          summary: "Deletes the person's account; they leave their orgs",
        },
      },
    );
