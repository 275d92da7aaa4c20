import type { AgentDetail } from "../../../contracts/daemon/agents.ts";
import type { RunRequest, RunResult } from "../../../contracts/daemon/runs/run.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import { AgentCatalog } from "../agents/agent-catalog.ts";
import { agentFor } from "../agents/overridden-agents.ts";
import type { PausedAgents } from "../agents/paused-agents.ts";
import { presentDetail } from "../agents/present-agent.ts";
import { manifestText } from "../agents/read-manifest.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { runInput } from "../runs/run-input.ts";
import { runOnce } from "../runs/run-once.ts";

/** Agents as they were when they were pinned, for runs that belong together. */
export interface PinnedRuns {
  run(
    agent: string,
    request: RunRequest,
    signal?: AbortSignal,
    query?: { trace?: "true"; cost?: "true" },
  ): Promise<RunResult>;
  getAgent(name: string): Promise<AgentDetail>;
  getManifest(name: string): Promise<string>;
  /** Throws as a run would, without starting one. */
  requireRunnable(agent: string, override: RunRequest["override"]): void;
}

/** What runs of the pinned agents need. */
export type PinnedRunsDeps = RunDeps & { paused: PausedAgents };

/**
 * Pins the agents of this daemon, also those that agents call. Later changes and deletions don't reach these runs; a pause does, because
 * it is how an operator stops an agent.
 */
export function pinAgents(deps: PinnedRunsDeps, sender: Sender): PinnedRuns {
  const catalog = new AgentCatalog(deps.paused);
  catalog.replace(deps.catalog.list());
  const pinned: RunDeps = {
    ...deps,
    catalog,
    // Another node has its own agents, which may change.
    router: undefined,
    canaries: undefined,
    runs: {
      ...deps.runs,
      findAgent: (tenant, name) => (tenant === operatorTenant ? catalog.find(name) : undefined),
    },
  };
  const located = (name: string, override: RunRequest["override"]) => ({
    name,
    loaded: agentFor(pinned, name, override, sender),
    terms: { sender, override },
  });
  return {
    async run(name, request, signal, query = {}) {
      const agent = located(name, request.override);
      const caller = {
        stream: false,
        signal: signal ?? deps.stopping,
        requestId: deps.newId(),
      };
      return runOnce(pinned, agent, runInput(pinned, request, caller), {
        withTrace: query.trace === "true",
        withCost: query.cost === "true",
        ...(request.record !== undefined && { isRecorded: request.record }),
      });
    },
    getAgent: async (name) => presentDetail(catalog, catalog.entryNow(name)),
    getManifest: async (name) => manifestText(catalog.entryNow(name), deps.runs.maskKnown),
    requireRunnable: (name, override) => void located(name, override),
  };
}
