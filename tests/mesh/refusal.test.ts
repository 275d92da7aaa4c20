import { expect, test } from "bun:test";
import type { MeshData } from "../../src/contracts/daemon/mesh.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { MeshNode } from "../../src/mesh/mesh-node.ts";

const taken = new AppError("conflict", "node_name_taken", "The node n1 is alive at a:1.");
const other = new AppError("conflict", "node_data_differs", "Node n1 has another database than node n2.");
const shared: MeshData = { database: ["d1"], sealing: ["s1"], signing: ["j1"] };
const down = new AppError("unavailable", "unreachable", "No answer.");

/** Creates a node with one seed whose answers to a join are `answers.join`. */
function nodeAfter(answers: { join: AppError | undefined }, data: MeshData | null = null) {
  const node = new MeshNode({
    settings: {
      nodeId: "n1",
      address: "b:1",
      seeds: ["a:1"],
      tickMs: 1_000,
      gossipMs: 1_000,
      suspectMs: 5_000,
      deadMs: 15_000,
      forgetMs: 120_000,
    },
    version: "0.1.0",
    data,
    transport: {
      async join() {
        if (answers.join !== undefined) throw answers.join;
        return { status: "joined", leader: null, cluster_size: 2 };
      },
      gossip: async () => ({ sender: "n2", state: [] }),
      elect: async () => ({ type: "ok", sender: "n2" }),
    },
    agents: () => [],
    activeRequests: () => 0,
    random: () => 0,
    log: silentLogger,
  });
  const ticks = async (count: number) => {
    for (let done = 0; done < count; done++) await node.tick(0);
  };
  return { node, ticks };
}

test("the fault of a name lasts while a seed says so, and ends with the first join", async () => {
  const answers: { join: AppError | undefined } = { join: taken };
  const { node, ticks } = nodeAfter(answers);
  expect(node.refusal).toBeUndefined();
  await ticks(40);
  expect(node.refusal).toBe(taken);
  answers.join = undefined;
  await ticks(1);
  expect(node.refusal).toBeUndefined();
});

test("a seed that is down for a moment doesn't end it; without a refusal it ends after the time to death", async () => {
  const answers: { join: AppError | undefined } = { join: taken };
  const { node, ticks } = nodeAfter(answers);
  await ticks(1);
  answers.join = down;
  await ticks(14);
  expect(node.refusal).toBe(taken);
  await ticks(1);
  expect(node.refusal).toBeUndefined();
});

test("neither a seed that is down nor a node that left is reported as a fault of the name", async () => {
  const answers: { join: AppError | undefined } = { join: down };
  const { node, ticks } = nodeAfter(answers);
  await ticks(3);
  expect(node.refusal).toBeUndefined();
  answers.join = taken;
  await ticks(1);
  await node.leave();
  expect(node.refusal).toBeUndefined();
});

test("a node that restarts at another address is refused only until its earlier life is suspect", async () => {
  const { node, ticks } = nodeAfter({ join: down });
  const join = () =>
    node.receiveJoin({ node_id: "n2", address: "c:2", agents: [], meta: { version: "0.1.0" } }, 1);
  node.receiveJoin({ node_id: "n2", address: "c:1", agents: [], meta: { version: "0.1.0" } }, 1);
  await ticks(4);
  expect(join).toThrow("is alive at c:1");
  await ticks(1);
  expect(join().status).toBe("joined");
});

const meta = { version: "0.1.0" };

test("a node with another database is 409 at its join and in gossip, and enters no membership", () => {
  const { node } = nodeAfter({ join: down }, shared);
  const data = { ...shared, database: null };
  const joining = { node_id: "n2", address: "c:1", agents: [], meta, data };
  expect(() => node.receiveJoin(joining, 1)).toThrow("Node n2 has another database than node n1");
  const entry = { ...node.own, node_id: "n2", address: "c:1" };
  expect(() => node.receiveGossip({ sender: "n2", state: [entry], data })).toThrow("another database");
  expect(node.others).toEqual([]);
  node.receiveGossip({ sender: "n2", state: [entry], data: shared });
  expect(node.others).toHaveLength(1);
});

test("a node that another refuses for its data isn't ready, unless it refused the other first", async () => {
  const refused = nodeAfter({ join: other }, shared);
  await refused.ticks(1);
  expect(refused.node.refusal).toBe(other);
  const refusing = nodeAfter({ join: other }, shared);
  const stranger = { node_id: "n2", address: "a:1", agents: [], data: { ...shared, database: ["d2"] } };
  expect(() => refusing.node.receiveJoin(stranger, 1)).toThrow("another database");
  await refusing.ticks(5);
  expect(refusing.node.refusal).toBeUndefined();
});
