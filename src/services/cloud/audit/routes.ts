import { Type } from "@sinclair/typebox";
import { eq } from "drizzle-orm";
import { Elysia } from "elysia";
import { CloudAuditList } from "../../../contracts/cloud/audit.ts";
import { listAudit } from "../../../control-plane/audit/list-audit.ts";
import { idCursor, pageLimit } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { orgCredential, requireManager } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";

const AuditQuery = Type.Object({ limit: pageLimit({ default: 50, max: 200 }), cursor: idCursor });

/** The route for an org's audit log. */
export const auditRoutes = (deps: AccessDeps) =>
  new Elysia({ prefix: "/api/v1/orgs/:slug/audit" })
    .use(jsonRoutes())
    .use(orgCredential(deps))
    .get(
      "",
      async ({ actor, query }) => {
        requireManager(actor);
        const ofOrg = eq(deps.storage.tables.audit.ownerId, actor.org.id);
        const { page, next } = await listAudit(deps.storage, ofOrg, query);
        return { entries: page.map(({ entry }) => entry), ...next };
      },
      {
        query: AuditQuery,
        response: CloudAuditList,
        detail: { tags: ["orgs"], operationId: "listAudit", summary: "Changes to the org, newest first" },
      },
    );
