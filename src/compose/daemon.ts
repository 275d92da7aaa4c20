import { join } from "node:path";
import { Registry } from "prom-client";
import { version } from "../../package.json" with { type: "json" };
import { createUntrustedEngine } from "../engine/prompts/untrusted-engine.ts";
import { buildAgent } from "../engine/run/build-agent.ts";
import { overrideAgent } from "../engine/run/override-agent.ts";
import type { RunPorts } from "../engine/run/run.ts";
import type { TraceSink } from "../engine/telemetry/trace.ts";
import { bindBuiltinTools } from "../engine/tools/bind-tools.ts";
import { AppError } from "../kit/app-error.ts";
import { AdmissionGate } from "../kit/concurrency/admission-gate.ts";
import { learnSecretsIn } from "../kit/secrets/learn-secret.ts";
import { redact } from "../kit/secrets/redact.ts";
import { agentKind } from "../manifest/agent/agent-kind.ts";
import { checkReferences } from "../manifest/check-references.ts";
import type { ManifestRegistries } from "../manifest/schema/registries.ts";
import { isTrusted } from "../manifest/senders/sender.ts";
import { senderProblems } from "../manifest/senders/sender-policy.ts";
import { AgentCatalog } from "../services/daemon/agents/agent-catalog.ts";
import { AgentLibrary } from "../services/daemon/agents/agent-library.ts";
import { observeVariables } from "../services/daemon/agents/observed-variables.ts";
import { createOverriddenAgents } from "../services/daemon/agents/overridden-agents.ts";
import { openPausedAgents } from "../services/daemon/agents/paused-agents.ts";
import { createDaemonApp } from "../services/daemon/app.ts";
import { forgetApprovals } from "../services/daemon/approvals/store.ts";
import { webhookPath } from "../services/daemon/channels/routes.ts";
import { BudgetBook } from "../services/daemon/costs/budget-book.ts";
import { CostLedger } from "../services/daemon/costs/cost-ledger.ts";
import { type DaemonDeps, operatorTenant } from "../services/daemon/deps.ts";
import { manifestWatcher } from "../services/daemon/manifests/watch-manifests.ts";
import { meshPaths } from "../services/daemon/mesh/routes.ts";
import { createDaemonMetrics } from "../services/daemon/metrics/daemon-metrics.ts";
import { loopLagSampler } from "../services/daemon/metrics/loop-lag.ts";
import { migrations } from "../services/daemon/migrations.gen.ts";
import { openStoredProviders, type StoredProviders } from "../services/daemon/providers/stored-providers.ts";
import { collectionsElsewhere } from "../services/daemon/rag/vectors-elsewhere.ts";
import { socketPath } from "../services/daemon/runs/stream-access.ts";
import { providerProber } from "../services/daemon/system/provider-prober.ts";
import { tables } from "../services/daemon/tables.ts";
import { OtlpExporter } from "../services/daemon/traces/otlp/otlp-exporter.ts";
import { insertTraces } from "../services/daemon/traces/store.ts";
import { createTraceArchive, tracePruner } from "../services/daemon/traces/trace-archive.ts";
import { TraceBuffer } from "../services/daemon/traces/trace-buffer.ts";
import { lineWriter, toAll } from "../services/daemon/traces/trace-sinks.ts";
import { openStorage } from "../storage/open-storage.ts";
import { checkSealingKeys } from "../storage/sealing/key-check.ts";
import type { Dialect } from "../storage/tables/columns.ts";
import { createAgentParts } from "./agent-parts.ts";
import { assembleApprovals } from "./approvals.ts";
import { assembleCassettes } from "./cassettes.ts";
import { assembleChannels } from "./channels.ts";
import { childCommand } from "./child-command.ts";
import type { Config } from "./config.ts";
import { openConnections } from "./connections.ts";
import { daemonCheckups } from "./daemon-checkups.ts";
import { createDirectModels } from "./direct-models.ts";
import { createEpisodePlaces } from "./episode-places.ts";
import { accessTo } from "./exposure.ts";
import type { Foundation } from "./foundation.ts";
import { announceRedis } from "./look-at-redis.ts";
import { openLogins, openToolPins } from "./mcp-files.ts";
import { assembleMemory } from "./memory.ts";
import { assembleMl } from "./ml.ts";
import { discoverModels } from "./model-discovery.ts";
import { openOnnx } from "./onnx.ts";
import { openOwnTools } from "./own-tools.ts";
import { assembleRag } from "./rag.ts";
import { assembleRecall } from "./recall.ts";
import { assembleRuntime, internalPaths } from "./runtime.ts";
import { withOwnSecrets } from "./sent-secrets.ts";
import { withSentTemplates } from "./sent-templates.ts";
import { openSentWorld } from "./sent-world.ts";
import type { AssembledService } from "./services.ts";
import { storageCheck } from "./storage-check.ts";
import { fileVariables, keyVariables } from "./tool-secrets.ts";
import { openVectors } from "./vectors.ts";

