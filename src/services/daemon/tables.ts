import { channelTables } from "../../channels/inbox/schema.ts";
import type { Columns } from "../../storage/tables/columns.ts";
import { historyTables } from "./agents/history/schema.ts";
import { canaryTables } from "./canary/schema.ts";
import { costTables } from "./costs/schema.ts";
import { memoryTables } from "./memory/conversations/schema.ts";
import { episodeTables } from "./memory/episodes/schema.ts";
import { semanticTables } from "./memory/semantic/schema.ts";
import { mlTables } from "./ml/schema.ts";
import { approvalTables } from "./paused-runs/schema.ts";
import { providerTables } from "./providers/schema.ts";
import { ragTables } from "./rag/registry/schema.ts";
import { runFactTables } from "./run-stats/schema.ts";
import { feedbackTables } from "./traces/feedback/schema.ts";
import { traceTables } from "./traces/schema.ts";

/** Tables of the daemon. */
export const tables = (columns: Columns) => ({
  ...historyTables(columns),
  ...memoryTables(columns),
  ...semanticTables(columns),
  ...episodeTables(columns),
  ...traceTables(columns),
  ...feedbackTables(columns),
  ...runFactTables(columns),
  ...canaryTables(columns),
  ...costTables(columns),
  ...channelTables(columns),
  ...approvalTables(columns),
  ...mlTables(columns),
  ...providerTables(columns),
  ...ragTables(columns),
});

export type DaemonTables = ReturnType<typeof tables>;
