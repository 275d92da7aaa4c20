import { ticketTables } from "../../control-plane/sessions/stored-tickets.ts";
import type { Columns } from "../../storage/tables/columns.ts";
import { countBytes, storedBytesTables } from "../../storage/tables/counted-bytes.ts";
import { historyTables } from "./agents/history/schema.ts";
import { canaryTables } from "./canary/schema.ts";
import { cassetteTables } from "./cassettes/schema.ts";
import { channelTables } from "./channels/schema.ts";
import { costTables } from "./costs/schema.ts";
import { durableRunTables } from "./durable-runs/schema.ts";
import { evalTables } from "./evals/schema.ts";
import { mcpTaskTables } from "./mcp/tasks/schema.ts";
import { memoryTables } from "./memory/conversations/schema.ts";
import { episodeTables } from "./memory/episodes/schema.ts";
import { semanticTables } from "./memory/semantic/schema.ts";
import { mlTables } from "./ml/schema.ts";
import { approvalTables } from "./paused-runs/schema.ts";
import { providerTables } from "./providers/schema.ts";
import { ragTables } from "./rag/registry/schema.ts";
import { responseTables } from "./responses/schema.ts";
import { runFactTables } from "./run-stats/schema.ts";
import { sharedFileTables } from "./shared-files/schema.ts";
import { rateWindowTables } from "./tools/schema.ts";
import { feedbackTables } from "./traces/feedback/schema.ts";
import { traceTables } from "./traces/schema.ts";
import { triggerTables } from "./triggers/schema.ts";

/** Owner of what belongs to no tenant. */
const operator = "operator";

/** Bytes of a passage's vector and its index, whatever the embedder. */
const vectorBytes = 4096;

/** Tables of the daemon. What tenants of control planes store counts by tenant. */
export const tables = (columns: Columns) => {
  const all = allTables(columns);
  for (const [area, counted] of Object.entries({
    memory: [all.turns, all.sessions, all.memoryWrites, all.episodes],
    traces: [all.traces, all.traceTexts, all.feedback, all.channelFeedback],
    paused_runs: [all.approvals],
    documents: [all.ragCollections, all.ragJobs],
  }))
    for (const table of counted) countBytes(table, { owner: "tenant", area, except: operator });
  countBytes(all.memoryCollections, {
    owner: "tenant",
    area: "memory",
    except: operator,
    outside: { bytes: 1 },
  });
  countBytes(all.ragDocuments, {
    owner: "tenant",
    area: "documents",
    except: operator,
    outside: { characters: 2, chunks: vectorBytes },
  });
  return all;
};

const allTables = (columns: Columns) => ({
  ...historyTables(columns),
  ...memoryTables(columns),
  ...semanticTables(columns),
  ...episodeTables(columns),
  ...traceTables(columns),
  ...feedbackTables(columns),
  ...runFactTables(columns),
  ...canaryTables(columns),
  ...cassetteTables(columns),
  ...costTables(columns),
  ...channelTables(columns),
  ...approvalTables(columns),
  ...durableRunTables(columns),
  ...evalTables(columns),
  ...mcpTaskTables(columns),
  ...mlTables(columns),
  ...providerTables(columns),
  ...ragTables(columns),
  ...responseTables(columns),
  ...sharedFileTables(columns),
  ...rateWindowTables(columns),
  ...ticketTables(columns),
  ...triggerTables(columns),
  ...storedBytesTables(columns),
});

export type DaemonTables = ReturnType<typeof tables>;
