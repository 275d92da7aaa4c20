import { expect, test } from "bun:test";
import type { MeshEntry } from "../../../../../src/contracts/daemon/mesh.ts";
import { NodeRouter, type NodeRouterDeps } from "../../../../../src/services/daemon/mesh/hop/node-router.ts";
import type { LocatedAgent } from "../../../../../src/services/daemon/runs/locate-agent.ts";

const node = (id: string, state: MeshEntry["state"] = "alive") =>
  ({ node_id: id, state, agents: ["helper"], active_requests: 0 }) as MeshEntry;

/** Places a run of `helper` on the node `own`, and returns the nodes in the order in which they are asked. */
function placed(own: MeshEntry, others: readonly MeshEntry[], isLoaded = true): string[] {
  const router = new NodeRouter({
    own: () => own,
    others: () => others,
    self: () => ({ nodeId: own.node_id, incarnation: 0 }),
  } as unknown as NodeRouterDeps);
  const agent = { name: "helper", loaded: isLoaded ? {} : undefined } as LocatedAgent;
  const request = {
    sessionId: "s",
    query: "?",
    context: {},
    stream: false,
    cancelledBy: [],
    tenant: "operator",
  };
  return router.place(agent, request).nodes.map(({ id }) => id);
}

test.each<[string, MeshEntry, MeshEntry[], boolean, string[]]>([
  ["the node that was asked first, on a tie", node("b"), [node("a"), node("c")], true, ["b", "a", "c"]],
  ["a node that leaves last", node("b", "dead"), [node("a"), node("c")], true, ["a", "c", "b"]],
  ["a node that leaves, if it is alone", node("b", "dead"), [], true, ["b"]],
  ["no dead ones", node("b"), [node("a", "dead")], true, ["b"]],
  ["none without the agent", node("b", "dead"), [node("a")], false, ["a"]],
])("a run is offered to %s", (_, own, others, isLoaded, order) => {
  expect(placed(own, others, isLoaded)).toEqual(order);
});
