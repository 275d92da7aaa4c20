import { and } from "drizzle-orm";
import { equalsBound } from "../../../../storage/statement.ts";
import type { MemoryTables } from "../schema.ts";

type Keyed = MemoryTables["turns"] | MemoryTables["sessions"];

/** Condition that selects the rows of the session given to a prepared statement: `tenant`, `agent`, `sessionId`. */
export const ofSession = (table: Keyed) =>
  and(
    equalsBound(table.tenant, "tenant"),
    equalsBound(table.agent, "agent"),
    equalsBound(table.sessionId, "sessionId"),
  );
