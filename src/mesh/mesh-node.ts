import {
  type MeshData,
  type MeshElection,
  type MeshEntry,
  type MeshGossip,
  type MeshHeartbeat,
  type MeshJoin,
  type MeshJoined,
  type MeshState,
  meshNodesMax,
} from "../contracts/daemon/mesh.ts";
import { AppError, toAppError } from "../kit/app-error.ts";
import type { Logger } from "../kit/log.ts";
import { type ElectionEffect, type ElectionInput, isNews, newElection, stepElection } from "./election.ts";
import {
  hasMajority,
  livingIds,
  type MembershipEffect,
  type MembershipInput,
  type NodeOffers,
  newMembership,
  stepMembership,
  toldEntries,
} from "./membership.ts";
import { dataRefusal, otherData } from "./same-data.ts";

/** Calls to other nodes. They reject if the node can't be reached or refuses. */
export interface MeshTransport {
  join(address: string, body: MeshJoin): Promise<MeshJoined>;
  gossip(address: string, body: MeshGossip): Promise<MeshGossip>;
  elect(address: string, body: MeshElection): Promise<MeshElection>;
}

export interface MeshSettings {
  nodeId: string;
  /** `host:port` at which other nodes reach this one. */
  address: string;
  /** Addresses of nodes to join. */
  seeds: readonly string[];
  /** Time between two ticks, each a heartbeat. */
  tickMs: number;
  /** Time between two rounds of gossip. */
  gossipMs: number;
  suspectMs: number;
  deadMs: number;
  forgetMs: number;
}

export interface MeshNodeDeps {
  settings: MeshSettings;
  version: string;
  /** Database and keys of this node; null if it keeps no data of others. */
  data: MeshData | null;
  transport: MeshTransport;
  /** Agents that this node can run. */
  agents(): readonly string[];
  /** Runs in flight on this node. */
  activeRequests(): number;
  /** Its offers besides its agents. */
  offers?(): NodeOffers;
  random(): number;
  log: Logger;
}

/** Living nodes that each tick gossips with. */
const fanOut = 3;
/** Share of the ticks in which a node also calls a dead node and a seed that it does not see, to heal a partition. */
const healingShare = 0.1;

const nameTaken = "node_name_taken";
/** Refusals that only a person can end: this node's name or data must change. */
const lastingRefusals: ReadonlySet<string> = new Set([nameTaken, otherData]);

/** One node of the mesh: keeps the membership, gossips it, and takes part in elections. `tick` and the received messages drive it. */
export class MeshNode {
  readonly #deps: MeshNodeDeps;
  readonly #calling = new Set<string>();
  /** Ticks from one round of gossip to the next. */
  readonly #gossipEvery: number;
  /** Why the last attempt to join failed; undefined since one succeeded. */
  #joinFailure: AppError | undefined;
  /** The last refusal because of this node's name or data, and the tick of it; undefined since an attempt to join succeeded. */
  #refusal: { failure: AppError; atTick: number } | undefined;
  /** Addresses of nodes that this one did not admit because of their data, and the tick of it. Their refusals say nothing about this node. */
  readonly #notAdmitted = new Map<string, number>();
  #members;
  #election = newElection();

