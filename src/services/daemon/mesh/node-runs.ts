import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { MeshData, MeshRole } from "../../../contracts/daemon/mesh.ts";
import type { ProviderFetch } from "../../../engine/models/providers/provider-kind.ts";
import type { TraceSink } from "../../../engine/telemetry/trace.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import type { FetchLike } from "../../../kit/fetch/local-fetch.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { MetricRegistry } from "../../../kit/metrics.ts";
import type { Worker } from "../../../kit/worker.ts";
import type { RuntimeFile } from "../../../manifest/files/runtime-file.ts";
import type { NodeOffers } from "../../../mesh/membership.ts";
import type { LastMessages, MessageSigner } from "../../../mesh/message-signature.ts";
import { PauseWatch } from "../../../mesh/pause-watch.ts";
import type { NodeTls } from "../../../mesh/tls/node-tls.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { PlaceSettings } from "../memory/places/conversation-places.ts";
import { placeOf } from "../memory/places/conversation-places.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { createHopMetrics } from "./hop/hop-metrics.ts";
import { inferenceFetch } from "./hop/inference-calls.ts";
import { NodeRouter, type NodeRouterDeps } from "./hop/node-router.ts";
import type { RunHop } from "./hop/receive-run.ts";

/** Settings of this node among others. */
export interface NodeSettings extends PlaceSettings {
  role: MeshRole;
  tls?: object;
  runtime: RuntimeFile;
}

/** Opens connections to other nodes: without redirects and proxies. */
export interface NodeNetwork {
  fetch: FetchLike;
  /** The same for runs: fetching a request costs more than fetching its parts. */
  fetchRun: NodeRouterDeps["fetch"];
  /** The same with certificates of the mesh. */
  withTls(tls: NodeTls): Pick<NodeNetwork, "fetch" | "fetchRun">;
}

/** The process in which this node runs. */
export interface NodeSurroundings {
  config: NodeSettings;
  folder: { path: string };
  network: NodeNetwork;
  clock: Clock;
  machineClock: { offMs(): number | undefined };
  newId: NewId;
  random: () => number;
  log: Logger;
}

/** Parts of the daemon that other nodes hear of. */
export interface NodeParts {
  catalog: AgentCatalog;
  gate: AdmissionGate;
  /** Database and keys of this node; null if it keeps no data of others. */
  data: MeshData | null;
  /** The files that nodes share; undefined if this one shares none. */
  files(): { revision: number; differing: ReadonlyMap<string, string> } | undefined;
  registry: MetricRegistry;
  /** Undefined where nodes share the traces. */
  keepTrace: TraceSink["record"] | undefined;
  /** The models that providers.yaml names. */
  directModels(): readonly { provider: string; model: string }[];
}

/** Runs between this node and others, in both directions. */
export interface NodeRuns {
  router: NodeRouter;
  hop: RunHop;
  worker: Worker;
  /** Calls models of inference nodes. */
  inference: ProviderFetch;
}

/** Differences between a mesh and configured peers. */
export interface NodeLinks
  extends Pick<
    NodeRouterDeps,
    "signer" | "self" | "own" | "others" | "baseUrlOf" | "acceptMs" | "silenceMs"
  > {
  /** True if this node takes no more runs of others. */
  isDraining(): boolean;
}

/** Runs on other nodes for each run in flight here: they wait there, and need little here. */
const outgoingPerPlace = 4;

