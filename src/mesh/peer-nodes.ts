import type { MeshEntry } from "../contracts/daemon/mesh.ts";
import { AppError, toAppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import { repeatedWorker, type Worker } from "../kit/worker.ts";

export interface PeerNodesDeps {
  peers: readonly { name: string; url: string }[];
  /** Returns what the node at this address offers. Rejects if it can't be reached or refuses. */
  ask(url: string): Promise<MeshEntry>;
  everyMs: number;
  /** Silence after which a peer is suspect, and dead. */
  suspectMs: number;
  deadMs: number;
  clock: Clock;
  log: Logger;
}

interface Peer {
  name: string;
  url: string;
  entry: MeshEntry | undefined;
  heardMs: number;
  fault: AppError | undefined;
}

/** The configured peers, asked every second for their agents and load. They know nothing of each other. */
export class PeerNodes {
  readonly #deps: PeerNodesDeps;
  readonly #peers: readonly Peer[];

  constructor(deps: PeerNodesDeps) {
    this.#deps = deps;
    this.#peers = deps.peers.map((peer) => ({
      ...peer,
      entry: undefined,
      heardMs: Number.NEGATIVE_INFINITY,
      fault: undefined,
    }));
  }

  /** Entries of the peers that have answered, with the state that follows from their silence. */
  get entries(): MeshEntry[] {
    return this.#peers.flatMap((peer) =>
      peer.entry === undefined ? [] : [{ ...peer.entry, state: this.#stateOf(peer) }],
    );
  }

  /** Returns the address of the peer with this node id. */
  urlOf(nodeId: string): string {
    const peer = this.#peers.find(({ entry }) => entry?.node_id === nodeId);
    if (peer !== undefined) return peer.url;
    throw new AppError("unavailable", "node_unreachable", `There is no peer ${nodeId}.`);
  }

  /** Peers that don't answer, with the reason. */
  get silent(): { name: string; url: string; reason: string }[] {
    return this.#peers.flatMap((peer) =>
      this.#stateOf(peer) === "alive"
        ? []
        : [{ name: peer.name, url: peer.url, reason: peer.fault?.message ?? "It has not been asked yet." }],
    );
  }

  worker(): Worker {
    const { clock, everyMs } = this.#deps;
    return repeatedWorker("peers", everyMs, clock, () => this.look());
  }

  /** Asks all peers once. */
  async look(): Promise<void> {
    await Promise.all(this.#peers.map((peer) => this.#ask(peer)));
  }

  async #ask(peer: Peer): Promise<void> {
    const { ask, clock, log } = this.#deps;
    try {
      peer.entry = await ask(peer.url);
      peer.heardMs = clock.monotonicMs();
      peer.fault = undefined;
    } catch (thrown) {
      const fault = toAppError(thrown);
      // A peer may be down for days: each failure of a new kind is logged once.
      if (fault.code !== peer.fault?.code) log.warn("peers.unreachable", { peer: peer.name, err: thrown });
      peer.fault = fault;
    }
  }

  #stateOf({ entry, heardMs }: Peer): MeshEntry["state"] {
    const { clock, suspectMs, deadMs } = this.#deps;
    const silenceMs = clock.monotonicMs() - heardMs;
    if (entry === undefined || entry.state === "dead" || silenceMs >= deadMs) return "dead";
    return silenceMs >= suspectMs ? "suspect" : "alive";
  }
}
