import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import { overrideAgent } from "../../engine/agents/override-agent.ts";
import { bindBuiltinTools } from "../../engine/tools/bind-tools.ts";
import { isUnder } from "../../http/front-door/front-door.ts";
import type { ServiceApp } from "../../http/service-app.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import { AdmissionGate } from "../../kit/concurrency/admission-gate.ts";
import { KnownOwners } from "../../kit/concurrency/known-owners.ts";
import { AgentCatalog } from "../../services/daemon/agents/agent-catalog.ts";
import { ManifestHistory } from "../../services/daemon/agents/history/manifest-history.ts";
import { createOverriddenAgents } from "../../services/daemon/agents/overridden-agents.ts";
import { openPausedAgents } from "../../services/daemon/agents/paused-agents.ts";
import { createDaemonApp, createEvalBackend, type DaemonDoor } from "../../services/daemon/app.ts";
import { CanaryRuns } from "../../services/daemon/canary/canary-runs.ts";
import { webhookPath } from "../../services/daemon/channels/routes.ts";
import type { DaemonDeps } from "../../services/daemon/deps.ts";
import { announceRedis } from "../../services/daemon/doctor/check-redis.ts";
import { daemonCheckups } from "../../services/daemon/doctor/daemon-checkups.ts";
import { redisWatch } from "../../services/daemon/doctor/redis-watch.ts";
import { manifestWatcher } from "../../services/daemon/manifests/watch-manifests.ts";
import { meshPaths } from "../../services/daemon/mesh/routes.ts";
import { loopLagSampler } from "../../services/daemon/metrics/loop-lag.ts";
import { LoadedModels } from "../../services/daemon/ml/loaded-models.ts";
import { createReleaseGate } from "../../services/daemon/release/create-release-gate.ts";
import { openReleaseRecords } from "../../services/daemon/release/release-records.ts";
import { socketPath } from "../../services/daemon/runs/run-socket.ts";
import { runMessages } from "../../services/daemon/runtime/send-run-message.ts";
import { assembleRuntime, internalPaths } from "../../services/daemon/runtime/tenants/runtime.ts";
import { providerProber } from "../../services/daemon/system/provider-prober.ts";
import type { Dialect } from "../../storage/tables/columns.ts";
import { childCommand } from "../child-command.ts";
import { withDrills } from "../drill/drill-route.ts";
import type { AssembledService, Foundation } from "../foundation.ts";
import type { AccessRule } from "../service.ts";
import { openOwnStorage, readinessOf } from "../service-storage.ts";
import { checkConfiguration } from "../settings/changed-config.ts";
import type { Config } from "../settings/config.ts";
import { keepsAgents } from "../settings/role-settings.ts";
import { assembleChannels, checkChannels } from "./channels.ts";
import { daemonSchema } from "./daemon-schema.ts";
import { assembleEvals } from "./evals.ts";
import { createMemoryOwners } from "./memory/memory-owners.ts";
import { discoverModels } from "./model-discovery.ts";
import { openNodes } from "./nodes.ts";
import { assembleOperations } from "./operations.ts";
import { openAgentBuilding } from "./stages/agent-building.ts";
import { loadAgents } from "./stages/agents.ts";
import { openKnowledge } from "./stages/knowledge.ts";
import { openModels } from "./stages/models.ts";
import { openRuns } from "./stages/runs.ts";
import { openTelemetry } from "./stages/telemetry.ts";

/**
 * Assembles the daemon on its storage and loads its agents. Each stage uses only what the stages before it return. Two objects exist
 * before their contents: the catalog, which the library fills, and the owners of memory, to which the tenants' agents are added.
 */
