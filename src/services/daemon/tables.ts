import type { Columns } from "../../storage/columns.ts";
import { approvalTables } from "./approvals/schema.ts";
import { channelTables } from "./channels/schema.ts";
import { costTables } from "./costs/schema.ts";
import { memoryTables } from "./memory/schema.ts";
import { traceTables } from "./traces/schema.ts";

/** Everything that the daemon keeps. */
export const tables = (columns: Columns) => ({
  ...memoryTables(columns),
  ...traceTables(columns),
  ...costTables(columns),
  ...channelTables(columns),
  ...approvalTables(columns),
});

export type DaemonTables = ReturnType<typeof tables>;
