import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  ChannelFeedback,
  ChannelFeedbackGiven,
  Feedback,
  FeedbackGiven,
} from "../../../contracts/daemon/runs/feedback.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { limitTenantStorage } from "../room/tenant-room.ts";
import { limitTenantVerdicts } from "../tenants/management-limit.ts";
import { type FeedbackDeps, judgeRun, judgeRunByUsers, unjudgeRun } from "./judge-run.ts";

const tags = ["observability"];

/** Routes by which a tenant's people and programs judge runs. */
export const feedbackRoutes = (deps: CredentialDeps & FeedbackDeps) =>
  new Elysia({ prefix: "/api/v1/invocations/:id/feedback" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "feedback"))
    .derive(limitTenantVerdicts(deps))
    .derive(limitTenantStorage(deps))
    .put("", async ({ tenant, params, body }) => judgeRun(deps, tenant, params.id, body), {
      ...jsonBody(FeedbackGiven),
      response: Feedback,
      detail: {
        tags,
        operationId: "giveFeedback",
        summary: "Judges a run",
        description: "Replaces the verdict that a person gave before. Users' reactions are kept beside it.",
      },
    })
    .delete(
      "",
      async ({ tenant, params, set }) => {
        await unjudgeRun(deps, tenant, params.id, "person");
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: { tags, operationId: "deleteFeedback", summary: "Deletes a person's verdict on a run" },
      },
    )
    .put("/channel", async ({ tenant, params, body }) => judgeRunByUsers(deps, tenant, params.id, body), {
      ...jsonBody(ChannelFeedbackGiven),
      response: ChannelFeedback,
      detail: {
        tags,
        operationId: "giveChannelFeedback",
        summary: "Stores the verdict of a messaging channel's users on a run",
        description: "The gateway calls this for reactions to the messages that the run wrote.",
      },
    })
    .delete(
      "/channel",
      async ({ tenant, params, set }) => {
        await unjudgeRun(deps, tenant, params.id, "channel");
        set.status = 204;
      },
      {
        response: { 204: Type.Void() },
        detail: {
          tags,
          operationId: "deleteChannelFeedback",
          summary: "Deletes the verdict of a messaging channel's users on a run",
        },
      },
    );
