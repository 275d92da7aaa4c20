/*
 * All phrases of a set are searched at once (Aho-Corasick): a state represents every phrase that may have begun. One word may be an
 * inflection of several words, so a state is a set of tree nodes. States are created on first use and kept. A word whose state is known
 * costs one step, however many phrases there are.
 */

/** Node of a tree of tokens, in which phrases share their common beginnings. */
export interface PhraseNode {
  /** Tokens from the root to here. */
  depth: number;
  /** Number that is unique in the tree. */
  id: number;
  next: Map<string, PhraseNode[]>;
  /** Labels of the phrases that end here. */
  labels: string[];
}

/** A tree of tokens. */
export interface PhraseNodes {
  readonly root: PhraseNode;
  /** Tokens of the longest phrase. */
  readonly depth: number;
  /** Every token in the tree. */
  readonly tokens: ReadonlySet<string>;
}

/** Every phrase that may have begun at one position of a text. */
export interface PhraseState {
  /** Nodes that more words may follow, deepest first and root last. */
  readonly nodes: readonly PhraseNode[];
  /** Phrases that end here: the longest of each label, longest first. */
  readonly ends: readonly { depth: number; label: string }[];
  readonly next: Map<string, PhraseState>;
}

export interface PhraseAutomaton {
  readonly start: PhraseState;
  /** Tokens of the longest phrase. */
  readonly depth: number;
  /** The state after one more token and the steps of finding it. */
  step(state: PhraseState, token: string): { state: PhraseState; steps: number };
  /** Distance, in tokens, to the start of the longest phrase that a token beginning with `beginning` may continue; -1: none. */
  depthBefore(state: PhraseState, beginning: string): number;
}

/** Maximum nodes in all kept states. Above it the states are dropped and created again on use. */
const keptNodesMax = 200_000;
/** Maximum nodes searched for the beginning of a token. Above it the result assumes that a phrase continues. */
const askedNodesMax = 64;

export function createPhraseAutomaton({ root, depth, tokens: alphabet }: PhraseNodes): PhraseAutomaton {
  const start: PhraseState = { nodes: [root], ends: [], next: new Map() };
  const states = new Map<string, PhraseState>([["0", start]]);
  const sortedTokens = new Map<PhraseNode, string[]>();
  let keptNodes = 0;

  const forget = () => {
    states.clear();
    states.set("0", start);
    start.next.clear();
    keptNodes = 0;
  };

  const follow = (state: PhraseState, token: string): { state: PhraseState; steps: number } => {
    const reached = state.nodes.flatMap((node) => node.next.get(token) ?? []);
    const open = reached.filter(({ next }) => next.size > 0);
    const key = [...reached.map(({ id }) => id), 0].join(" ");
    const steps = 20 + 10 * (state.nodes.length + reached.length);
    let stateOfKey = states.get(key);
    if (stateOfKey === undefined) {
      if (keptNodes > keptNodesMax) forget();
      stateOfKey = { nodes: [...open, root], ends: endsIn(reached), next: new Map() };
      states.set(key, stateOfKey);
      keptNodes += reached.length + 1;
    }
    keptNodes++;
    state.next.set(token, stateOfKey);
    return { state: stateOfKey, steps };
  };

  const mayFollow = (node: PhraseNode, beginning: string): boolean => {
    let tokens = sortedTokens.get(node);
    if (tokens === undefined) {
      tokens = [...node.next.keys()].sort();
      sortedTokens.set(node, tokens);
    }
    return firstFrom(tokens, beginning)?.startsWith(beginning) === true;
  };

  return {
    start,
    depth,
    step(state, token) {
      if (!alphabet.has(token)) return { state: start, steps: 1 };
      const known = state.next.get(token);
      return known === undefined ? follow(state, token) : { state: known, steps: 1 + known.ends.length };
    },
    depthBefore({ nodes }, beginning) {
      for (const [index, node] of nodes.entries()) {
        if (index === askedNodesMax || mayFollow(node, beginning)) return node.depth;
      }
      return -1;
    },
  };
}

function endsIn(reached: readonly PhraseNode[]): PhraseState["ends"] {
  const ends = new Map<string, number>();
  for (const { depth, labels } of reached) {
    for (const label of labels) if (!ends.has(label)) ends.set(label, depth);
  }
  return [...ends].map(([label, depth]) => ({ label, depth }));
}

/** First of the sorted texts that is not less than `least`. */
function firstFrom(sorted: readonly string[], least: string): string | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < least) low = middle + 1;
    else high = middle;
  }
  return sorted[low];
}
