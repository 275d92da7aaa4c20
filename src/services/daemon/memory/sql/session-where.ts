import { and, eq, sql } from "drizzle-orm";
import type { MemoryTables } from "../schema.ts";

type Keyed = MemoryTables["turns"] | MemoryTables["sessions"];

/** The rows of the session that a prepared statement is executed for: `tenant`, `agent`, `sessionId`. */
export const ofSession = (table: Keyed) =>
  and(
    eq(table.tenant, sql.placeholder("tenant")),
    eq(table.agent, sql.placeholder("agent")),
    eq(table.sessionId, sql.placeholder("sessionId")),
  );
