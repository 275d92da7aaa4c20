import type { MeshGossip } from "../../../src/contracts/daemon/mesh.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { MeshNode, type MeshTransport } from "../../../src/mesh/mesh-node.ts";
import { seeded } from "./seeded.ts";

export interface SimulationOptions {
  nodes: number;
  /** Share of the calls that fail. */
  loss: number;
  seed: number;
}

/** A death or a return as one node saw another. */
export interface Sighting {
  second: number;
  by: string;
  of: string;
}

interface Host {
  id: string;
  node: MeshNode;
  /** A stopped host neither ticks nor answers. */
  isStopped: boolean;
  stoppedSince: number;
  /** Added to the lateness of the next tick, as a clock that jumps forward does. */
  jumpMs: number;
}

const tickMs = 1_000;

/**
 * A mesh in memory. One `step` is one second: every node ticks once, in random order. Calls take no time, which is near enough, because on a
 * network they take a few milliseconds of the second.
 */
export class MeshSimulation {
  readonly hosts: Host[];
  readonly #byId: Map<string, Host>;
  readonly #random: () => number;
  readonly #loss: number;
  #isCut: (from: string, to: string) => boolean = () => false;
  second = 0;

  constructor({ nodes, loss, seed }: SimulationOptions) {
    this.#random = seeded(seed);
    this.#loss = loss;
    const ids = Array.from({ length: nodes }, (_, index) => `node-${String(index + 1).padStart(3, "0")}`);
    this.hosts = ids.map((id) => this.#host(id, ids[0] as string));
    this.#byId = new Map(this.hosts.map((host) => [host.id, host]));
  }

  host(id: string): Host {
    const found = this.#byId.get(id);
    if (found === undefined) throw new Error(`No node ${id}.`);
    return found;
  }

  /** Replaces a host by a new process with the same name and address, which knows nothing but the first node. */
  restart(id: string): void {
    const at = this.hosts.indexOf(this.host(id));
    const host = this.#host(id, this.hosts[at === 0 ? 1 : 0]?.id as string);
    this.hosts[at] = host;
    this.#byId.set(id, host);
  }

  stop(id: string): void {
    Object.assign(this.host(id), { isStopped: true, stoppedSince: this.second });
  }

  /** Resumes a stopped host. Its next tick is late. */
  resume(id: string): void {
    this.host(id).isStopped = false;
  }

  /** The clock of a running host jumps forward by `ms`. */
  jump(id: string, ms: number): void {
    this.host(id).jumpMs = ms;
  }

  /** Calls between nodes for which `isCut` returns true fail. */
  cut(isCut: (from: string, to: string) => boolean): void {
    this.#isCut = isCut;
  }

  /** Runs for so many seconds, or until `after`, called after each of them, returns true. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most callers only watch.
  async run(seconds: number, after?: () => boolean | void): Promise<void> {
    for (let done = 0; done < seconds; done++) {
      this.second++;
      const order = this.hosts
        .filter(({ isStopped }) => !isStopped)
        .map((host) => ({ host, at: this.#random() }))
        .toSorted((a, b) => a.at - b.at);
      for (const { host } of order) {
        const pausedMs = host.stoppedSince < 0 ? 0 : (this.second - host.stoppedSince) * tickMs;
        const lateMs = pausedMs + host.jumpMs;
        Object.assign(host, { stoppedSince: -1, jumpMs: 0 });
        await host.node.tick(lateMs);
      }
      if (after?.() === true) return;
    }
  }

  /** Ids that a host takes for `alive`, `suspect` or `dead`. */
  seenBy(id: string, state: "alive" | "suspect" | "dead"): string[] {
    return this.host(id)
      .node.entries.filter((entry) => entry.state === state)
      .map((entry) => entry.node_id);
  }

  /** Number of hosts that a host takes for alive, itself included. */
  aliveFor(id: string): number {
    const { node } = this.host(id);
    return node.others.filter(({ state }) => state === "alive").length + 1;
  }

  /** The leaders that the running hosts know, without doubles. */
  leaders(among: readonly Host[] = this.hosts): (string | null)[] {
    return [...new Set(among.filter(({ isStopped }) => !isStopped).map(({ node }) => node.leader))];
  }

  #host(id: string, seed: string): Host {
    const node = new MeshNode({
      settings: {
        nodeId: id,
        address: `${id}:8000`,
        seeds: [`${seed}:8000`],
        tickMs,
        gossipMs: tickMs,
        suspectMs: 5_000,
        deadMs: 15_000,
        forgetMs: 120_000,
      },
      version: "0.1.0",
      data: null,
      transport: this.#transportOf(id),
      agents: () => [],
      activeRequests: () => 0,
      random: this.#random,
      log: silentLogger,
    });
    return { id, node, isStopped: false, stoppedSince: -1, jumpMs: 0 };
  }

  #transportOf(from: string): MeshTransport {
    const reach = (address: string) => {
      const host = this.host(address.slice(0, -":8000".length));
      const isLost = this.#loss > 0 && this.#random() < this.#loss;
      if (host.isStopped || isLost || this.#isCut(from, host.id)) throw new Error("unreachable");
      return host.node;
    };
    /** A lost answer: the call had its effect, and the caller does not know. */
    const answered = <T>(address: string, answer: T): T => {
      const to = address.slice(0, -":8000".length);
      if (this.#isCut(to, from)) throw new Error("no answer");
      return answer;
    };
    return {
      join: async (address, body) =>
        answered(address, reach(address).receiveJoin(body, this.host(from).node.incarnation)),
      gossip: async (address, body) => answered(address, reach(address).receiveGossip(copied(body))),
      elect: async (address, body) => answered(address, reach(address).receiveElection(body)),
    };
  }
}

const copied = (gossip: MeshGossip): MeshGossip => ({ ...gossip, state: [...gossip.state] });
