import { Type } from "@sinclair/typebox";
import { and, desc, eq, lt } from "drizzle-orm";
import { Elysia } from "elysia";
import { CloudAuditList } from "../../../contracts/cloud/audit.ts";
import { idCursor, pageLimit, pageOf, readIdCursor } from "../../../http/paging.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { type OrgActor, orgCredential, requireManager } from "../access/credentials.ts";
import type { AccessDeps } from "../access/deps.ts";
import type { StoreDeps } from "../tables.ts";

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
        return listAudit(deps, actor, query);
      },
      {
        query: AuditQuery,
        response: CloudAuditList,
        detail: { tags: ["orgs"], operationId: "listAudit", summary: "Changes to the org, newest first" },
      },
    );

async function listAudit(
  { storage: { read, tables } }: StoreDeps,
  { org }: OrgActor,
  { limit, cursor }: { limit: number; cursor?: string },
): Promise<CloudAuditList> {
  const { audit } = tables;
  const before = readIdCursor(cursor);
  const rows = await read
    .select()
    .from(audit)
    .where(and(eq(audit.orgId, org.id), before === undefined ? undefined : lt(audit.id, before)))
    .orderBy(desc(audit.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  const entries = page.map(({ id, at, actor, action, subject, detail, requestId }) => ({
    id,
    at: at.toISOString(),
    actor,
    action,
    subject,
    detail,
    request_id: requestId,
  }));
  return { entries, ...next };
}
