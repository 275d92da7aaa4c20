import { eq, sql } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import type { CloudTables } from "../tables.ts";

/** Locks the org's row, so that two requests can't both take the last place of a limit. */
export const lockOrg = (tx: Query, { orgs }: CloudTables, orgId: string) =>
  tx
    .update(orgs)
    .set({ plan: sql`${orgs.plan}` })
    .where(eq(orgs.id, orgId))
    .returning({ id: orgs.id });