/** Assembles the daemon on its storage and loads its agents. */
export async function assembleDaemon(foundation: Foundation): Promise<AssembledService> {
  const { config, log, clock, newId, random, folder } = foundation;
  const { observability } = config;
  const { limits } = config.runtime.spec;
  const storage = await openStorage({
    service: "daemon",
    tables,
    migrations,
    folder: folder.path,
    log,
    clock,
    random,
    servers: foundation.servers,
    ...(config.databaseUrl === undefined ? {} : { url: config.databaseUrl }),
  });
  if (foundation.sealer !== undefined) await checkSealingKeys(storage, foundation.sealer, clock);

  const gate = new AdmissionGate({
    inFlightMax: limits?.runs_in_flight ?? 256,
    waitingMax: limits?.runs_waiting ?? 1024,
  });
  const metrics = createDaemonMetrics(new Registry(), () => gate);
  const exporter = observability.otlp && new OtlpExporter(observability.otlp, version, clock, log);
  const buffer = new TraceBuffer((batch) => insertTraces(storage, batch), clock, log);
  const storedProviders = await openStoredProviders({
    storage,
    sealer: foundation.sealer,
    conceal: (secret) => config.knownSecrets.add(secret),
    clock,
    log,
  });
  const inFiles = fileVariables(config.variable, config.knownSecrets);
  const variables = observeVariables((name) =>
    name === providersRevision ? String(storedProviders.revision()) : inFiles(name),
  );
  const maskKnown = (text: string) => config.knownSecrets.mask(text);
  const stopping = new AbortController();
  const memory = await assembleMemory(foundation, {
    storage,
    stopping: stopping.signal,
    catalog: () => catalog,
    tenantAgents: () => runtime.agents(),
    runs: () => runs,
  });
  const onnx = openOnnx(folder.path, log, clock);
  const discovered = await discoverModels(foundation);
  const sources = {
    ...discovered,
    file: storedProviders.over(discovered.file),
    stored: storedProviders,
    variable: keyVariables(variables.read, config.knownSecrets),
  };
  const vectors = openVectors(foundation, { onnx, sources });
  const sent = openSentWorld(foundation, { retrieval: vectors, sources, onnx });
  const rag = await assembleRag(foundation, { storage, retrieval: vectors, sent, variables, metrics });
  const episodes = createEpisodePlaces(foundation, storage);
  const recall = assembleRecall(foundation, {
    storage,
    retrieval: vectors,
    catalog: () => catalog,
    metrics,
    tenantAgent: (owner) => runtime.agentOf(owner),
    episodesAt: episodes.at,
  });
  memory.forgetters.push(recall.forgetAgent);
  const ownTools = await openOwnTools(foundation);
  const connections = openConnections(config, log);
  const parts = createAgentParts(config, {
    clock,
    newId,
    log,
    onnx,
    toolPins: openToolPins(join(folder.path, "mcp-tools.json"), log),
    logins: openLogins(join(folder.path, "mcp-logins.json"), foundation.sealer, log),
    sources,
    conversationsOf: memory.conversationsOf,
    recall: recall.parts,
    knowledge: rag.knowledge,
    ownTools,
    connections,
    modelCalled: metrics.modelCalled,
    sealed: foundation.sealer !== undefined,
  });
  const sentTemplates = createUntrustedEngine({ clock, childCommand: childCommand("template-child") });
  const strangersParts = withSentTemplates(sent.partsOf(parts), sentTemplates);
  // An override's prompt is a template from its sender.
  const overridingParts = withSentTemplates(parts, sentTemplates);
  const paused = openPausedAgents(config.persistAgents ? join(folder.path, "paused-agents.json") : undefined);
  const kindNow = agentKindBy(storedProviders, parts.registries);
  const catalog = new AgentCatalog(paused);
  const library = new AgentLibrary({
    loader: {
      folder: join(config.workspace, "agents"),
      workspace: config.workspace,
      get kind() {
        // A provider that is set up or deleted is another name that manifests may give.
        variables.read(providersRevision);
        return kindNow();
      },
      variables,
      vet: (manifest, sender) => senderProblems(manifest, sender, sent.terms),
      build: (manifest, sender, guardrails) => {
        // Agents are built anew with other providers.
        variables.read(providersRevision);
        if (isTrusted(sender)) {
          learnSecretsIn(manifest.spec, config.knownSecrets);
          return buildAgent(manifest, { ...parts, sender }, guardrails);
        }
        sent.prepare(manifest);
        const ownParts = withOwnSecrets(strangersParts, manifest, config.knownSecrets);
        return buildAgent(manifest, ownParts, guardrails);
      },
    },
    catalog,
    persist: config.persistAgents,
    checkTogether: (agents) =>
      checkReferences(agents, {
        hasPipeline: (name) => rag.knowledge.pipeline(operatorTenant, name) !== undefined,
        hasTool: (name) => ownTools.find(name) !== undefined,
        hasConnection: (name) => connections.find(name) !== undefined,
      }),
    surroundings: () =>
      [rag.rag.pipelines.list(), ownTools.list(), connections.names().map((name) => ({ name }))]
        .map((named) => named.map(({ name }) => name).join())
        .join(" "),
    serve(agents) {
      const servers = agents.flatMap(
        ({ live }) => live?.sources.flatMap(({ source }) => source.mcp?.server ?? []) ?? [],
      );
      parts.tools.mcp?.keep(servers);
      strangersParts.tools.mcp.keep(servers);
    },
    async forget(agent) {
      const key = { tenant: operatorTenant, agent };
      await forgetApprovals(storage, key);
      await memory.forget(key);
    },
    clock,
    log,
  });
  await library.look();

  void announceRedis(config.redisUrl, clock, log);
  const costs = {
    ledger: new CostLedger({ storage, clock, newId, log }),
    budgets: await BudgetBook.open({ storage, owner: newId(), clock, log }),
    prices: config.prices,
  };
  const runs: RunPorts = {
    clock,
    newId,
    random,
    observer: metrics,
    traces: traceSinks(foundation, buffer, exporter),
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
    maskKnown,
    conversationGrew: memory.conversationGrew,
  };
  const routerFor = createDirectModels(parts, storedProviders.revision);
  const cassettes = assembleCassettes(foundation, { templates: sentTemplates, runs, routerFor });
  const approvals = await assembleApprovals(foundation, storage);
  const { channels, workers, intake } = assembleChannels(foundation, {
    storage,
    metrics,
    stopping: stopping.signal,
    awaited: approvals.awaited,
    daemon: () => deps,
  });
  const runtime = assembleRuntime(foundation, {
    parts,
    storage,
    gate,
    metrics,
    stopping: stopping.signal,
    approvals: approvals.desk,
    runs: () => runs,
    forget: memory.forget,
    rag: rag.rag,
  });
  const vectorsElsewhere = async () => [
    ...(await collectionsElsewhere(rag.rag)),
    ...(await recall.recall.semantic.elsewhere()),
  ];
  const patient = {
    storage,
    catalog,
    breakers: parts.breakers,
    models: parts.models,
    pipelines: rag.rag.pipelines,
    channels,
    memory,
    vectors,
    vectorsElsewhere,
    ownTools,
    connections,
  };
  warnOfLocalVectors(foundation, storage.dialect);
  const checkups = daemonCheckups(foundation, patient);
  const deps: DaemonDeps = {
    version,
    startedAt: clock.now(),
    clock,
    newId,
    log,
    catalog,
    library,
    paused,
    overridden: createOverriddenAgents((agent, override) =>
      overrideAgent(agent, override, isTrusted(agent.sender) ? overridingParts : strangersParts),
    ),
    gate,
    stopping: stopping.signal,
    runs,
    builtinTools: bindBuiltinTools(parts.tools),
    ownTools,
    breakers: parts.breakers,
    routerFor,
    storedProviders,
    providerPorts: parts.models.ports,
    modelMarket: { sources, priceOf: parts.priceOf, rehearsing: config.models.rehearse },
    directModels: () => namedModels(config),
    traces: createTraceArchive(storage, buffer),
    recordsContent: observability.record,
    cassettes,
    channels,
    approvals: approvals.desk,
    costs,
    conversationsOf: memory.conversationsOf,
    ml: assembleMl(storage, onnx),
    rag: rag.rag,
    recall: recall.recall,
    metrics,
    checkups: () => [...checkups, ...(foundation.findService("platform")?.checkups ?? [])],
  };
  const internal = await runtime.routesFor(config.runtimeToken);
  const app = createDaemonApp(deps, {
    access: accessTo(config, "daemon", [
      socketPath,
      webhookPath,
      meshPaths,
      ...(internal.length > 0 ? [internalPaths] : []),
    ]),
    internal,
    secure: config.tls !== undefined,
    readReadiness: async () => [
      await storageCheck(storage),
      ...foundation
        .workerStates()
        .map(({ name, status }) => ({ name: `worker ${name}`, ok: status === "running" })),
    ],
  });
  return {
    app,
    runtime: runtime.client,
    workers: [
      buffer.worker(),
      costs.budgets.worker(),
      ...(exporter ? [exporter.worker()] : []),
      tracePruner(storage, observability.retention, clock),
      cassettes.worker,
      manifestWatcher({ what: "agent", look: () => library.look() }, clock, log),
      manifestWatcher({ what: "connection", look: () => connections.look() }, clock, log),
      manifestWatcher({ what: "tool", look: () => ownTools.look() }, clock, log),
      ...approvals.workers,
      ...memory.workers,
      ...rag.workers,
      ...recall.workers,
      vectors.worker(),
      ...(parts.tools.mcp ? [parts.tools.mcp.worker()] : []),
      { ...strangersParts.tools.mcp.worker(), name: "sent-mcp-servers" },
      providerProber(catalog, parts.breakers, clock),
      loopLagSampler(metrics, clock),
      ...workers,
    ],
    intake: {
      ...intake,
      retire: async () => void (await Promise.all([intake.retire(), approvals.ended(), memory.retire()])),
    },
    cancel: () => stopping.abort(runCancelled()),
    async close() {
      await approvals.ended();
      await recall.close();
      await episodes.close();
      await rag.close();
      // A stop must succeed even if the disk is full.
      await buffer.flush().catch((thrown) => log.error("traces.lost", { err: thrown }));
      await costs.ledger.flush().catch(() => {});
      await costs.budgets.flush().catch((thrown) => log.error("budgets.unwritten", { err: thrown }));
      await exporter?.close();
      parts.templates.close();
      sentTemplates.close();
      cassettes.close();
      parts.tools.sql.close();
      ownTools.close();
      await parts.tools.mcp?.close();
      await sent.close();
      await runtime.close();
      await onnx.close();
      await memory.retire();
      await memory.close();
      await vectors.close();
      await storage.close();
    },
  };
}

