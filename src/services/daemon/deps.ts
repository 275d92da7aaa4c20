import type { TemplateEngine } from "../../engine/prompts/template.ts";
import type { RunPorts } from "../../engine/run/run.ts";
import type { AdmissionGate } from "../../kit/admission-gate.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Storage } from "../../storage/storage.ts";
import type { AgentCatalog } from "./agents/agent-catalog.ts";
import type { DaemonMetrics } from "./metrics/daemon-metrics.ts";
import type { DaemonTables } from "./tables.ts";
import type { TraceArchive } from "./traces/trace-archive.ts";

/** Everything the daemon's routes may touch. */
export interface DaemonDeps {
  version: string;
  startedAtMs: number;
  clock: Clock;
  newId: NewId;
  log: Logger;
  storage: Storage<DaemonTables>;
  templates: TemplateEngine;
  catalog: AgentCatalog;
  /** Bounds the runs in flight. */
  gate: AdmissionGate;
  runs: RunPorts;
  traces: TraceArchive;
  metrics: DaemonMetrics;
}

/** The tenant of everybody who uses the daemon's own API; tenants of the other services are invisible there. */
export const operatorTenant = "operator";
