import type { MeshEntry, MeshNodeState } from "../contracts/daemon/mesh.ts";

/*
 * Members of the mesh, as one node sees them.
 *
 * Failure detection follows "A Gossip-Style Failure Detection Service" (van Renesse, Minsky and Hayden, 1998): each node raises its own
 * heartbeat counter at every tick and gossips the counters it knows. A node whose counter stands still is suspect, then dead, then
 * forgotten.
 *
 * alive    Its counter grew within the last `suspectTicks`.
 * suspect  It did not. Runs avoid the node, but it still belongs to the mesh.
 * dead     It did not for `deadTicks`. A higher counter makes it alive again.
 * left     A dead node that said goodbye. Only a higher incarnation makes it alive again.
 *
 * Time is counted in this node's own ticks. A pause of the process or a jump of a clock is one tick, so a node that was stopped does not
 * take the others for dead. After a late tick it waits longer for them, as in "Lifeguard" (Dadgar, Phillips and Currey, 2017).
 */

export interface MembershipSettings {
  suspectTicks: number;
  deadTicks: number;
  /** Ticks after death at which a node is forgotten. */
  forgetTicks: number;
  /** Ticks for which a node that has heard of no other waits before it counts as a majority. 0 without seeds. */
  seedTicks: number;
  /** Lateness of a tick after which nothing heard before it counts for the majority. */
  pauseMs: number;
  nodesMax: number;
}

/** Another node. */
export interface MeshMember {
  /** The latest that was told of it. Its `state` is what this node makes of it. */
  entry: MeshEntry;
  /** Tick at which its counter last grew. */
  heardAt: number;
}

export interface Membership {
  settings: MembershipSettings;
  own: MeshEntry;
  /** Own ticks since the start. */
  tick: number;
  /** The last tick after a pause of the process; 0 without one. */
  pausedAt: number;
  /** Factor of the waits, 1 to 8. */
  widening: number;
  /** Punctual ticks since the last late one. */
  punctual: number;
  others: ReadonlyMap<string, MeshMember>;
  /**
   * Ids of the last agreed members. They change only while most of them are heard of, so two halves of a mesh never both have a majority.
   */
  agreed: ReadonlySet<string>;
}

/** Offers of a node besides its agents. */
export type NodeOffers = Pick<
  MeshEntry,
  "bound_agents" | "models" | "role" | "clock_off_ms" | "shared_files"
>;

export type MembershipInput =
  /** `lateMs`: how much later than planned the tick came. */
  | {
      type: "tick";
      lateMs: number;
      agents: readonly string[];
      activeRequests: number;
      offers?: NodeOffers | undefined;
    }
  | { type: "told"; entries: readonly MeshEntry[] }
  /** A node tells of itself without an incarnation, as the contract's heartbeat does. */
  | { type: "heartbeat"; nodeId: string; heartbeat: number; activeRequests: number }
  | { type: "left"; nodeId: string }
  /** This node leaves. */
  | { type: "leave" }
  /** This node returns after it left. */
  | { type: "return" };

export type MembershipEffect =
  /** Another node uses this name at the address. Its entry was not taken over. */
  | { type: "name_taken"; nodeId: string; address: string }
  | { type: "changed"; nodeId: string; state: MeshNodeState };

export interface MembershipStep {
  state: Membership;
  effects: readonly MembershipEffect[];
}

const lateMs = 1_000;
const wideningMax = 8;
/** Punctual ticks after which the waits shrink by one. */
const recoveryTicks = 10;

export const newMembership = (own: MeshEntry, settings: MembershipSettings): Membership => ({
  settings,
  own,
  tick: 0,
  pausedAt: 0,
  widening: 1,
  punctual: 0,
  others: new Map(),
  agreed: new Set([own.node_id]),
});

