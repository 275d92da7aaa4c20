import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { SessionKey } from "../../../engine/memory/conversation.ts";
import type { ModelRouter } from "../../../engine/models/model-router.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { redact } from "../../../kit/secrets/redact.ts";
import type { AgentCatalog } from "../../../services/daemon/agents/agent-catalog.ts";
import { Budgets } from "../../../services/daemon/costs/budgets.ts";
import { CostLedger } from "../../../services/daemon/costs/cost-ledger.ts";
import type { DaemonCosts } from "../../../services/daemon/costs/routes.ts";
import { SummaryScheduler } from "../../../services/daemon/memory/conversations/summary-scheduler.ts";
import { operatorTenant } from "../../../services/daemon/operator-tenant.ts";
import type { DaemonTables } from "../../../services/daemon/tables.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Foundation } from "../../foundation.ts";
import { type AssembledApprovals, assembleApprovals } from "../approvals.ts";
import { assembleCassettes } from "../cassettes.ts";
import { createDirectModels } from "../direct-models.ts";
import type { AgentBuilding } from "./agent-building.ts";
import type { DaemonModels } from "./models.ts";
import type { Telemetry } from "./telemetry.ts";

/** Everything that runs of agents report to and wait for. */
export interface DaemonRuns {
  runs: RunPorts;
  /** Queues a session of a tenant that has new turns, with the ports of the tenant's runs. */
  summarize: (agent: RunnableAgent, key: SessionKey, ports: RunPorts) => void;
  costs: DaemonCosts;
  routerFor: (provider: string, model: string) => ModelRouter;
  cassettes: ReturnType<typeof assembleCassettes>;
  approvals: AssembledApprovals;
  /** Begins no further summary; resolves when resumed runs and running summaries have ended. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

export interface RunsPorts {
  storage: Storage<DaemonTables>;
  catalog: AgentCatalog;
  models: DaemonModels;
  building: AgentBuilding;
  telemetry: Telemetry;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
  /** The person or paying party behind a tenant. */
  ownerOf: (tenant: string) => string;
}

type Parts = Pick<Foundation, "config" | "folder" | "sealer" | "clock" | "newId" | "random" | "log">;

/** Sixth stage: costs, recordings, approvals and the ports of runs. */
export async function openRuns(
  { config, folder, sealer, clock, newId, random, log }: Parts,
  { storage, catalog, models, building, telemetry, stopping, ownerOf }: RunsPorts,
): Promise<DaemonRuns> {
  const { metrics } = telemetry;
  const costs = {
    ledger: new CostLedger({ storage, clock, newId, log }),
    budgets: await Budgets.open({ storage, owner: newId(), clock, log }),
    prices: config.prices,
  };
  const ports: RunPorts = {
    clock,
    newId,
    random,
    observer: metrics,
    traces: telemetry.traces,
    usage: {
      record(records) {
        costs.ledger.record(records);
        metrics.modelsUsed(records);
      },
    },
    budgetOf: (tenant, agent) => costs.budgets.allowanceOf(tenant, agent),
    findAgent: (tenant, name) => (tenant === operatorTenant ? catalog.find(name) : undefined),
    log,
    redact: (value) => redact(value, config.knownSecrets),
    maskKnown: (text) => config.knownSecrets.mask(text),
  };
  const summaries = new SummaryScheduler(() => ports, { stopping, ownerOf });
  const runs: RunPorts = { ...ports, conversationGrew: (agent, key) => summaries.schedule(agent, key) };
  const routerFor = createDirectModels(building.parts, models.storedProviders.revision);
  const cassettes = assembleCassettes(
    { config, folder, clock, log },
    { templates: building.sentTemplates, runs, routerFor },
  );
  const approvals = await assembleApprovals({ sealer, clock, newId, log }, storage);
  return {
    runs,
    summarize: (agent, key, ports) => summaries.schedule(agent, key, () => ports),
    costs,
    routerFor,
    cassettes,
    approvals,
    retire: async () => void (await Promise.all([approvals.ended(), summaries.retire()])),
    async close() {
      await costs.ledger.flush().catch(() => {});
      await costs.budgets.flush().catch((thrown) => log.error("budgets.unwritten", { err: thrown }));
      cassettes.close();
    },
  };
}
