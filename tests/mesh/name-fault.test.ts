import { expect, test } from "bun:test";
import { AppError } from "../../src/kit/app-error.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { MeshNode } from "../../src/mesh/mesh-node.ts";

const taken = new AppError("conflict", "node_name_taken", "The node n1 is alive at a:1.");
const down = new AppError("unavailable", "unreachable", "No answer.");

/** Creates a node with one seed whose answers to a join are `answers.join`. */
function nodeAfter(answers: { join: AppError | undefined }) {
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
  expect(node.nameFault).toBeUndefined();
  await ticks(40);
  expect(node.nameFault).toBe(taken);
  answers.join = undefined;
  await ticks(1);
  expect(node.nameFault).toBeUndefined();
});

test("a seed that is down for a moment doesn't end it; without a refusal it ends after the time to death", async () => {
  const answers: { join: AppError | undefined } = { join: taken };
  const { node, ticks } = nodeAfter(answers);
  await ticks(1);
  answers.join = down;
  await ticks(14);
  expect(node.nameFault).toBe(taken);
  await ticks(1);
  expect(node.nameFault).toBeUndefined();
});

test("neither a seed that is down nor a node that left is reported as a fault of the name", async () => {
  const answers: { join: AppError | undefined } = { join: down };
  const { node, ticks } = nodeAfter(answers);
  await ticks(3);
  expect(node.nameFault).toBeUndefined();
  answers.join = taken;
  await ticks(1);
  await node.leave();
  expect(node.nameFault).toBeUndefined();
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
