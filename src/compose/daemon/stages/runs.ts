import { createDirectModels } from "../../../engine/agents/direct-models.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { SessionKey } from "../../../engine/memory/conversation.ts";
import type { ModelRouter } from "../../../engine/models/model-router.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { redact } from "../../../kit/secrets/redact.ts";
import { Budgets } from "../../../services/daemon/costs/budgets.ts";
import { CostLedger } from "../../../services/daemon/costs/cost-ledger.ts";
import type { DaemonCosts } from "../../../services/daemon/costs/routes.ts";
import { CallerRuns } from "../../../services/daemon/durable-runs/caller-runs.ts";
import { DurableRuns } from "../../../services/daemon/durable-runs/durable-runs.ts";
import { SummaryScheduler } from "../../../services/daemon/memory/conversations/summary-scheduler.ts";
import { operatorTenant } from "../../../services/daemon/operator-tenant.ts";
import { type OpenedApprovals, openApprovals } from "../../../services/daemon/paused-runs/open-approvals.ts";
import { ResponseRuns } from "../../../services/daemon/responses/response-runs.ts";
import { OwnerLife } from "../../../storage/owner-life.ts";
import type { Foundation } from "../../foundation.ts";
import { assembleCassettes } from "../cassettes.ts";
import type { Stage } from "../stage.ts";
import type { AgentBuilding } from "./agent-building.ts";
import type { DaemonModels } from "./models.ts";
import type { DaemonState } from "./state.ts";
import type { Telemetry } from "./telemetry.ts";

/** Everything that runs of agents report to and wait for. */
export interface DaemonRuns extends Stage {
  runs: RunPorts;
  /** Queues a session of a tenant that has new turns, with the ports of the tenant's runs. */
  summarize: (agent: RunnableAgent, key: SessionKey, ports: RunPorts) => void;
  costs: DaemonCosts;
  routerFor: (provider: string, model: string) => ModelRouter;
  cassettes: ReturnType<typeof assembleCassettes>;
  approvals: OpenedApprovals;
  /** Steps of durable runs. */
  durable: DurableRuns;
  /** Runs of the daemon's own callers that outlive their process. */
  callers: CallerRuns;
  /** Stored answers of the Responses API. */
  responses: ResponseRuns;
}

export interface RunsPorts {
  state: DaemonState;
  models: DaemonModels;
  building: AgentBuilding;
  telemetry: Telemetry;
}

type Parts = Pick<Foundation, "config" | "folder" | "sealer" | "clock" | "newId" | "random" | "log">;

/** Costs, recordings, approvals and the ports of runs. */
export async function openRuns(
  { config, folder, sealer, clock, newId, random, log }: Parts,
  { state, models, building, telemetry }: RunsPorts,
): Promise<DaemonRuns> {
  const { storage, catalog } = state;
  const { metrics } = telemetry;
  const costs = {
    ledger: new CostLedger({ storage, clock, newId, log }),
    budgets: await Budgets.open({ storage, owner: newId(), clock, log }),
    get prices() {
      return models.files.prices();
    },
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
  const summaries = new SummaryScheduler(() => ports, {
    stopping: state.stopping.signal,
    ownerOf: (tenant) => state.tenantOwners.of(tenant),
  });
  const runs: RunPorts = { ...ports, conversationGrew: (agent, key) => summaries.schedule(agent, key) };
  const routerFor = createDirectModels(building.parts, models.revision);
  const cassettes = assembleCassettes({ config, folder, clock, log }, storage, {
    templates: building.untrustedTemplates,
    runs,
    routerFor,
  });
  const approvals = await openApprovals({ sealer, clock, newId, log }, storage);
  const durable = new DurableRuns({ storage, sealer, clock, log, stopping: state.stopping.signal });
  const isDurable = config.platform.durable;
  const callers = new CallerRuns({
    storage,
    sealer,
    clock,
    newId,
    log,
    durable,
    life: new OwnerLife(storage, newId(), clock),
    approvals: approvals.pausedRuns,
    usage: ports.usage,
    stopping: state.stopping.signal,
    isDurable,
  });
  const responses = new ResponseRuns({ storage, owner: newId(), clock, log, isDurable });
  await responses.recover();
  return {
    runs,
    summarize: (agent, key, ports) => summaries.schedule(agent, key, () => ports),
    costs,
    routerFor,
    cassettes,
    approvals,
    durable,
    callers,
    responses,
    workers: [costs.budgets.worker(), ...cassettes.workers, ...approvals.workers, durable.worker()],
    async retire() {
      await Promise.all([approvals.ended(), responses.ended(), callers.ended(), summaries.retire()]);
    },
    async close() {
      await costs.ledger.flush().catch(() => {});
      await costs.budgets.flush().catch((thrown) => log.error("budgets.unwritten", { err: thrown }));
      cassettes.close();
      await callers.close();
    },
  };
}
