import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { CloudAuditList } from "../../../contracts/cloud/audit.ts";
import { auditParameters } from "../../../control-plane/audit/audit-filter.ts";
import { idCursor, pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { orgCredential, requireManager } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import { listChanges } from "./list-changes.ts";

const AuditQuery = Type.Object({
  limit: pageLimit({ default: 50, max: 200 }),
  cursor: idCursor,
  ...auditParameters,
});

/** The route for an org's audit log. */
export const auditRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/audit" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .get(
      "",
      async ({ actor, query }) => {
        requireManager(actor);
        return listChanges(deps.storage, actor.org.id, query, query);
      },
      {
        query: AuditQuery,
        response: CloudAuditList,
        detail: { tags: ["orgs"], operationId: "listAudit", summary: "Changes to the org, newest first" },
      },
    );