/** Returns the state after `input` and what changed. */
export function stepMembership(state: Membership, input: MembershipInput): MembershipStep {
  switch (input.type) {
    case "tick":
      return tick(state, input);
    case "told":
      return told(state, input.entries);
    case "heartbeat":
      return heartbeat(state, input);
    case "left":
      return left(state, input.nodeId);
    case "leave":
      return { state: { ...state, own: { ...state.own, state: "dead", has_left: true } }, effects: [] };
    case "return":
      return { state: { ...state, own: returned(state.own) }, effects: [] };
  }
}

function tick(state: Membership, input: Extract<MembershipInput, { type: "tick" }>): MembershipStep {
  const { own, settings } = state;
  const isLate = input.lateMs > lateMs;
  const punctual = isLate ? 0 : state.punctual + 1;
  const narrower = punctual > 0 && punctual % recoveryTicks === 0 ? 1 : 0;
  const widening = isLate
    ? Math.min(wideningMax, state.widening + 1)
    : Math.max(1, state.widening - narrower);
  const now = state.tick + 1;
  const effects: MembershipEffect[] = [];
  const others = new Map<string, MeshMember>();
  for (const [id, member] of state.others) {
    const silence = now - member.heardAt;
    if (silence >= settings.deadTicks * widening + settings.forgetTicks) continue;
    const next = stateAfter(member.entry, silence, settings, widening);
    if (next === member.entry.state) others.set(id, member);
    else {
      others.set(id, { ...member, entry: { ...member.entry, state: next } });
      effects.push({ type: "changed", nodeId: id, state: next });
    }
  }
  const ticked: Membership = {
    ...state,
    own: {
      ...own,
      ...input.offers,
      heartbeat: own.heartbeat + 1,
      agents: [...input.agents],
      active_requests: input.activeRequests,
    },
    tick: now,
    pausedAt: input.lateMs >= settings.pauseMs ? now : state.pausedAt,
    widening,
    punctual,
    others,
  };
  return { state: { ...ticked, agreed: agreedAfter(ticked) }, effects };
}

function stateAfter(
  entry: MeshEntry,
  silence: number,
  { suspectTicks, deadTicks }: MembershipSettings,
  widening: number,
): MeshNodeState {
  if (entry.has_left === true || silence >= deadTicks * widening) return "dead";
  // A dead node comes back by a counter that grows, never by a wait that widens.
  if (entry.state === "dead") return "dead";
  return silence >= suspectTicks * widening ? "suspect" : "alive";
}

function told(state: Membership, entries: readonly MeshEntry[]): MembershipStep {
  const effects: MembershipEffect[] = [];
  const others = new Map(state.others);
  let own = state.own;
  for (const entry of entries) {
    if (entry.node_id === own.node_id) own = refuted(own, entry, effects);
    else hear(state, others, entry, effects);
  }
  return { state: { ...state, own, others }, effects };
}

/** Returns the own entry, with a higher incarnation if another life of this node, or its death, is told of. */
function refuted(own: MeshEntry, told: MeshEntry, effects: MembershipEffect[]): MeshEntry {
  if (own.has_left === true || told.incarnation < own.incarnation) return own;
  const isSame = told.incarnation === own.incarnation;
  if (isSame && told.has_left !== true && told.heartbeat <= own.heartbeat && told.address === own.address) {
    return own;
  }
  if (told.address !== own.address && told.has_left !== true && told.state === "alive") {
    effects.push({ type: "name_taken", nodeId: own.node_id, address: told.address });
  }
  return { ...own, incarnation: told.incarnation + 1, heartbeat: 0 };
}

/** Takes over what is told of another node if it is news. */
function hear(
  { settings, tick: now }: Membership,
  others: Map<string, MeshMember>,
  told: MeshEntry,
  effects: MembershipEffect[],
): void {
  const known = others.get(told.node_id);
  if (known === undefined) {
    const isGone = told.state === "dead" && told.has_left !== true;
    if (isGone || others.size + 1 >= settings.nodesMax) return;
  } else {
    if (!isNewer(told, known.entry)) return;
    const hasMoved = told.address !== known.entry.address;
    const isSameLife = told.incarnation === known.entry.incarnation;
    if (hasMoved && (isSameLife || known.entry.state === "alive")) {
      effects.push({ type: "name_taken", nodeId: told.node_id, address: told.address });
      return;
    }
  }
  // A counter that grew shows life, whatever the teller thinks. Only a farewell is believed.
  const state = told.has_left === true ? "dead" : "alive";
  others.set(told.node_id, { entry: told.state === state ? told : { ...told, state }, heardAt: now });
  if (known?.entry.state !== state) effects.push({ type: "changed", nodeId: told.node_id, state });
}