export async function assembleDaemon(
  foundation: Foundation,
  accessTo: AccessRule,
): Promise<AssembledService> {
  const { config, log, clock, newId, folder } = foundation;
  const discovering = discoverModels(foundation);
  // A storage that can't be opened must not leave an unhandled rejection.
  discovering.catch(() => {});
  const storage = await openOwnStorage(foundation, daemonSchema);
  const stopping = new AbortController();
  const gate = createGate(config);
  const paused = openPausedAgents(config.persistAgents ? join(folder.path, "paused-agents.json") : undefined);
  const catalog = new AgentCatalog(paused);
  const owners = createMemoryOwners(catalog);
  const tenantOwners = new KnownOwners();

  const telemetry = openTelemetry(foundation, { storage, gate });
  const { metrics } = telemetry;
  const models = await openModels(foundation, storage, discovering);
  const knowledge = await openKnowledge(foundation, {
    storage,
    models,
    metrics,
    catalog,
    owners,
    ownerOf: (tenant) => tenantOwners.of(tenant),
  });
  const { memory, recall, rag, vectors } = knowledge;
  const building = await openAgentBuilding(foundation, { models, knowledge, metrics });
  const { parts, strangersParts, ownTools, connections } = building;
  const mask = (text: string) => config.knownSecrets.mask(text);
  const history = new ManifestHistory({ storage, catalog, clock, log, mask });
  const releases = openReleaseRecords(config);
  const operations = assembleOperations(foundation, storage);
  const library = await loadAgents(foundation, {
    gate: createReleaseGate(config, releases, clock, log),
    storage,
    catalog,
    history,
    models,
    knowledge,
    building,
  });
  const canaries = new CanaryRuns({
    storage,
    catalog,
    journal: releases,
    registry: metrics.registry,
    ended: () => library.look(),
    clock,
    newId,
    log,
  });
  void announceRedis(config.redisUrl, clock, log);
  const lookAtProviders = async () => {
    if (await models.storedProviders.refresh()) await library.look();
  };
  const running = await openRuns(foundation, {
    storage,
    catalog,
    models,
    building,
    telemetry,
    stopping: stopping.signal,
    ownerOf: (tenant) => tenantOwners.of(tenant),
  });
  const { runs, costs, routerFor, cassettes, approvals } = running;
  const runtime = assembleRuntime(config, {
    clock,
    newId,
    log,
    helperCommand: childCommand,
    sendMessage: runMessages(() => platformOf(foundation)),
    parts,
    owners: tenantOwners,
    storage,
    gate,
    metrics,
    stopping: stopping.signal,
    approvals: approvals.desk,
    runs,
    summarize: running.summarize,
    forget: knowledge.forget,
    rag: rag.rag,
    traces: telemetry.archive,
  });
  owners.include(runtime.agents);

  const nodes = openNodes(foundation, {
    catalog,
    gate,
    registry: metrics.registry,
    keepTrace: storage.dialect === "sqlite" ? telemetry.keepTrace : undefined,
    directModels: () => namedModels(config),
  });
  foundation.inference.fetch = nodes?.runs.inference;
  const core: Omit<DaemonDeps, "evals"> = {
    version,
    startedAt: clock.now(),
    clock,
    newId,
    log,
    catalog,
    library,
    history,
    paused,
    overridden: createOverriddenAgents((agent, override) =>
      overrideAgent(agent, override, building.overriding(agent.sender)),
    ),
    gate,
    stopping: stopping.signal,
    runs,
    builtinTools: bindBuiltinTools(parts.tools),
    ownTools,
    breakers: parts.breakers,
    routerFor,
    storedProviders: models.storedProviders,
    providerPorts: parts.models.ports,
    modelCatalog: { sources: models.sources, priceOf: parts.priceOf, rehearsing: config.models.rehearse },
    directModels: () => namedModels(config),
    traces: telemetry.archive,
    runStats: telemetry.runStats,
    recordsContent: config.observability.record,
    cassettes,
    channels: { phoneMessenger: undefined },
    approvals: approvals.desk,
    costs,
    conversationsOf: memory.conversationsOf,
    ml: { storage, loaded: new LoadedModels(models.onnx) },
    rag: rag.rag,
    recall: recall.recall,
    metrics,
    role: config.role,
    mesh: nodes?.mesh,
    router: nodes?.runs.router,
    canaries,
    hop: nodes?.runs.hop,
    checkups: foundation.checkups,
    retryParked: foundation.retryParked,
    operations: { ...operations.ports, node: nodes?.mesh?.node.state().this_node, mask },
  };
  const internal = await runtime.routesFor(config.runtimeToken);
  const door: DaemonDoor = {
    access: accessTo([socketPath, webhookPath, meshPaths, ...(internal.length > 0 ? [internalPaths] : [])]),
    internal,
    secure: config.tls !== undefined,
    readReadiness: () => readinessOf(storage, foundation),
  };
  const evals = assembleEvals(foundation, { app: createEvalBackend(core, door), runs: core });
  const deps: DaemonDeps = { ...core, evals };
  const channels = assembleChannels(foundation, { storage, awaited: approvals.awaited, daemon: deps });
  warnOfLocalVectors(config, storage.dialect, foundation.log);
  const checkups = daemonCheckups(foundation, {
    storage,
    catalog,
    configuration: () => checkConfiguration(config),
    breakers: parts.breakers,
    models: parts.models,
    pipelines: rag.rag.pipelines,
    channels: () => checkChannels(deps.channels, deps),
    memory,
    vectors,
    vectorsElsewhere: knowledge.vectorsElsewhere,
    ownTools,
    connections,
    mesh: nodes,
  });
  const app = createDaemonApp(deps, door);
  const lookAtFiles = async () => {
    for (const source of [connections, ownTools, rag.rag.pipelines]) await source.look();
    if (keepsAgents(config.role)) await library.look();
  };
  return {
    app,
    control: withDrills(withFreshFiles(app, lookAtFiles, clock), foundation, {
      app,
      breakers: parts.breakers,
      dialect: storage.dialect,
    }),
    internal: {
      handle(request, origin) {
        const isInternal = isUnder(new URL(request.url).pathname, internalPaths);
        return isInternal ? runtime.app.handle(request, origin) : app.handle(request, origin);
      },
      run: runtime.app.run,
    },
    runs: () => gate.inFlight,
    storage,
    checkups,
    retained: operations.retained,
    workers: [
      telemetry.workers.buffer,
      costs.budgets.worker(),
      ...(telemetry.workers.exporter ? [telemetry.workers.exporter] : []),
      telemetry.workers.pruner,
      cassettes.worker,
      ...(keepsAgents(config.role)
        ? [manifestWatcher({ what: "agent", look: () => library.look() }, clock, log)]
        : []),
      manifestWatcher({ what: "connection", look: () => connections.look() }, clock, log),
      manifestWatcher({ what: "tool", look: () => ownTools.look() }, clock, log),
      // Only PostgreSQL is shared: a SQLite file has one process.
      ...(storage.dialect === "postgres"
        ? [manifestWatcher({ what: "provider", look: lookAtProviders }, clock, log)]
        : []),
      ...approvals.workers,
      ...memory.workers,
      ...rag.workers,
      ...recall.workers,
      vectors.worker(),
      ...(foundation.startsPrograms && parts.tools.mcp ? [parts.tools.mcp.worker()] : []),
      ...(foundation.startsPrograms
        ? [{ ...strangersParts.tools.mcp.worker(), name: "sent-mcp-servers" }]
        : []),
      providerProber(catalog, parts.breakers, clock),
      loopLagSampler(metrics, clock),
      operations.worker,
      ...(config.redisUrl === undefined
        ? []
        : [redisWatch(config.redisUrl, { registry: metrics.registry, clock, log })]),
      ...(nodes?.workers ?? []),
      ...channels.workers,
    ],
    intake: {
      begin: channels.intake.begin,
      async retire() {
        // The others send no more runs from now on.
        await nodes?.leave();
        await Promise.all([channels.intake.retire(), running.retire(), evals.runs.close()]);
        await canaries.counted();
      },
    },
    finish: vectors.finish,
    cancel: () => stopping.abort(runCancelled()),
    /** Closes the stages in reverse order. */
    async close() {
      await operations.close();
      await evals.runs.close();
      await running.retire();
      await runtime.close();
      await running.close();
      await building.close();
      await knowledge.close();
      await models.onnx.close();
      await telemetry.close();
      await storage.close();
    },
  };
}

