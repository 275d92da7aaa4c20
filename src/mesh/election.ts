/*
 * Who leads, as one node sees it: the bully algorithm (Garcia-Molina, 1982) with terms.
 *
 * The living node with the highest id leads. When the leader is gone, a node sends `election` to every higher one; each answers `ok`, and
 * the highest takes the next term and announces it as `coordinator`. A leader that sees a higher node steps down first: one that doesn't
 * see it may be cut off, and leads until it has lost the majority. Announcements may be lost, so each gossip also carries term and
 * leader. A higher term replaces a lower one; in one term the higher id does. Gossip without a leader carries the term as well: a node that
 * was restarted counts from the start, and must lead in a term that the others take for news.
 *
 * A node without a majority of the last agreed members knows no leader. That is not enough for one leader at a time in every partition, so
 * no duty may hang on it: single duties take a lease in the database.
 */

export interface Election {
  /** Highest term heard of. */
  term: number;
  leader: string | null;
  /** Tick from which this node asks the higher ones again. */
  askAgainAt: number;
}

/** What a node sees of the mesh at the moment. */
export interface View {
  self: string;
  tick: number;
  /** Ids of the living nodes, this one included. */
  living: readonly string[];
  hasMajority: boolean;
}

export type ElectionInput =
  | { type: "tick" }
  /** A lower node asks whether this one is there. */
  | { type: "election"; sender: string }
  /** A node announces itself, or gossip carries the leader of its sender. */
  | { type: "coordinator"; leader: string; term: number }
  /** Gossip of a node that knows a term and no leader of it. */
  | { type: "leaderless"; term: number };

export type ElectionEffect =
  /** Ask these nodes to take over. */
  | { type: "ask"; nodes: readonly string[] }
  /** Tell every other node that this one leads. */
  | { type: "announce"; term: number };

export interface ElectionStep {
  state: Election;
  effects: readonly ElectionEffect[];
}

/** Ticks after which the higher nodes are asked again. */
const patienceTicks = 3;

export const newElection = (): Election => ({ term: 0, leader: null, askAgainAt: 0 });

/** Returns the state after `input` and the messages to send. */
export function stepElection(state: Election, input: ElectionInput, view: View): ElectionStep {
  switch (input.type) {
    case "tick":
      return tick(state, view);
    case "election":
      return input.sender < view.self ? takeOver(state, view) : { state, effects: [] };
    case "coordinator":
      return { state: follow(state, input, view), effects: [] };
    case "leaderless":
      return { state: input.term > state.term ? leaderless(state, input.term) : state, effects: [] };
  }
}

/** True if an announcement is news: of a higher term, or of the same term and a higher or the same leader. */
export const isNews = ({ term, leader }: Election, told: { leader: string; term: number }): boolean =>
  told.term > term || (told.term === term && (leader === null || told.leader >= leader));

function tick(state: Election, view: View): ElectionStep {
  const { self, living, hasMajority } = view;
  if (!hasMajority) return { state: state.leader === null ? state : { ...state, leader: null }, effects: [] };
  const isLed = state.leader !== null && living.includes(state.leader);
  const current: Election = isLed ? state : { ...state, leader: null };
  const higher = living.filter((id) => id > self);
  if (higher.length === 0) return takeOver(current, view);
  if (state.leader === self) return { state: leaderless(state, state.term + 1), effects: [] };
  if (isLed || view.tick < current.askAgainAt) return { state: current, effects: [] };
  return {
    state: { ...current, askAgainAt: view.tick + patienceTicks },
    effects: [{ type: "ask", nodes: higher }],
  };
}

/** Takes the next term if this node is the highest living one, has a majority, and no living node leads. */
function takeOver(state: Election, { self, living, hasMajority }: View): ElectionStep {
  const isHighest = living.every((id) => id <= self);
  const isLed = state.leader !== null && living.includes(state.leader);
  if (!isHighest || !hasMajority || isLed) return { state, effects: [] };
  const term = state.term + 1;
  return { state: { ...state, term, leader: self }, effects: [{ type: "announce", term }] };
}

function follow(state: Election, told: { leader: string; term: number }, view: View): Election {
  if (!isNews(state, told)) return state;
  const isKnown = view.hasMajority && view.living.includes(told.leader);
  return { ...state, term: told.term, leader: isKnown ? told.leader : null };
}

const leaderless = (state: Election, term: number): Election => ({ ...state, term, leader: null });
