import { asc, eq, isNull } from "drizzle-orm";
import { Elysia } from "elysia";
import { DoctorReport, RetriedWork, RetriedWorkInput } from "../../../contracts/daemon/system.ts";
import { SignedIn } from "../../../contracts/platform/auth.ts";
import {
  LocalTenantList,
  OperatorAccount,
  OperatorInvitation,
  OperatorList,
} from "../../../contracts/platform/control.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AuthDeps } from "../auth/deps.ts";
import { grantOperator, invite, listOperators, revokeOperator } from "../auth/operators.ts";
import { openOwnerSession } from "../auth/owner-session.ts";
import { firstOwner } from "../auth/tenant-role.ts";
import type { StoreDeps } from "../tables.ts";

const tags = ["control"];

/** Checks everything that the platform needs, and lets parked work be done again. */
export interface Doctor {
  examine(signal: AbortSignal): Promise<DoctorReport>;
  retryParked(work: RetriedWorkInput): Promise<RetriedWork>;
}

/** Routes for the machine's command line only, through the control socket. No credential gives access to them. */
export const controlRoutes = (deps: AuthDeps, doctor: Doctor) =>
  new Elysia({ prefix: "/control" })
    .use(jsonRoutes())
    .derive({ as: "scoped" }, ({ call }) => {
      if (call.peer !== "control") throw new AppError("not_found", "not_found", "There is no such route.");
      return {};
    })
    .get("/doctor", async ({ request }) => doctor.examine(request.signal), {
      response: DoctorReport,
      detail: { tags, operationId: "runDoctor", summary: "Checks everything the platform depends on" },
    })
    .post("/doctor/retry", async ({ body }) => doctor.retryParked(body), {
      ...jsonBody(RetriedWorkInput),
      response: RetriedWork,
      detail: {
        tags,
        operationId: "retryParkedWork",
        summary: "Lets work be done again that was parked after three interruptions",
      },
    })
    .get("/operators", async () => ({ operators: await listOperators(deps) }), {
      response: OperatorList,
      detail: { tags, operationId: "listOperators", summary: "Lists operators" },
    })
    .put("/operators/:email", async ({ params }) => grantOperator(deps, params.email), {
      response: OperatorAccount,
      detail: { tags, operationId: "grantOperator", summary: "Grants a person the operator role" },
    })
    .delete("/operators/:email", async ({ params }) => revokeOperator(deps, params.email), {
      response: OperatorAccount,
      detail: {
        tags,
        operationId: "revokeOperator",
        summary: "Revokes the operator role and ends the person's sessions",
      },
    })
    .put(
      "/invitations/:email",
      async ({ params }) => {
        const { email, invitedAt } = await invite(deps, params.email);
        return { email, invited_at: invitedAt.toISOString() };
      },
      {
        response: OperatorInvitation,
        detail: { tags, operationId: "invite", summary: "Invites a person to register" },
      },
    )
    .post(
      "/owner-session",
      async ({ set }) => {
        set.status = 201;
        return openOwnerSession(deps);
      },
      {
        response: { 201: SignedIn },
        detail: {
          tags,
          operationId: "openOwnerSession",
          summary: "Starts a session for the machine's owner",
        },
      },
    )
    .get("/tenants", async () => ({ tenants: await listTenants(deps) }), {
      response: LocalTenantList,
      detail: { tags, operationId: "listAllTenants", summary: "Lists active tenants with their owners" },
    });

function listTenants({ storage: { read, tables } }: StoreDeps) {
  const { tenants, users } = tables;
  return read
    .select({
      id: tenants.id,
      crName: tenants.crName,
      displayName: tenants.displayName,
      owner: users.email,
    })
    .from(tenants)
    .innerJoin(users, eq(users.id, firstOwner(tables)))
    .where(isNull(tenants.deletedAt))
    .orderBy(asc(tenants.crName));
}
