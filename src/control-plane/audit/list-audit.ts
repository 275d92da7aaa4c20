import { and, desc, lt, type SQL } from "drizzle-orm";
import { type PageRequest, pageOf, readIdCursor } from "../../http/paging.ts";
import type { Storage } from "../../storage/storage.ts";
import type { AuditTables } from "./audit-table.ts";

/** A page of the entries that meet the condition, newest first, and the owner of each. */
export async function listAudit(
  { read, tables: { audit } }: Storage<AuditTables>,
  of: SQL | undefined,
  { limit, cursor }: PageRequest,
) {
  const before = readIdCursor(cursor);
  const rows = await read
    .select()
    .from(audit)
    .where(and(of, before === undefined ? undefined : lt(audit.id, before)))
    .orderBy(desc(audit.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return {
    page: page.map(({ id, at, actor, action, subject, detail, requestId, ownerId }) => ({
      ownerId,
      entry: { id, at: at.toISOString(), actor, action, subject, detail, request_id: requestId },
    })),
    next,
  };
}
