import { Value } from "@sinclair/typebox/value";
import { version } from "../../../../package.json" with { type: "json" };
import { type MeshEntry, MeshPeer } from "../../../contracts/daemon/mesh.ts";
import { callService } from "../../../contracts/service-call.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { FetchLike } from "../../../kit/fetch/local-fetch.ts";
import { answerHeader, MessageSigner, signatureHeader } from "../../../mesh/message-signature.ts";
import { PeerNodes } from "../../../mesh/peer-nodes.ts";
import { type DataKeeper, dataRefusal } from "../../../mesh/same-data.ts";
import { peerPath } from "./hop/completion-route.ts";
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

const everyMs = 1_000;
const suspectMs = 5_000;
const deadMs = 15_000;
/** Time for a peer to answer, or to accept a run. */
const patienceMs = 2_000;

/** Daemons that work together without a mesh. */
export interface PeerSettings {
  nodeName?: string;
  secret?: string;
  peers: ConstructorParameters<typeof PeerNodes>[0]["peers"];
  /** `host:port` at which this daemon listens. */
  address: string;
}

/** Opens the way to the daemons that `spec.peers` names, and the one from daemons that name this one. */
export function openPeers(
  surroundings: NodeSurroundings,
  parts: NodeParts,
  settings: PeerSettings,
): OpenNodes {
  const { config, network, clock, log, folder } = surroundings;
  const { catalog, gate } = parts;
  const nodeId = settings.nodeName ?? ownName(folder.path);
  const signer = new MessageSigner(settings.secret, clock, lastMessagesIn(folder.path, log));
  const self = () => ({ nodeId, incarnation: 1 });
  const own = (): MeshEntry => ({
    node_id: nodeId,
    address: settings.address,
    state: "alive",
    heartbeat: 0,
    incarnation: 1,
    agents: runnable(catalog),
    active_requests: gate.inFlight,
    version,
    ...nodeOffers(surroundings, parts),
  });
  const keeper: DataKeeper = { name: nodeId, data: parts.data };
  const peers = new PeerNodes({
    peers: settings.peers,
    async ask(url) {
      const { data, ...entry } = await askPeer(url, { signer, self, fetch: network.fetch, clock });
      const refusal = dataRefusal(keeper, { name: entry.node_id, data });
      if (refusal !== undefined) throw refusal;
      return entry;
    },
    everyMs,
    suspectMs,
    deadMs,
    clock,
    log,
  });
  const runs = openNodeRuns(surroundings, parts, {
    signer,
    self,
    own,
    others: () => peers.entries,
    baseUrlOf: ({ node_id: id }) => peers.urlOf(id),
    acceptMs: patienceMs,
    silenceMs: suspectMs,
    isDraining: () => false,
  });
  return {
    mesh: undefined,
    runs,
    name: nodeId,
    workers: [
      messageKeeper(signer, clock),
      runs.worker,
      ...(settings.peers.length === 0 ? [] : [peers.worker()]),
    ],
    leave: async () => {},
    unready: () => undefined,
    async check() {
      const { silent } = peers;
      if (settings.peers.length === 0) {
        return {
          status: "healthy",
          message: `The mesh is off. This daemon takes runs of others, with the role ${config.role}.`,
        };
      }
      if (silent.length === 0) {
        return { status: "healthy", message: `${settings.peers.length} peers answer.` };
      }
      const missing = silent.map(({ name, url, reason }) => `${name} (${url}): ${reason}`).join(" ");
      return {
        status: silent.length === settings.peers.length ? "failing" : "degraded",
        message: `Not answering: ${missing}`,
        mend: "Check spec.peers of runtime.yaml, and that both daemons have the same PLATFORM_MESH_SECRET.",
      };
    },
  };
}

interface Asking {
  signer: MessageSigner;
  self(): { nodeId: string; incarnation: number };
  fetch: FetchLike;
  clock: Clock;
}

async function askPeer(url: string, { signer, self, fetch, clock }: Asking): Promise<MeshPeer> {
  const text = JSON.stringify({ node_id: self().nodeId });
  const signature = signer.sign(self(), peerPath, text);
  const late = new AbortController();
  const cancel = clock.timer(patienceMs, () => late.abort(silentPeer(url)));
  try {
    const response = await callService({ baseUrl: url, fetch }, "POST", peerPath, {
      text,
      headers: { [signatureHeader]: signature },
      signal: late.signal,
    });
    const answer = await response.text();
    signer.verifyAnswer(signature, response.headers.get(answerHeader), answer);
    const peer: unknown = JSON.parse(answer);
    if (Value.Check(MeshPeer, peer)) return peer;
    throw new AppError("upstream_failed", "node_answer_invalid", `The answer of ${url} has another form.`);
  } finally {
    cancel();
  }
}

const silentPeer = (url: string) =>
  new AppError("upstream_failed", "node_silent", `The daemon at ${url} did not answer in time.`);
