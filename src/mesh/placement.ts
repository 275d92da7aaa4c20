import type { MeshEntry } from "../contracts/daemon/mesh.ts";

/** What decides where a run goes. */
export interface PlacedRun {
  agent: string;
  /** Session whose conversation is kept on one node. Undefined if any node can continue it. */
  boundSession: string | undefined;
}

/** Runs that a suspect node counts as having in flight, besides its own. */
const suspectPenalty = 100;

/**
 * Returns the nodes that have the agent, the best first. A session that is kept on one node goes by rendezvous hashing (Thaler and
 * Ravishankar, 1996): every node finds the same order without asking, and when a node comes or goes only its own sessions move. Other runs
 * go to the node with the fewest runs in flight, to this one on a tie.
 */
export function placeRun(run: PlacedRun, nodes: readonly MeshEntry[], self: string): readonly MeshEntry[] {
  const able = nodes.filter(({ state, agents }) => state !== "dead" && agents.includes(run.agent));
  if (run.boundSession !== undefined) {
    const key = `${run.agent}\0${run.boundSession}`;
    return able
      .map((node) => ({ node, weight: Bun.hash.xxHash64(`${key}\0${node.node_id}`) }))
      .toSorted((a, b) => (a.weight === b.weight ? byId(a.node, b.node) : a.weight < b.weight ? 1 : -1))
      .map(({ node }) => node);
  }
  return able.toSorted(
    (a, b) => loadOf(a) - loadOf(b) || Number(b.node_id === self) - Number(a.node_id === self) || byId(a, b),
  );
}

const byId = (a: MeshEntry, b: MeshEntry) => (a.node_id < b.node_id ? -1 : 1);

const loadOf = ({ state, active_requests: active }: MeshEntry): number =>
  active + (state === "suspect" ? suspectPenalty : 0);
