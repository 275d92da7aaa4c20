import type { AnyElysia } from "elysia";
import { version } from "../../../../package.json";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { callService } from "../../../contracts/service-call.ts";
import type { AgentParts } from "../../../engine/agents/build-agent.ts";
import type { SharedBreakers } from "../../../engine/models/breakers.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { builtinTools } from "../../../engine/tools/builtin/registry.ts";
import type { ServiceApp } from "../../../http/service-app.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import { openableTools } from "../../../manifest/senders/policy-terms.ts";
import type { DaemonMetrics } from "../../../services/daemon/metrics/daemon-metrics.ts";
import type { PausedRuns } from "../../../services/daemon/paused-runs/paused-runs.ts";
import { forgetApprovals } from "../../../services/daemon/paused-runs/store.ts";
import type { DaemonRag } from "../../../services/daemon/rag/daemon-rag.ts";
import { LateUsage } from "../../../services/daemon/runtime/late-usage.ts";
import { RunCancels } from "../../../services/daemon/runtime/run-cancels.ts";
import { tenantObserver } from "../../../services/daemon/runtime/run-ports.ts";
import type { RuntimeDeps, SendRunMessage } from "../../../services/daemon/runtime/runtime-deps.ts";
import { TenantAgents } from "../../../services/daemon/runtime/tenant-agents.ts";
import { tenantCatalog } from "../../../services/daemon/runtime/tenant-catalog.ts";
import { tenantDocuments } from "../../../services/daemon/runtime/tenant-documents.ts";
import type { DaemonTables } from "../../../services/daemon/tables.ts";
import { storedOf } from "../../../storage/room.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { Foundation } from "../../foundation.ts";
import type { LocalApp, Peers } from "../../peers.ts";
import type { DaemonRuns } from "../stages/runs.ts";
import { OwnKeyAgents, ownKeyModels, withOwnKeys } from "./own-key-models.ts";
import { createTenantBuilder } from "./tenant-builder.ts";
import { tenantModels } from "./tenant-models.ts";
import { createTenantWorlds } from "./tenant-parts.ts";

/** Parts of the daemon that tenants' agents need. */
export interface RuntimeWorld {
  /** Parts that the operator's agents are built from. */
  parts: AgentParts & { breakers: SharedBreakers };
  owners: KnownOwners;
  storage: Storage<DaemonTables>;
  gate: AdmissionGate;
  metrics: DaemonMetrics;
  stopping: AbortSignal;
  approvals: PausedRuns | undefined;
  /** Ports of the operator's runs. */
  runs: RunPorts;
  summarize: DaemonRuns["summarize"];
  forget: (key: { tenant: string; agent: string }) => Promise<void>;
  rag: DaemonRag;
  traces: RuntimeDeps["traces"];
}

/** Paths that the API token does not protect, because the runtime's own token does. */
export const internalPaths = "/v1/internal/*";

export interface AssembledRuntime {
  /** App for the control planes of this process, which nothing outside can call. */
  app: Required<LocalApp>;
  /** The same for control planes on other machines that send the token; absent without one. */
  routesFor(token: string | undefined): Promise<AnyElysia[]>;
  agents: TenantAgents;
  close(): Promise<void>;
}

