import { Elysia } from "elysia";
import { ForgetSession, TenantSessionForgotten } from "../../../contracts/platform/runs/sessions.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Registrations } from "../agents/registrations.ts";
import { tenantCredential } from "../auth/credentials.ts";
import type { CredentialDeps } from "../auth/deps.ts";
import { limitTenantWrites } from "../tenants/management-limit.ts";
import { type ForgetSessionDeps, forgetSession } from "./forget-session.ts";

/** Route by which a tenant has a session forgotten. */
export const sessionRoutes = (deps: CredentialDeps & ForgetSessionDeps, registrations: Registrations) =>
  new Elysia({ prefix: "/api/v1/sessions" })
    .use(jsonRoutes())
    .use(tenantCredential(deps, "runs"))
    .derive(limitTenantWrites(deps))
    .post(
      "/forget",
      async ({ tenant, body: { session_id: sessionId } }) => ({
        status: "forgotten" as const,
        runs: await forgetSession(deps, registrations, tenant.tenantId, sessionId),
      }),
      {
        ...jsonBody(ForgetSession),
        response: TenantSessionForgotten,
        detail: {
          tags: ["runs"],
          operationId: "forgetSession",
          summary: "Deletes everything that is kept of a session",
          description:
            "What agents remember of it, its traces, its waiting approvals, which end their runs, and answers for replay. Its runs stay, with their cost and without the session's id. 409 `session_in_use` while a run of it goes on.",
        },
      },
    );