/** Executables that share a database each use their own disk. */
function warnOfLocalVectors({ config, log }: Foundation, dialect: Dialect): void {
  const { backend = "lancedb", url } = config.runtime.spec.vectors ?? {};
  if (dialect !== "postgres" || backend !== "lancedb" || url !== undefined) return;
  log.warn("vectors.local", {
    folder: join(config.dataFolder, "vectors"),
    hint: "The database is shared, these vectors are not: other executables answer 503 vectors_elsewhere for what is ingested here. Name a shared store with spec.vectors in runtime.yaml.",
  });
}

/** Returns the sinks configured for traces; the daemon's own storage is always included. */
function traceSinks(
  { config: { observability } }: Foundation,
  buffer: TraceBuffer,
  exporter: OtlpExporter | undefined,
): TraceSink {
  const sinks: TraceSink[] = [buffer];
  if (observability.collector === "stdout") sinks.push(lineWriter((line) => process.stdout.write(line)));
  if (exporter) sinks.push(exporter);
  return sinks.length === 1 ? buffer : toAll(sinks);
}

/** Schema of agents' manifests, rebuilt when the stored providers change. */
function agentKindBy(
  stored: StoredProviders,
  registries: ManifestRegistries,
): () => ReturnType<typeof agentKind> {
  let made: { revision: number; kind: ReturnType<typeof agentKind> } | undefined;
  return () => {
    const revision = stored.revision();
    if (made?.revision !== revision) {
      const names = stored.list().map(({ name }) => name);
      const providers = [...new Set([...(registries.providers ?? []), ...names])];
      made = { revision, kind: agentKind({ ...registries, providers }) };
    }
    return made.kind;
  };
}

/** No file can name it: variables are written in capitals. */
const providersRevision = "providers.revision";

const runCancelled = () =>
  new AppError("unavailable", "run_cancelled", "Argosy is stopping and cancelled the run; try again.");

/** Returns the models that providers.yaml names. */
function namedModels({ providers }: Config): { provider: string; model: string }[] {
  return Object.entries(providers.providers).flatMap(([provider, { models }]) =>
    (models ?? []).map((model) => ({ provider, model })),
  );
}
