import { isIPv4 } from "node:net";
import { version } from "../../../../package.json" with { type: "json" };
import { type MeshInvite, meshNodesMax } from "../../../contracts/daemon/mesh.ts";
import type { DoctorCheck } from "../../../contracts/daemon/system.ts";
import { readAddress } from "../../../engine/tools/network/address/address-kind.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import { isLoopback } from "../../../kit/fetch/is-loopback.ts";
import { type MetricRegistry, metricsIn } from "../../../kit/metrics.ts";
import { clockOffMaxMs } from "../../../kit/shared-clock.ts";
import type { Worker } from "../../../kit/worker.ts";
import { hostOf } from "../../../mesh/host-of.ts";
import { httpTransport } from "../../../mesh/http-transport.ts";
import { newJoinCode } from "../../../mesh/join-code.ts";
import { answerNewcomers, usualMeetingPoint } from "../../../mesh/lan-discovery.ts";
import { MeshNode, type MeshSettings } from "../../../mesh/mesh-node.ts";
import { MessageSigner } from "../../../mesh/message-signature.ts";
import { NodeTls } from "../../../mesh/tls/node-tls.ts";
import {
  lastMessagesIn,
  messageKeeper,
  type NodeParts,
  type NodeSurroundings,
  nodeOffers,
  openNodeRuns,
  ownName,
  runnable,
} from "./node-runs.ts";
import type { OpenNodes } from "./open-nodes.ts";

/** Settings of this node in a mesh. */
export interface OwnMeshSettings extends Omit<MeshSettings, "nodeId" | "forgetMs"> {
  /** Undefined: made up at the first start and kept in the data folder. */
  nodeName?: string;
  /** Key of the messages' signatures. Undefined only on loopback. */
  secret?: string;
  /** Port for the other nodes, over TLS. */
  port?: number;
}

/** Time after its death at which a node is forgotten. */
const forgetMs = 120_000;
const patienceMs = 2_000;
const joinsPerSecond = 50;
/** Longest wait for the runs in flight of a node that leaves. */
const drainMs = 60_000;

/** Opens this node of the mesh. */
export function openMesh(outside: NodeSurroundings, parts: NodeParts, settings: OwnMeshSettings): OpenNodes {
  const { config, clock, folder, log, random } = outside;
  const { catalog, gate } = parts;
  const nodeId = settings.nodeName ?? ownName(folder.path);
  const signer = new MessageSigner(settings.secret, clock, lastMessagesIn(folder.path, log));
  const requireAddress = addressRule(settings);
  const { port, secret } = settings;
  const tls = port === undefined || secret === undefined ? undefined : new NodeTls(secret, nodeId, clock);
  const network =
    tls === undefined ? outside.network : { ...outside.network, ...outside.network.withTls(tls) };
  const surroundings = { ...outside, network };
  const isEncrypted = config.tls !== undefined || tls !== undefined;
  const scheme = isEncrypted ? "https" : "http";
  const self = () => ({ nodeId, incarnation: node.incarnation });
  const node: MeshNode = new MeshNode({
    settings: { ...settings, nodeId, forgetMs },
    version,
    data: parts.data,
    transport: httpTransport({
      fetch: network.fetch,
      scheme,
      signer,
      self,
      requireAddress,
      clock,
      patienceMs,
    }),
    agents: () => runnable(catalog),
    activeRequests: () => gate.inFlight,
    offers: () => nodeOffers(surroundings, parts),
    random,
    log,
  });
  showNodes(parts.registry, node);
  let isDraining = false;
  const runs = openNodeRuns(surroundings, parts, {
    signer,
    self,
    own: () => ({ ...node.own, active_requests: gate.inFlight }),
    others: () => node.others,
    baseUrlOf({ address }) {
      requireAddress(address);
      return `${scheme}://${address}`;
    },
    acceptMs: patienceMs,
    silenceMs: settings.suspectMs,
    isDraining: () => node.hasLeft,
  });
  return {
    runs,
    name: nodeId,
    ...(tls && port !== undefined && { door: { port, tls } }),
    leave: () => node.leave(),
    mesh: {
      node,
      signer,
      encryption: tls?.fingerprint ?? (isEncrypted ? "own certificates" : null),
      requireAddress,
      requireJoinPlace: joinLimit(clock),
      drain() {
        isDraining = true;
        return drain(node, gate, clock);
      },
      invite: createInvitations(settings, clock),
      async rejoin() {
        isDraining = false;
        await node.rejoin();
      },
    },
    workers: [ticker(node, settings.tickMs, clock), messageKeeper(signer, clock), runs.worker],
    check: async () =>
      withEncryption(finding(node, signer), isEncrypted || isLoopback(hostOf(settings.address))),
    unready: () =>
      isDraining ? "This node left the mesh; `argosy mesh join` brings it back." : node.refusal?.message,
  };
}

/**
 * Returns a check of other nodes' addresses. They come from messages, so link-local addresses and metadata services are refused, and this
 * machine's unless this node is on it as well.
 */
function addressRule({ address: own }: OwnMeshSettings): (address: string) => void {
  const isLocal = isLoopback(hostOf(own));
  // Every run on another node asks for its address.
  const allowed = new Set<string>();
  return (address) => {
    if (allowed.has(address)) return;
    const host = hostOf(address);
    const kind = readAddress(host)?.kind ?? (host === "localhost" ? "loopback" : "public");
    if (kind !== "forbidden" && (kind !== "loopback" || isLocal)) {
      if (allowed.size >= meshNodesMax) allowed.clear();
      allowed.add(address);
      return;
    }
    throw new AppError("unprocessable", "node_address_refused", `No node may be at ${address}.`, {
      details: { hint: "Set spec.mesh.advertise of that node to an address that the other machines reach." },
    });
  };
}

