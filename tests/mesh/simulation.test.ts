import { describe, expect, test } from "bun:test";
import { MeshSimulation } from "../support/campaign/mesh-simulation.ts";
import { seeded } from "../support/campaign/seeded.ts";

/** Times that the contract asks for, in seconds. */
const suspectedBelow = 8;
const deadBelow = 20;

const seeds = [1, 2, 3];

/** A mesh in which every node has seen every other. */
async function settled(nodes: number, loss: number, seed: number): Promise<MeshSimulation> {
  const mesh = new MeshSimulation({ nodes, loss, seed });
  await mesh.run(20);
  expect(mesh.hosts.map(({ node }) => node.entries.length)).toEqual(mesh.hosts.map(() => nodes));
  return mesh;
}

const idOf = (number: number) => `node-${String(number).padStart(3, "0")}`;

describe("a mesh of 64 nodes", () => {
  test.each([
    [0.05, 1],
    [0.05, 2],
    [0.2, 3],
  ])("notices a dead node, and takes no other for dead, with %p of the calls lost", async (loss, seed) => {
    const mesh = await settled(64, loss, seed);
    const victim = idOf(1 + ((seed * 17) % 63));
    const others = mesh.hosts.filter(({ id }) => id !== victim);
    mesh.stop(victim);
    let suspectedAfter = 0;
    let deadAfter = 0;
    const falseDeaths = new Set<string>();
    const stoppedAt = mesh.second;
    await mesh.run(25, () => {
      const states = others.map(({ node }) => node.entries.find(({ node_id: id }) => id === victim)?.state);
      if (states.includes("alive")) suspectedAfter = mesh.second - stoppedAt + 1;
      if (states.some((state) => state !== "dead")) deadAfter = mesh.second - stoppedAt + 1;
      for (const { id } of others)
        for (const dead of mesh.seenBy(id, "dead")) if (dead !== victim) falseDeaths.add(dead);
    });
    expect(suspectedAfter).toBeLessThan(suspectedBelow);
    expect(deadAfter).toBeLessThan(deadBelow);
    expect([...falseDeaths]).toEqual([]);
  });

  test("nodes that stall for 5 of 10 seconds take no other for dead", async () => {
    const mesh = await settled(64, 0.05, 7);
    const slow = Array.from({ length: 6 }, (_, index) => idOf(5 + index * 10));
    const falseDeaths = new Set<string>();
    for (let round = 0; round < 6; round++) {
      for (const id of slow) mesh.stop(id);
      await mesh.run(5);
      for (const id of slow) mesh.resume(id);
      await mesh.run(5, () => {
        for (const { id } of mesh.hosts) for (const dead of mesh.seenBy(id, "dead")) falseDeaths.add(dead);
      });
    }
    expect([...falseDeaths]).toEqual([]);
  });

  test("ten nodes that restart every 10 seconds are alive for all others 5 seconds after the last restart", async () => {
    const mesh = await settled(64, 0.05, 11);
    for (let round = 0; round < 3; round++) {
      for (let at = 0; at < 10; at++) mesh.restart(idOf(10 + at * 5));
      await mesh.run(10);
    }
    for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "alive")).toHaveLength(64);
  });
});

describe("leaders", () => {
  test.each(seeds)(
    "half of the nodes know no leader; healed, all know the highest (seed %p)",
    async (seed) => {
      const mesh = await settled(16, 0, seed);
      expect(mesh.leaders()).toEqual([idOf(16)]);
      const side = (id: string) => id <= idOf(8);
      mesh.cut((from, to) => side(from) !== side(to));
      await mesh.run(60);
      expect(mesh.leaders()).toEqual([null]);
      mesh.cut(() => false);
      await mesh.run(15);
      expect(mesh.leaders()).toEqual([idOf(16)]);
    },
  );

  test.each(seeds)("the part with a majority has one leader, the other none (seed %p)", async (seed) => {
    const mesh = await settled(16, 0, seed);
    const isOff = (id: string) => id === idOf(16);
    mesh.cut((from, to) => isOff(from) !== isOff(to));
    // Longer than a dead node is remembered.
    await mesh.run(200);
    expect(mesh.leaders(mesh.hosts.filter(({ id }) => isOff(id)))).toEqual([null]);
    expect(mesh.leaders(mesh.hosts.filter(({ id }) => !isOff(id)))).toEqual([idOf(15)]);
    mesh.cut(() => false);
    await mesh.run(40);
    expect(mesh.leaders()).toEqual([idOf(16)]);
  });

  test("terms only grow, and no two nodes lead in one term", async () => {
    const mesh = await settled(16, 0.2, 5);
    const leadersOfTerm = new Map<number, Set<string>>();
    let terms = new Map<string, number>();
    const watch = () => {
      for (const { id, node } of mesh.hosts) {
        const { leader, term } = node.state();
        expect(term).toBeGreaterThanOrEqual(terms.get(id) ?? 0);
        terms = terms.set(id, term);
        if (leader === id) leadersOfTerm.set(term, (leadersOfTerm.get(term) ?? new Set()).add(id));
      }
    };
    for (const number of [16, 15, 14]) {
      mesh.stop(idOf(number));
      await mesh.run(25, watch);
      mesh.resume(idOf(number));
      await mesh.run(10, watch);
      expect(mesh.leaders()).toEqual([idOf(16)]);
    }
    for (const leaders of leadersOfTerm.values()) expect(leaders.size).toBe(1);
  });
});