/** Calls of one command that follow each other faster share a look; a command takes longer than this to start. */
const freshMs = 50;

/** Looks at the workspace's files before a call, so that the owner's command sees the file that was saved a moment before. */
function withFreshFiles(app: ServiceApp, look: () => Promise<void>, clock: Clock): ServiceApp {
  let looking = Promise.resolve();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  return {
    ...app,
    async handle(request, origin) {
      const nowMs = clock.monotonicMs();
      if (nowMs - lookedAtMs >= freshMs) {
        lookedAtMs = nowMs;
        // The watcher logs why a look failed. What is loaded keeps serving.
        looking = look().catch(() => {});
      }
      await looking;
      return app.handle(request, origin);
    },
  };
}

/** Limits the number of concurrent runs. */
function createGate({ runtime }: Config): AdmissionGate {
  const { runs_in_flight: inFlightMax = 256, runs_waiting: waitingMax = 1024 } = runtime.spec.limits ?? {};
  return new AdmissionGate({ inFlightMax, waitingMax });
}

/** Returns the address of the platform, in this process or elsewhere; undefined while there is none. */
function platformOf({ config, peers }: Pick<Foundation, "config" | "peers">) {
  const { url } = config.platform;
  return (
    peers.find("platform") ?? (url === undefined ? undefined : peers.find("platform", { url, headers: {} }))
  );
}

/** Executables that share a database each use their own disk. */
function warnOfLocalVectors({ runtime, dataFolder }: Config, dialect: Dialect, log: Foundation["log"]): void {
  const { backend = "lancedb", url } = runtime.spec.vectors ?? {};
  if (dialect !== "postgres" || backend !== "lancedb" || url !== undefined) return;
  log.warn("vectors.local", {
    folder: join(dataFolder, "vectors"),
    hint: "The database is shared, these vectors are not: other executables answer 503 vectors_elsewhere for what is ingested here. Name a shared store with spec.vectors in runtime.yaml.",
  });
}

const runCancelled = () =>
  new AppError("unavailable", "run_cancelled", "Argosy is stopping and cancelled the run; try again.");

/** Returns the models that providers.yaml names. */
function namedModels({ providers }: Config): { provider: string; model: string }[] {
  return Object.entries(providers.providers).flatMap(([provider, { models }]) =>
    (models ?? []).map((model) => ({ provider, model })),
  );
}