const inviteMs = 10 * 60_000;

/** Returns a function that creates a join code and answers to it for 10 minutes. A new code replaces the last one. */
function createInvitations(
  { secret, address, port }: OwnMeshSettings,
  clock: Clock,
): () => Promise<MeshInvite> {
  let last = new AbortController();
  return async () => {
    if (secret === undefined) {
      throw new AppError("conflict", "mesh_secret_missing", "This node has no secret to share.", {
        details: { hint: "Start it with PLATFORM_MESH_SECRET, on an address that other machines reach." },
      });
    }
    last.abort();
    const current = new AbortController();
    last = current;
    const code = newJoinCode();
    const point = { ...usualMeetingPoint, interface: isIPv4(hostOf(address)) ? hostOf(address) : undefined };
    await answerNewcomers(
      point,
      { code, invitation: { address, secret, port: port === undefined ? "" : String(port) } },
      current.signal,
    );
    clock.timer(inviteMs, () => current.abort());
    return { code, expires_in: inviteMs / 1_000 };
  };
}

/** Shows the nodes that this one sees in the metrics. */
function showNodes(registry: MetricRegistry, node: MeshNode): void {
  const { gauge } = metricsIn(registry);
  gauge(
    "platform_mesh_nodes",
    "Nodes of the mesh that this one sees, itself included.",
    ["state"],
    (gauge) => {
      const counts = { alive: 0, suspect: 0, dead: 0, left: 0 };
      for (const { state, has_left: hasLeft } of node.entries) counts[hasLeft ? "left" : state]++;
      for (const [state, count] of Object.entries(counts)) gauge.of(state).set(count);
    },
  );
  gauge(
    "platform_mesh_is_leader",
    "1 if this node takes itself for the leader, otherwise 0.",
    [],
    (gauge) => {
      const { leader, this_node: own } = node.state();
      gauge.set(leader === own ? 1 : 0);
    },
  );
}

function joinLimit(clock: Clock): () => void {
  let second = 0;
  let joins = 0;
  return () => {
    const now = Math.floor(clock.monotonicMs() / 1_000);
    joins = now === second ? joins + 1 : 1;
    second = now;
    if (joins <= joinsPerSecond) return;
    throw new AppError(
      "rate_limited",
      "too_many_joins",
      `More than ${joinsPerSecond} nodes joined in a second.`,
      {
        details: { retryAfterSeconds: 1 },
      },
    );
  };
}

async function drain(node: MeshNode, gate: AdmissionGate, clock: Clock): Promise<number> {
  const runs = gate.inFlight;
  const deadline = clock.monotonicMs() + drainMs;
  await node.leave();
  while (gate.inFlight > 0 && clock.monotonicMs() < deadline) await sleep(clock, 50);
  return runs;
}

function ticker(node: MeshNode, tickMs: number, clock: Clock): Worker {
  return {
    name: "mesh",
    async run(signal) {
      let lateMs = 0;
      while (!signal.aborted) {
        void node.tick(lateMs);
        const dueAt = clock.monotonicMs() + tickMs;
        await sleep(clock, tickMs, signal).catch(() => undefined);
        lateMs = Math.max(0, clock.monotonicMs() - dueAt);
      }
      await node.leave();
    },
  };
}

/** Tells who reads it that messages can be read on the network. */
function withEncryption(found: Omit<DoctorCheck, "name">, isSafe: boolean): Omit<DoctorCheck, "name"> {
  if (isSafe) return found;
  const message = `${found.message} Messages between nodes are not encrypted.`;
  return { mend: "Set PLATFORM_MESH_PORT on all nodes.", ...found, message };
}

function finding(node: MeshNode, signer: MessageSigner): Omit<DoctorCheck, "name"> {
  const { joinFailure, refusal, entries, hasLeft } = node;
  if (hasLeft) {
    return {
      status: "degraded",
      message: "This node left the mesh: it takes no runs of others, and /readyz answers 503.",
      mend: "Let it return with `argosy mesh join`, or stop it.",
    };
  }
  if (refusal !== undefined) {
    return {
      status: "failing",
      message: `This node is alone, and /readyz answers 503. Joining failed: ${refusal.message}`,
      mend: refusal.details.hint ?? "Give this node another PLATFORM_NODE_NAME.",
    };
  }
  const living = entries.filter((entry) => entry.state !== "dead");
  const gone = entries.filter((entry) => entry.state === "dead" && entry.has_left !== true);
  if (joinFailure !== undefined && living.length === 1) {
    return {
      status: "degraded",
      message: `This node is alone. Joining failed: ${joinFailure.message}`,
      mend: "Check PLATFORM_MESH_SEEDS, PLATFORM_MESH_SECRET and the clocks of all nodes.",
    };
  }
  const wrong = living.flatMap(({ node_id: id, clock_off_ms: told }) => {
    const offMs = told ?? signer.skewOf(id) ?? 0;
    return Math.abs(offMs) > clockOffMaxMs ? [`${id} by ${(offMs / 1_000).toFixed(1)} s`] : [];
  });
  if (wrong.length > 0) {
    return {
      status: "degraded",
      message: `Clocks of nodes are off: ${wrong.join(", ")}.`,
      mend: "Set the clocks of all machines by a time service, such as chrony.",
    };
  }
  const { leader } = node.state();
  const reachable = `${living.length} nodes are reachable${leader === null ? ", fewer than a majority" : `, led by ${leader}`}.`;
  if (gone.length === 0 && leader !== null) return { status: "healthy", message: reachable };
  const missing = gone.map(({ node_id: id, address }) => `${id} (${address})`).join(", ");
  return { status: "degraded", message: `${reachable} Not answering: ${missing || "none"}.` };
}