/** Opens the way of runs to other nodes and from them. */
export function openNodeRuns(
  { config, network, clock, log, newId }: NodeSurroundings,
  { registry, keepTrace, data }: NodeParts,
  { isDraining, ...links }: NodeLinks,
): NodeRuns {
  const { runs_in_flight: inFlight = 256, runs_waiting: waitingMax = 1024 } =
    config.runtime.spec.limits ?? {};
  const metrics = createHopMetrics(registry);
  const pauses = new PauseWatch(clock);
  const router = new NodeRouter({
    ...links,
    fetch: network.fetchRun,
    clock,
    newId,
    log,
    metrics,
    sharesData: data?.database != null,
    gate: new AdmissionGate({ inFlightMax: inFlight * outgoingPerPlace, waitingMax }),
    keepTrace(done) {
      // A trace from another node is parsed when it is read first.
      if (keepTrace !== undefined && done.trace !== undefined) keepTrace(operatorTenant, done.trace);
    },
  });
  return {
    router,
    inference: inferenceFetch({ ...links, fetch: network.fetchRun, log }),
    worker: pauses.worker(),
    hop: {
      signer: links.signer,
      nodeId: links.self().nodeId,
      own: () => ({ ...links.own(), data }),
      requireOpen() {
        if (isDraining()) throw closed("node_draining", "This node is leaving and takes no runs of others.");
        if (pauses.hasJustResumed) throw closed("node_resumed", "This node was stopped for a while.");
      },
      ended: (outcome) => metrics.received(outcome),
    },
  };
}

/** Returns the agents that run now: those that are loaded and not paused. */
export const runnable = (catalog: AgentCatalog): string[] =>
  catalog.list().flatMap((entry) => (catalog.statusOf(entry) === "ready" ? [entry.name] : []));

/** Returns the agents whose conversations only this node can read. */
const boundAgents = (catalog: AgentCatalog, config: PlaceSettings): string[] =>
  catalog.list().flatMap((entry) => {
    if (entry.agent === undefined || catalog.statusOf(entry) !== "ready") return [];
    const { kind } = placeOf(entry.agent.manifest.spec.memory.conversational, config);
    const isShared =
      kind === "redis" ||
      kind === "postgres" ||
      (kind === "installation" && config.databaseUrl !== undefined);
    return isShared ? [] : [entry.name];
  });

/** Returns what this node offers besides its agents. Only inference nodes share their models. */
export function nodeOffers(
  { config, machineClock }: Pick<NodeSurroundings, "config" | "machineClock">,
  { catalog, directModels, files }: NodeParts,
): NodeOffers {
  const models = directModels().map(({ provider, model }) => `${provider}/${model}`);
  const offMs = machineClock.offMs();
  const shared = files();
  return {
    role: config.role,
    ...(offMs !== undefined && { clock_off_ms: Math.round(offMs) }),
    ...(shared && { shared_files: { revision: shared.revision, differing: shared.differing.size } }),
    bound_agents: boundAgents(catalog, config),
    ...(config.role === "inference" && { models }),
  };
}

/** Keeps the times of other nodes' last messages in the data folder. Losing the file is no fault: windows begin anew. */
export function lastMessagesIn(folder: string, log: Logger): LastMessages {
  const path = join(folder, "mesh-messages.json");
  const draft = `${path}.draft`;
  return {
    read() {
      try {
        return JSON.parse(readFileSync(path, "utf8"));
      } catch {
        return {};
      }
    },
    write(times) {
      try {
        // Not forced to the disk: after a power failure, the time that a machine needs to start is longer than what is lost.
        writeFileSync(draft, JSON.stringify(times), { mode: 0o600 });
        renameSync(draft, path);
      } catch (err) {
        log.debug("mesh.messages_not_kept", { err });
      }
    },
  };
}

/** Keeps these times while the node runs. */
export const messageKeeper = (signer: Pick<MessageSigner, "keep">, clock: Clock): Worker => ({
  name: "mesh-messages",
  async run(signal) {
    while (!signal.aborted) {
      signer.keep();
      await sleep(clock, 1_000, signal).catch(() => undefined);
    }
    signer.keep();
  },
});

/** Returns the name of this node, made up once and kept in the data folder. */
export function ownName(folder: string): string {
  const path = join(folder, "node-name");
  if (existsSync(path)) return readFileSync(path, "utf8").trim();
  const host = hostname()
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
  const name = `${host || "node"}-${randomBytes(3).toString("hex")}`;
  writeFileSync(path, `${name}\n`, { mode: 0o600 });
  return name;
}

const closed = (code: string, message: string) =>
  new AppError("unavailable", code, message, { details: { retryAfterSeconds: 1 } });
