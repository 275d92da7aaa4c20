import type { AnyElysia } from "elysia";
import { version } from "../../../../package.json";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { SessionKey } from "../../../engine/memory/conversation.ts";
import type { ModelSources } from "../../../engine/models/model-sources.ts";
import type { RunPorts } from "../../../engine/run/run.ts";
import { builtinTools } from "../../../engine/tools/builtin/registry.ts";
import type { ServiceApp } from "../../../http/service-app.ts";
import { byRevision } from "../../../kit/by-revision.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { ProvidersFile } from "../../../manifest/files/providers-file.ts";
import type { RuntimeFile } from "../../../manifest/files/runtime-file.ts";
import { openableTools } from "../../../manifest/senders/policy-terms.ts";
import { storedOf } from "../../../storage/room.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { DurableRuns } from "../durable-runs/durable-runs.ts";
import type { DaemonMetrics } from "../metrics/daemon-metrics.ts";
import type { PausedRuns } from "../paused-runs/paused-runs.ts";
import { forgetApprovals, forgetSessionApprovals } from "../paused-runs/store.ts";
import type { DaemonRag } from "../rag/daemon-rag.ts";
import type { BackgroundPools } from "../runs/background-pools.ts";
import type { DaemonTables } from "../tables.ts";
import { OwnKeyAgents, withOwnKeys } from "./building/own-key-models.ts";
import { createTenantBuilder, tenantTerms } from "./building/tenant-builder.ts";
import {
  createTenantEnvironments,
  type TenantBaseParts,
  type TenantSettings,
} from "./building/tenant-environments.ts";
import type { BuiltAgents } from "./built-agents.ts";
import { LateUsage } from "./late-usage.ts";
import { RunCancels } from "./run-cancels.ts";
import { tenantObserver } from "./run-ports.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import { TenantAgents } from "./tenant-agents.ts";
import { offeredModels, tenantCatalog } from "./tenant-catalog.ts";
import { tenantDocuments } from "./tenant-documents.ts";

/** Parts of the daemon that tenants' agents need. */
export interface TenantApiPorts {
  /** Parts that the operator's agents are built from. */
  parts: TenantBaseParts;
  /** The operator's providers as they are now; `revision` returns another value after each change. */
  models: {
    sources: ModelSources;
    files: { providers(): ProvidersFile; runtime(): RuntimeFile };
    revision(): unknown;
  };
  owners: KnownOwners;
  /** Receives the agents that are built. */
  built: BuiltAgents;
  storage: Storage<DaemonTables>;
  gate: AdmissionGate;
  pools: BackgroundPools;
  metrics: DaemonMetrics;
  stopping: AbortSignal;
  approvals: PausedRuns | undefined;
  durable: DurableRuns;
  /** Ports of the operator's runs. */
  runs: RunPorts;
  /** Queues a session of a tenant that has new turns, with the ports of the tenant's runs. */
  summarize: (agent: RunnableAgent, key: SessionKey, ports: RunPorts) => void;
  forget: (key: { tenant: string; agent: string }) => Promise<void>;
  forgetSession: (key: SessionKey) => Promise<void>;
  rag: DaemonRag;
  traces: RuntimeDeps["traces"];
  sendMessage: RuntimeDeps["sendMessage"];
  /** Command that starts a helper process of this program. */
  helperCommand: (name: string) => string[];
  clock: Clock;
  newId: NewId;
  log: Logger;
}

export interface TenantApiSettings extends TenantSettings {
  models: { rehearse: boolean };
}

/** Paths that the API token does not protect, because the runtime's own token does. */
export const internalPaths = "/v1/internal/*";

export interface TenantApi {
  /** App for the control planes of this process, which nothing outside can call. */
  app: Pick<ServiceApp, "handle"> & { run: RuntimeClient["run"] };
  /** The same for control planes on other machines that send the token; absent without one. */
  routesFor(token: string | undefined): Promise<AnyElysia[]>;
  close(): Promise<void>;
}

