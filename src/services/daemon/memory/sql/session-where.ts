import { and } from "drizzle-orm";
import { equalsBound } from "../../../../storage/equals-bound.ts";
import type { MemoryTables } from "../schema.ts";

type Keyed = MemoryTables["turns"] | MemoryTables["sessions"];

/** The rows of the session that a prepared statement is executed for: `tenant`, `agent`, `sessionId`. */
export const ofSession = (table: Keyed) =>
  and(
    equalsBound(table.tenant, "tenant"),
    equalsBound(table.agent, "agent"),
    equalsBound(table.sessionId, "sessionId"),
  );