/** Assembles tenants' agents, separate from the operator's. Creates nothing before the first one is registered. */
export function assembleRuntime(
  { config, log, clock, newId, peers }: Pick<Foundation, "config" | "log" | "clock" | "newId" | "peers">,
  { parts, owners, storage, gate, metrics, stopping, approvals, runs, ...rest }: RuntimeWorld,
): AssembledRuntime {
  const { summarize, forget, rag, traces } = rest;
  const { tenants } = config.runtime.spec;
  const opened = new Set((tenants?.tools ?? []).filter((name) => openableTools.includes(name)));
  const models = tenantModels(parts.models.sources, tenants?.providers, config.models.rehearse);
  const worlds = createTenantWorlds(config, { base: parts, models, owners, log });
  const ownKeys = ownKeyModels(parts.models.sources, models);
  const ready = new OwnKeyAgents();
  const builder = createTenantBuilder(config, { worlds, models, ownKeys });
  const agents = new TenantAgents({
    async prepare(tenant, spec, keys) {
      const build = await builder.prepare(tenant, spec, keys);
      return () => {
        try {
          return build();
        } catch (thrown) {
          agents.tidy(tenant);
          throw thrown;
        }
      };
    },
    serve(tenant, served) {
      ready.dropGone(tenant, served);
      if (served.length === 0) return worlds.leave(tenant);
      const sources = served.flatMap(({ live }) => live?.sources ?? []);
      worlds.of(tenant).mcp.keep(sources.flatMap(({ source }) => source.mcp?.server ?? []));
    },
  });
  const sendMessage = runMessages(peers, config.platform.url);
  const deps: RuntimeDeps = {
    version,
    clock,
    log,
    gate,
    stopping,
    agents,
    owners,
    cancels: new RunCancels(),
    lateUsage: new LateUsage(),
    async check(tenant, spec, keys) {
      try {
        return await builder.check(tenant, spec, keys);
      } finally {
        agents.tidy(tenant);
      }
    },
    withKeys(tenant, agent, keys) {
      const { parts: own } = worlds.of(tenant);
      return ready.get(tenant, agent, keys, () =>
        withOwnKeys(agent, own, ownKeys.resolving(own.models, tenant, keys)),
      );
    },
    runs: tenantRuns({ runs, summarize }, agents, metrics, models.isListed),
    sharedBy: (tenant) => worlds.of(tenant),
    approvals,
    sendMessage,
    async forget(tenant, agentId, name) {
      await forgetApprovals(storage, { tenant, agent: name });
      await forget({ tenant, agent: agentId });
    },
    documents: tenantDocuments(rag, owners),
    traces,
    stored: (owners) => storedOf(storage, owners),
    catalog: () => tenantCatalog(builtinTools.values(), opened, sendMessage() !== undefined),
  };
  let app: ServiceApp | undefined;
  const handle: ServiceApp["handle"] = async (request, origin) => {
    if (app === undefined) {
      const { createRuntimeApp } = await import("../../../services/daemon/runtime/runtime-app.ts");
      app ??= createRuntimeApp(deps, newId);
    }
    return app.handle(request, origin);
  };
  let perform: RuntimeClient["run"] | undefined;
  const firstRun: RuntimeClient["run"] = async function* (name, given) {
    perform ??= (await import("../../../services/daemon/runtime/run-here.ts")).runsHere(deps, newId);
    yield* perform(name, given);
  };
  const run: RuntimeClient["run"] = (name, given) => (perform ?? firstRun)(name, given);
  return {
    app: { handle, run },
    async routesFor(token) {
      if (token === undefined) return [];
      const { runtimeRoutes } = await import("../../../services/daemon/runtime/routes.ts");
      const documents = await import("../../../services/daemon/runtime/document-routes.ts");
      return [
        runtimeRoutes(deps, token),
        documents.runtimeDocumentRoutes(deps, token),
        documents.runtimeUploadRoutes(deps, token),
      ];
    },
    agents,
    close: () => worlds.close(),
  };
}

/** Ports of tenants' runs. The operator's callers see them only as `tenant`, and budgets of the operator's agents don't apply. */
function tenantRuns(
  { runs, summarize }: Pick<RuntimeWorld, "runs" | "summarize">,
  agents: TenantAgents,
  metrics: DaemonMetrics,
  isListed: (provider: string, model: string) => boolean,
): RunPorts {
  return {
    ...runs,
    // Only agents with their tenant's own keys have running summaries. `agent` has the keys of its run, and `ports` count its usage.
    conversationGrew: (agent, key, ports) => summarize(agent, key, ports),
    observer: tenantObserver(runs.observer, (name) => builtinTools.has(name)),
    usage: {
      record: (records) =>
        metrics.modelsUsed(
          records.map((record) =>
            isListed(record.provider, record.model) ? record : { ...record, model: "tenant" },
          ),
        ),
    },
    budgetOf: () => undefined,
    findAgent: (tenant, name) => agents.find(tenant, name)?.agent,
  };
}

/** Returns the function through which runs send messages to the platform, in this process or at `url`; undefined while there is none. */
function runMessages(peers: Peers, url: string | undefined): () => SendRunMessage | undefined {
  const remote = url === undefined ? undefined : { url, headers: {} };
  return () => {
    const address = peers.find("platform") ?? (remote && peers.find("platform", remote));
    if (address === undefined) return undefined;
    return async (token, { channel, recipient, text, conversationRef }, signal, traceparent) => {
      const answer = await callService(address, "POST", "/api/v1/runs/messages/send", {
        body: {
          channel,
          recipient,
          text,
          ...(conversationRef === undefined ? {} : { conversation_ref: conversationRef }),
        },
        headers: { authorization: `Bearer ${token}`, ...(traceparent !== undefined && { traceparent }) },
        signal,
      });
      return (await answer.json()) as { message_id: string; status: string };
    };
  };
}