  constructor(deps: MeshNodeDeps) {
    this.#deps = deps;
    const { nodeId, address, tickMs, gossipMs, suspectMs, deadMs, forgetMs } = deps.settings;
    const ticks = (ms: number) => Math.max(1, Math.ceil(ms / tickMs));
    this.#gossipEvery = ticks(gossipMs);
    const own: MeshEntry = {
      node_id: nodeId,
      address,
      state: "alive",
      heartbeat: 0,
      incarnation: 1,
      agents: [...deps.agents()],
      active_requests: deps.activeRequests(),
      version: deps.version,
      ...deps.offers?.(),
    };
    this.#members = newMembership(own, {
      suspectTicks: ticks(suspectMs),
      deadTicks: ticks(deadMs),
      forgetTicks: ticks(forgetMs),
      seedTicks: deps.settings.seeds.some((seed) => seed !== address) ? ticks(suspectMs) : 0,
      pauseMs: suspectMs,
      nodesMax: meshNodesMax,
    });
  }

  get incarnation(): number {
    return this.#members.own.incarnation;
  }

  get own(): MeshEntry {
    return this.#members.own;
  }

  /** The entries of the other nodes. */
  get others(): MeshEntry[] {
    return [...this.#members.others.values()].map(({ entry }) => entry);
  }

  /** The entry of another node, or undefined if it is unknown. */
  other(id: string): MeshEntry | undefined {
    return this.#members.others.get(id)?.entry;
  }

  /** This node's entry and those of all others it knows, by id. */
  get entries(): MeshEntry[] {
    return [this.#members.own, ...this.others].toSorted((a, b) => (a.node_id < b.node_id ? -1 : 1));
  }

  get leader(): string | null {
    return this.#election.leader;
  }

  state(): MeshState {
    const { leader, term } = this.#election;
    return { this_node: this.#members.own.node_id, leader, term, nodes: this.entries };
  }

  get joinFailure(): AppError | undefined {
    return this.#joinFailure;
  }

  /**
   * Why the mesh doesn't take this node, which is alone, by its name or data; undefined if it does. Seeds that are down don't end it at once, but
   * without another refusal it ends after the time in which the other node would be dead.
   */
  get refusal(): AppError | undefined {
    const { settings, tick } = this.#members;
    if (this.#refusal === undefined || this.hasLeft || this.#livingAddresses().length > 0) return undefined;
    const { failure, atTick } = this.#refusal;
    return tick - atTick < settings.deadTicks ? failure : undefined;
  }

  /** Raises the heartbeat, judges the others and gossips. Resolves when the answers are in; the next tick need not wait for that. */
  async tick(lateMs: number): Promise<void> {
    const { agents, activeRequests, offers } = this.#deps;
    this.#apply({
      type: "tick",
      lateMs,
      agents: agents(),
      activeRequests: activeRequests(),
      offers: offers?.(),
    });
    // A node that has left still hears of the others, because it hands its callers' runs to them. It takes no part in elections.
    const asked = this.hasLeft ? undefined : this.#elect({ type: "tick" });
    const isGossipDue = this.#members.tick % this.#gossipEvery === 0;
    const targets = isGossipDue ? this.#targets() : [];
    await Promise.all([...targets.map((address) => this.#gossipWith(address)), this.#heal(), asked]);
  }

  get hasLeft(): boolean {
    return this.#members.own.has_left === true;
  }

  /** Returns to the mesh after `leave`, and tells all living nodes. */
  async rejoin(): Promise<void> {
    this.#apply({ type: "return" });
    await Promise.all(this.#livingAddresses().map((address) => this.#gossipWith(address)));
  }

  /** Joins the mesh of the node at this address. Throws the reason if that fails. */
  async join(address: string): Promise<void> {
    await this.#join(address);
    if (this.#joinFailure !== undefined) throw this.#joinFailure;
  }

  /** Leaves the mesh and tells all living nodes. */
  async leave(): Promise<void> {
    if (this.hasLeft) return;
    const addresses = this.#livingAddresses();
    this.#apply({ type: "leave" });
    await Promise.all(addresses.map((address) => this.#gossipWith(address)));
  }

  /**
   * Takes in a node. `incarnation` is that of the signed message. Throws 409 if another living node has its name, or if it has another
   * database or other keys.
   */
  receiveJoin({ node_id: id, address, agents, meta, data }: MeshJoin, incarnation: number): MeshJoined {
    try {
      this.#requireSameData(id, data);
    } catch (refusal) {
      this.#keepOut(address);
      throw refusal;
    }
    this.#notAdmitted.delete(address);
    const known = id === this.#members.own.node_id ? this.#members.own : this.#members.others.get(id)?.entry;
    if (known !== undefined && known.state === "alive" && known.address !== address) {
      throw new AppError(
        "conflict",
        nameTaken,
        `The node ${id} is alive at ${known.address}. Give this node another name.`,
      );
    }
    const version = meta?.version;
    this.#apply({
      type: "told",
      entries: [
        {
          node_id: id,
          address,
          agents,
          incarnation,
          heartbeat: 0,
          state: "alive",
          active_requests: 0,
          ...(version !== undefined && { version }),
        },
      ],
    });
    return {
      status: "joined",
      leader: this.#election.leader,
      cluster_size: livingIds(this.#members).length,
    };
  }

  /** Takes over what a node tells, and answers with what this one knows. */
  receiveGossip(gossip: MeshGossip): MeshGossip {
    this.#takeOver(gossip);
    return this.#gossip(this.#members.others.get(gossip.sender)?.entry);
  }

  /** Returns false for an unknown node. */
  receiveHeartbeat({ node_id: nodeId, heartbeat, active_requests: activeRequests }: MeshHeartbeat): boolean {
    if (!this.#members.others.has(nodeId)) return false;
    this.#apply({ type: "heartbeat", nodeId, heartbeat, activeRequests });
    return true;
  }

  /** Marks another node as gone. Returns false for an unknown one. */
  receiveLeave(nodeId: string): boolean {
    if (!this.#members.others.has(nodeId)) return false;
    this.#apply({ type: "left", nodeId });
    return true;
  }

  /** Answers a message of an election. Throws 409 for a coordinator whose term is not newer. */
  receiveElection({ type, sender, term = 0 }: MeshElection): MeshElection {
    if (type === "election") void this.#elect({ type: "election", sender });
    if (type === "coordinator") {
      const told = { leader: sender, term };
      if (!isNews(this.#election, told)) {
        throw new AppError(
          "conflict",
          "stale_term",
          `Term ${term} is not newer than ${this.#election.term}.`,
        );
      }
      void this.#elect({ type: "coordinator", ...told });
    }
    return { type: "ok", sender: this.#members.own.node_id, term: this.#election.term };
  }

  /**
   * News for `listener`. A node that was restarted counts from the start again, which the others take for old news. It must
   * hear what is known of its earlier life, to begin a new incarnation.
   */
  #gossip(listener: MeshEntry | undefined): MeshGossip {
    const { leader, term } = this.#election;
    const entries = toldEntries(this.#members);
    if (listener !== undefined && !entries.includes(listener)) entries.push(listener);
    return { sender: this.#members.own.node_id, data: this.#deps.data, state: entries, term, leader };
  }

  /** A node may come back with another database, so each message is checked. */
  #requireSameData(name: string, data: MeshGossip["data"]): void {
    const own = { name: this.#members.own.node_id, data: this.#deps.data };
    const refusal = dataRefusal(own, { name, data });
    if (refusal !== undefined) throw refusal;
  }

  #takeOver({ sender, data, state, leader, term }: MeshGossip): void {
    this.#requireSameData(sender, data);
    this.#apply({ type: "told", entries: state });
    if (term === undefined) return;
    if (term === this.#election.term && (leader ?? null) === this.#election.leader) return;
    void this.#elect(leader ? { type: "coordinator", leader, term } : { type: "leaderless", term });
  }

  #apply(input: MembershipInput): void {
    const { state, effects } = stepMembership(this.#members, input);
    this.#members = state;
    for (const effect of effects) this.#report(effect);
  }

  #report(effect: MembershipEffect): void {
    const { log } = this.#deps;
    if (effect.type === "changed")
      log.info("mesh.node_changed", { node: effect.nodeId, state: effect.state });
    else log.error("mesh.node_name_taken", { node: effect.nodeId, address: effect.address });
  }

  async #elect(input: ElectionInput): Promise<void> {
    const members = this.#members;
    const view = {
      self: members.own.node_id,
      tick: members.tick,
      living: livingIds(members),
      hasMajority: hasMajority(members),
    };
    const { state, effects } = stepElection(this.#election, input, view);
    if (state.leader !== this.#election.leader) {
      this.#deps.log.info("mesh.leader_changed", { leader: state.leader, term: state.term });
    }
    this.#election = state;
    await Promise.all(effects.map((effect) => this.#carryOut(effect)));
  }

  async #carryOut(effect: ElectionEffect): Promise<void> {
    const sender = this.#members.own.node_id;
    if (effect.type === "ask") {
      await Promise.all(
        effect.nodes.map((id) =>
          this.#say(this.#members.others.get(id)?.entry.address, { type: "election", sender }),
        ),
      );
      return;
    }
    const message: MeshElection = { type: "coordinator", sender, term: effect.term };
    await Promise.all(this.#livingAddresses().map((address) => this.#say(address, message)));
  }

  /** Sends a message of an election. A lost one does no harm: gossip carries the same. */
  async #say(address: string | undefined, message: MeshElection): Promise<void> {
    if (address === undefined) return;
    await this.#deps.transport.elect(address, message).catch(() => undefined);
  }

  #livingAddresses(): string[] {
    return [...this.#members.others.values()]
      .filter(({ entry }) => entry.state !== "dead")
      .map(({ entry }) => entry.address);
  }

  #targets(): string[] {
    const addresses = this.#livingAddresses();
    for (let at = 0; at < Math.min(fanOut, addresses.length); at++) {
      const other = at + Math.floor(this.#deps.random() * (addresses.length - at));
      [addresses[at], addresses[other]] = [addresses[other] as string, addresses[at] as string];
    }
    return addresses.slice(0, fanOut);
  }

  /** Looks for nodes that are unreachable: always while alone, now and then otherwise. */
  async #heal(): Promise<void> {
    const { random, settings } = this.#deps;
    const living = new Set(this.#livingAddresses());
    if (living.size > 0 && random() >= healingShare) return;
    const dead = [...this.#members.others.values()]
      .filter(({ entry }) => entry.state === "dead" && entry.has_left !== true)
      .map(({ entry }) => entry.address);
    const seeds = settings.seeds.filter((address) => address !== settings.address && !living.has(address));
    const joined = this.hasLeft ? undefined : this.#join(this.#draw(seeds));
    await Promise.all([this.#gossipWith(this.#draw(dead)), joined]);
  }

  #draw(addresses: readonly string[]): string | undefined {
    return addresses[Math.floor(this.#deps.random() * addresses.length)];
  }

  async #join(address: string | undefined): Promise<void> {
    if (address === undefined) return;
    const { own } = this.#members;
    const { transport, version, log } = this.#deps;
    try {
      await transport.join(address, {
        node_id: own.node_id,
        address: own.address,
        agents: own.agents,
        meta: { version },
        data: this.#deps.data,
      });
    } catch (err) {
      // Each failure of a new kind is logged once: a seed may be down for days.
      const failure = toAppError(err);
      if (failure.code !== this.#joinFailure?.code) log.warn("mesh.join_failed", { address, err });
      this.#joinFailure = failure;
      const isOthersFault = failure.code === otherData && this.#hasKeptOut(address);
      if (lastingRefusals.has(failure.code) && !isOthersFault)
        this.#refusal = { failure, atTick: this.#members.tick };
      return;
    }
    this.#joinFailure = undefined;
    this.#refusal = undefined;
    await this.#gossipWith(address);
  }

  #keepOut(address: string): void {
    if (this.#notAdmitted.size >= meshNodesMax) this.#notAdmitted.clear();
    this.#notAdmitted.set(address, this.#members.tick);
  }

  #hasKeptOut(address: string): boolean {
    const { settings, tick } = this.#members;
    return tick - (this.#notAdmitted.get(address) ?? Number.NEGATIVE_INFINITY) < settings.deadTicks;
  }

  /** Exchanges what both know. A node with an unanswered call is not called again. */
  async #gossipWith(address: string | undefined): Promise<void> {
    if (address === undefined || this.#calling.has(address)) return;
    this.#calling.add(address);
    try {
      const listener = this.others.find((entry) => entry.address === address);
      this.#takeOver(await this.#deps.transport.gossip(address, this.#gossip(listener)));
    } catch (err) {
      this.#deps.log.debug("mesh.gossip_failed", { address, err });
    } finally {
      this.#calling.delete(address);
    }
  }
}