/** Faults that a test draws from; `one` and `other` are nodes. */
const pauses = (mesh: MeshSimulation, one: string) => [() => mesh.stop(one), () => mesh.resume(one)];
const restarts = (mesh: MeshSimulation, one: string) => [() => mesh.restart(one)];
const cuts = (mesh: MeshSimulation, one: string, other: string) => [
  () => mesh.cut((from, to) => (from === one) !== (to === one)),
  () => mesh.cut((from, to) => (from === one && to === other) || (from === other && to === one)),
  () => mesh.cut(() => false),
];

describe("whatever happens to the nodes", () => {
  test.each([
    ["pauses and cuts", [pauses, cuts], 1],
    ["restarts", [restarts], 1],
    // A node that was restarted while it reached only some knows nothing of the others, and may have a majority with these.
    ["all of them", [pauses, cuts, restarts], 2],
  ])(
    "%s: so many lead at most, terms only grow, and in the end all follow the highest",
    async (_, kinds, most) => {
      for (let seed = 1; seed <= 40; seed++) {
        const nodes = 3 + (seed % 5);
        const mesh = await settled(nodes, 0, seed);
        const random = seeded(seed);
        const draw = (count: number) => Math.floor(random() * count);
        const terms = new Map<string, { node: unknown; term: number }>();
        const watch = () => {
          const running = mesh.hosts.filter(({ isStopped }) => !isStopped);
          // One that never reached its seeds works alone, and knows of no mesh.
          const leaders = running.filter(({ id, node }) => node.leader === id && node.others.length > 0);
          expect([seed, leaders.length <= most]).toEqual([seed, true]);
          for (const { id, node } of running) {
            const before = terms.get(id);
            const { term } = node.state();
            if (before?.node === node) expect(term).toBeGreaterThanOrEqual(before.term);
            terms.set(id, { node, term });
          }
        };
        for (let round = 0; round < 25; round++) {
          const [one, other] = [idOf(1 + draw(nodes)), idOf(1 + draw(nodes))];
          const faults = kinds.flatMap((kind) => kind(mesh, one, other));
          faults[draw(faults.length)]?.();
          await mesh.run(1 + draw(25), watch);
        }
        mesh.cut(() => false);
        for (const { id } of mesh.hosts) mesh.resume(id);
        await mesh.run(40);
        expect([seed, mesh.leaders()]).toEqual([seed, [idOf(nodes)]]);
      }
    },
  );
});

describe("faults of the network", () => {
  test("calls lost in one direction make no node flap", async () => {
    const mesh = await settled(8, 0, 3);
    mesh.cut((from, to) => from === idOf(2) && to === idOf(5));
    await mesh.run(60, () => {
      for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "dead")).toEqual([]);
    });
  });

  test("two nodes of which one hears nothing change their minds at most once a minute", async () => {
    const mesh = await settled(2, 0, 3);
    let changes = 0;
    const last = new Map<string, string>();
    mesh.cut((from, to) => from === idOf(1) && to === idOf(2));
    await mesh.run(60, () => {
      for (const { id, node } of mesh.hosts) {
        const seen = node.entries.map(({ state }) => state).join();
        if (last.get(id) === undefined || last.get(id) !== seen) changes++;
        last.set(id, seen);
      }
    });
    // The first look, suspect and dead, for each node.
    expect(changes).toBeLessThanOrEqual(6);
  });

  test("a node whose seeds are down serves alone, and joins when one is back", async () => {
    const mesh = new MeshSimulation({ nodes: 3, loss: 0, seed: 2 });
    mesh.stop(idOf(1));
    await mesh.run(30);
    expect(mesh.host(idOf(2)).node.state()).toMatchObject({ leader: idOf(2) });
    mesh.resume(idOf(1));
    await mesh.run(5);
    for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "alive")).toHaveLength(3);
    expect(mesh.leaders()).toEqual([idOf(3)]);
  });

  test("a node that leaves is gone at once, and comes back under the same name", async () => {
    const mesh = await settled(8, 0, 4);
    await mesh.host(idOf(3)).node.leave();
    for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "dead")).toEqual([idOf(3)]);
    mesh.stop(idOf(3));
    await mesh.run(3);
    mesh.restart(idOf(3));
    await mesh.run(3);
    for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "alive")).toHaveLength(8);
  });

  test("a process that was paused for 30 seconds takes no node for dead and is seen again", async () => {
    const mesh = await settled(8, 0, 6);
    mesh.stop(idOf(8));
    await mesh.run(30);
    expect(mesh.leaders()).toEqual([idOf(7)]);
    mesh.resume(idOf(8));
    await mesh.run(1);
    expect(mesh.seenBy(idOf(8), "dead")).toEqual([]);
    await mesh.run(4);
    for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "alive")).toHaveLength(8);
    expect(mesh.leaders()).toEqual([idOf(8)]);
  });
});

test.each(seeds)(
  "a node that was dead and restarts is alive everywhere within 10 seconds (seed %p)",
  async (seed) => {
    const mesh = await settled(16, 0.05, seed);
    const victim = idOf(7);
    await mesh.run(60);
    mesh.stop(victim);
    await mesh.run(25);
    mesh.restart(victim);
    await mesh.run(10);
    for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "alive")).toHaveLength(16);
  },
);

test("a node that left and returns is alive everywhere", async () => {
  const mesh = await settled(8, 0, 5);
  const { node } = mesh.host(idOf(3));
  await node.leave();
  await mesh.run(5);
  for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "alive")).toHaveLength(7);
  // It still hears of the others.
  mesh.stop(idOf(8));
  await mesh.run(20);
  expect(mesh.seenBy(idOf(3), "dead")).toContain(idOf(8));
  mesh.resume(idOf(8));
  await node.rejoin();
  await mesh.run(5);
  for (const { id } of mesh.hosts) expect(mesh.seenBy(id, "alive")).toHaveLength(8);
});
