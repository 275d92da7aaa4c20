import { openTenantApi, type TenantApi } from "../../../services/daemon/tenant-api/open-tenant-api.ts";
import { runMessages } from "../../../services/daemon/tenant-api/send-run-message.ts";
import { childCommand } from "../../child-command.ts";
import type { Foundation } from "../../foundation.ts";
import type { AgentBuilding } from "./agent-building.ts";
import type { DaemonKnowledge } from "./knowledge.ts";
import type { DaemonModels } from "./models.ts";
import type { DaemonRuns } from "./runs.ts";
import type { DaemonState } from "./state.ts";
import type { Telemetry } from "./telemetry.ts";

export interface TenantPorts {
  state: DaemonState;
  models: DaemonModels;
  telemetry: Telemetry;
  knowledge: DaemonKnowledge;
  building: AgentBuilding;
  running: DaemonRuns;
}

/** The API by which control planes run agents of tenants. */
export function openTenants(
  { config, clock, newId, log, peers }: Pick<Foundation, "config" | "clock" | "newId" | "log" | "peers">,
  { state, models, telemetry, knowledge, building, running }: TenantPorts,
): TenantApi {
  const { url } = config.platform;
  const platform = () =>
    peers.find("platform") ?? (url === undefined ? undefined : peers.find("platform", { url, headers: {} }));
  return openTenantApi(config, {
    parts: building.parts,
    models,
    owners: state.tenantOwners,
    built: state.tenantAgents,
    storage: state.storage,
    gate: state.gate,
    pools: state.pools,
    metrics: telemetry.metrics,
    stopping: state.stopping.signal,
    approvals: running.approvals.pausedRuns,
    durable: running.durable,
    runs: running.runs,
    summarize: running.summarize,
    forget: knowledge.forget,
    forgetSession: knowledge.forgetSession,
    rag: knowledge.rag.rag,
    traces: telemetry.archive,
    sendMessage: runMessages(platform),
    helperCommand: childCommand,
    clock,
    newId,
    log,
  });
}