function isNewer(told: MeshEntry, known: MeshEntry): boolean {
  if (told.incarnation !== known.incarnation) return told.incarnation > known.incarnation;
  if (known.has_left === true) return false;
  return told.has_left === true || told.heartbeat > known.heartbeat;
}

/** A farewell is final for its incarnation, so a node that returns begins the next one. */
function returned({ has_left: hasLeft, ...own }: MeshEntry): MeshEntry {
  if (hasLeft !== true) return own;
  return { ...own, state: "alive", incarnation: own.incarnation + 1, heartbeat: 0 };
}

function heartbeat(
  state: Membership,
  { nodeId, heartbeat: beat, activeRequests }: Extract<MembershipInput, { type: "heartbeat" }>,
): MembershipStep {
  const known = state.others.get(nodeId);
  if (known === undefined) return { state, effects: [] };
  return told(state, [{ ...known.entry, heartbeat: beat, active_requests: activeRequests }]);
}

function left(state: Membership, nodeId: string): MembershipStep {
  const known = state.others.get(nodeId);
  if (known === undefined || known.entry.has_left === true) return { state, effects: [] };
  return told(state, [{ ...known.entry, state: "dead", has_left: true }]);
}

/** Ids of the nodes that belong to the mesh now: this one, and those that are alive or suspect. */
export function livingIds({ own, others }: Membership): string[] {
  const ids = own.has_left === true ? [] : [own.node_id];
  for (const [id, { entry }] of others) if (entry.state !== "dead") ids.push(id);
  return ids;
}

/**
 * True if most of the last agreed members were heard of within `suspectTicks`, and since the last pause of this process. A node whose
 * others are only suspect has none: they may have lost it as well, and elect another leader once it is dead to them, which takes longer.
 */
export function hasMajority({ own, others, agreed, tick: now, settings, pausedAt }: Membership): boolean {
  if (others.size === 0 && now < settings.seedTicks) return false;
  const since = Math.max(pausedAt, now - settings.suspectTicks + 1);
  let seen = own.has_left !== true && agreed.has(own.node_id) ? 1 : 0;
  for (const [id, { entry, heardAt }] of others)
    if (entry.has_left !== true && heardAt >= since && agreed.has(id)) seen++;
  return seen * 2 > agreed.size;
}

/** Returns the agreed members: with a majority, those that were not forgotten and did not leave. */
function agreedAfter(state: Membership): ReadonlySet<string> {
  const { own, others, agreed } = state;
  const hasLeft = (id: string) => others.get(id)?.entry.has_left === true;
  const remaining = agreed.values().some(hasLeft)
    ? new Set(agreed.values().filter((id) => !hasLeft(id)))
    : agreed;
  if (!hasMajority({ ...state, agreed: remaining })) return remaining;
  const next = new Set([own.node_id]);
  for (const [id, { entry }] of others) if (entry.has_left !== true) next.add(id);
  return next;
}

/**
 * News that this node sends to the others: itself, those whose counter grew lately, and those that left. The wait is the plain one, so that a slow
 * node does not bring back what the others have forgotten.
 */
export function toldEntries({ own, others, tick: now, settings }: Membership): MeshEntry[] {
  const entries = [own];
  for (const { entry, heardAt } of others.values())
    if (entry.has_left === true || (entry.state !== "dead" && now - heardAt < settings.deadTicks)) {
      entries.push(entry);
    }
  return entries;
}
