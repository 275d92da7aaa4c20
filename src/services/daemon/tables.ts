import type { Columns } from "../../storage/columns.ts";
import { costTables } from "./costs/schema.ts";
import { memoryTables } from "./memory/schema.ts";
import { traceTables } from "./traces/schema.ts";

/** Everything that the daemon keeps. */
export const tables = (columns: Columns) => ({
  ...memoryTables(columns),
  ...traceTables(columns),
  ...costTables(columns),
});

export type DaemonTables = ReturnType<typeof tables>;