/** Assembles tenants' agents, separate from the operator's. Creates nothing before the first one is registered. */
export function openTenantApi(
  config: TenantApiSettings,
  {
    parts,
    models,
    owners,
    storage,
    gate,
    pools,
    metrics,
    stopping,
    approvals,
    durable,
    runs,
    ...rest
  }: TenantApiPorts,
): TenantApi {
  const {
    built,
    summarize,
    forget,
    forgetSession,
    rag,
    traces,
    sendMessage,
    helperCommand,
    clock,
    newId,
    log,
  } = rest;
  const { tenants } = config.runtime.spec;
  const opened = new Set((tenants?.tools ?? []).filter((name) => openableTools.includes(name)));
  const current = byRevision(models.revision, () =>
    tenantTerms(
      { ...config, providers: models.files.providers(), runtime: models.files.runtime() },
      models.sources,
    ),
  );
  const environments = createTenantEnvironments(config, {
    base: parts,
    models: () => current().models,
    registries: () => current().registries,
    owners,
    helperCommand,
    log,
  });
  const ready = new OwnKeyAgents();
  const builder = createTenantBuilder(config, { environments, current });
  const agents = new TenantAgents(
    {
      revision: models.revision,
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
        if (served.length === 0) return environments.leave(tenant);
        const sources = served.flatMap(({ live }) => live?.sources ?? []);
        environments.of(tenant).mcp.keep(sources.flatMap(({ source }) => source.mcp?.server ?? []));
      },
    },
    undefined,
    built,
  );
  const deps: RuntimeDeps = {
    version,
    clock,
    log,
    gate,
    pools,
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
      const { parts: own } = environments.of(tenant);
      return ready.get(tenant, agent, keys, () =>
        withOwnKeys(agent, own, current().ownKeys.resolving(own.models, tenant, keys)),
      );
    },
    runs: tenantRuns({ runs, summarize }, built, metrics, (provider, model) =>
      current().models.isListed(provider, model),
    ),
    sharedBy: (tenant) => environments.of(tenant),
    approvals,
    durable,
    sendMessage,
    async forget(tenant, agentId, name) {
      await forgetApprovals(storage, { tenant, agent: name });
      await forget({ tenant, agent: agentId });
    },
    forgetSession,
    async forgetRuns(tenant, sessionId) {
      await forgetSessionApprovals(storage, { tenant, sessionId });
      await traces.forgetSession(tenant, sessionId);
    },
    documents: tenantDocuments(rag, owners),
    traces,
    stored: (owners) => storedOf(storage, owners),
    catalog: () =>
      tenantCatalog({
        tools: builtinTools.values(),
        opened,
        sendsMessages: sendMessage() !== undefined,
        models: offeredModels(models.sources),
      }),
  };
  let app: ServiceApp | undefined;
  const handle: ServiceApp["handle"] = async (request, origin) => {
    if (app === undefined) {
      const { createRuntimeApp } = await import("./runtime-app.ts");
      app ??= createRuntimeApp(deps, newId);
    }
    return app.handle(request, origin);
  };
  let perform: RuntimeClient["run"] | undefined;
  const firstRun: RuntimeClient["run"] = async function* (name, given) {
    perform ??= (await import("./run-here.ts")).runsHere(deps, newId);
    yield* perform(name, given);
  };
  const run: RuntimeClient["run"] = (name, given) => (perform ?? firstRun)(name, given);
  return {
    app: { handle, run },
    async routesFor(token) {
      if (token === undefined) return [];
      const { runtimeRoutes } = await import("./routes.ts");
      const documents = await import("./document-routes.ts");
      return [
        runtimeRoutes(deps, token),
        documents.runtimeDocumentRoutes(deps, token),
        documents.runtimeUploadRoutes(deps, token),
      ];
    },
    close: () => environments.close(),
  };
}

/** Ports of tenants' runs. The operator's callers see them only as `tenant`, and budgets of the operator's agents don't apply. */
function tenantRuns(
  { runs, summarize }: Pick<TenantApiPorts, "runs" | "summarize">,
  built: BuiltAgents,
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
    findAgent: (tenant, name) => built.find(tenant, name)?.agent,
  };
}
