import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  AgentCheck,
  WorkspaceChange,
  WorkspaceRecords,
  WorkspaceRevision,
} from "../../../contracts/platform/workspace.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { StoreDeps } from "../tables.ts";
import { changeRecords, readRecords } from "./store.ts";

const tags = ["workspace"];

const bodyBytesMax = 8 * 1024 * 1024;

export interface WorkspaceDeps extends StoreDeps {
  runtime: Pick<RuntimeClient, "check">;
}

/** Routes for `argosy plan` and `argosy apply` of a workspace, through the control socket. */
export const workspaceRoutes = (deps: WorkspaceDeps) =>
  new Elysia({ prefix: "/control/tenants/:tenant" })
    .use(jsonRoutes(bodyBytesMax))
    .derive({ as: "scoped" }, ({ call }) => {
      if (call.peer !== "control") throw new AppError("not_found", "not_found", "There is no such route.");
      return {};
    })
    .get("/workspace", async ({ params }) => readRecords(deps, params.tenant), {
      response: WorkspaceRecords,
      detail: {
        tags,
        operationId: "readWorkspaceRecords",
        summary: "Returns the resources that applies of a workspace created",
      },
    })
    .post("/workspace", async ({ params, body }) => changeRecords(deps, params.tenant, body), {
      ...jsonBody(WorkspaceChange),
      response: WorkspaceRevision,
      detail: {
        tags,
        operationId: "changeWorkspaceRecords",
        summary: "Records resources that an apply created, changed or deleted",
      },
    })
    .post(
      "/agent-check",
      async ({ params, body }) => ({
        problems: (await deps.runtime.check(params.tenant, body)).map(({ path, message }) => ({
          path,
          message,
        })),
      }),
      {
        ...jsonBody(Type.Record(Type.String(), Type.Unknown())),
        response: AgentCheck,
        detail: {
          tags,
          operationId: "checkAgent",
          summary: "Checks whether the runtime can run a manifest under the tenant's policy; stores nothing",
        },
      },
    );
