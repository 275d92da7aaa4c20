import { MeshSimulation } from "./mesh-simulation.ts";
import { seeded } from "./seeded.ts";

/** What was seen of one mesh over the faults of docs/mesh.md. */
export interface MeshSeen {
  suspectedAfter: number;
  deadAfter: number;
  falseDeaths: number;
  /** Seconds in which both halves of a partition had a leader. */
  twoLeaders: number;
  /** Seconds from the end of the partition until all nodes know one leader and see all nodes; -1: not within a minute. */
  healedAfter: number;
  /** Seconds from the restart of a node until all see it alive in its new life; -1: not within a minute. */
  restartedAfter: number;
  nodeHours: number;
}

export interface MeshSeed {
  seed: number;
  nodes: number;
  /** Share of the calls that are lost. */
  loss: number;
}

/** Bounds of one seed, in seconds and counts. The 99th percentile of `suspectedAfter` must be below 8. */
export const meshMisses: Readonly<Record<string, (seen: MeshSeen) => boolean>> = {
  "death seen late": ({ deadAfter }) => deadAfter >= 20,
  "false deaths": ({ falseDeaths }) => falseDeaths > 0,
  "two leaders": ({ twoLeaders }) => twoLeaders > 0,
  "healed late": ({ healedAfter }) => healedAfter < 0 || healedAfter >= 10,
  "restart seen late": ({ restartedAfter }) => restartedAfter < 0 || restartedAfter >= 10,
};

const idOf = (number: number) => `node-${String(number).padStart(3, "0")}`;

/**
 * Simulates a mesh in which calls are lost: a node stops, nodes are paused, clocks jump, a partition heals, and a node restarts.
 */
export async function simulateMesh({ seed, nodes, loss }: MeshSeed): Promise<MeshSeen> {
  const random = seeded(seed + 1_000_000);
  const pick = (count: number) => 1 + Math.floor(random() * count);
  const mesh = new MeshSimulation({ nodes, loss, seed });
  const seen: MeshSeen = {
    suspectedAfter: 0,
    deadAfter: 0,
    falseDeaths: 0,
    twoLeaders: 0,
    healedAfter: -1,
    restartedAfter: -1,
    nodeHours: 0,
  };
  await mesh.run(20);

  // A node stops for good.
  const victim = idOf(pick(nodes));
  const others = mesh.hosts.filter(({ id }) => id !== victim);
  const dead = new Set<string>();
  const countFalseDeaths = (isFalse: (id: string) => boolean) => () => {
    for (const { id, isStopped } of others) {
      if (isStopped) continue;
      for (const { node_id: of, state } of mesh.host(id).node.others) {
        if (state === "dead" && isFalse(of)) dead.add(of);
      }
    }
  };
  const stoppedAt = mesh.second;
  mesh.stop(victim);
  const falseDeaths = countFalseDeaths((id) => id !== victim);
  await mesh.run(25, () => {
    const states = others.map(({ node }) => node.other(victim)?.state);
    if (states.includes("alive")) seen.suspectedAfter = mesh.second - stoppedAt + 1;
    if (states.some((state) => state !== "dead")) seen.deadAfter = mesh.second - stoppedAt + 1;
    falseDeaths();
  });

  // A tenth of the nodes is paused for 5 of 10 seconds, and the clock of as many others jumps by an hour.
  const tenth = () =>
    Array.from({ length: Math.floor(nodes / 10) }, () => idOf(pick(nodes))).filter((id) => id !== victim);
  const paused = tenth();
  for (let round = 0; round < 3; round++) {
    for (const id of paused) mesh.stop(id);
    for (const id of tenth()) if (!paused.includes(id)) mesh.jump(id, 3_600_000);
    await mesh.run(5, falseDeaths);
    for (const id of paused) mesh.resume(id);
    await mesh.run(5, falseDeaths);
  }

  // The halves don't see each other for a minute.
  const isLeft = (id: string) => id <= idOf(nodes / 2);
  mesh.cut((one, other) => isLeft(one) !== isLeft(other));
  await mesh.run(60, () => {
    const running = mesh.hosts.filter(({ isStopped }) => !isStopped);
    const leaders = (side: boolean) =>
      mesh.leaders(running.filter(({ id }) => isLeft(id) === side)).filter((leader) => leader !== null);
    const [left, right] = [leaders(true), leaders(false)];
    if (left.some((leader) => right.some((other) => other !== leader))) seen.twoLeaders++;
  });
  mesh.cut(() => false);
  const healedAt = mesh.second;
  await mesh.run(60, () => {
    const known = mesh.leaders();
    const all = others.every(({ id }) => mesh.aliveFor(id) === nodes - 1);
    const isHealed = known.length === 1 && known[0] !== null && all;
    if (isHealed) seen.healedAfter = mesh.second - healedAt;
    return isHealed;
  });

  // A node is killed and starts again at once, without knowing of its earlier life.
  const again = others[pick(others.length) - 1]?.id ?? idOf(1);
  const life = mesh.host(again).node.incarnation;
  const restartedAt = mesh.second;
  mesh.restart(again);
  await mesh.run(60, () => {
    const running = mesh.hosts.filter(({ id }) => id !== victim && id !== again);
    const entries = running.map(({ node }) => node.other(again));
    const isNew = entries.every((entry) => entry?.state === "alive" && entry.incarnation > life);
    const isSeen = isNew && mesh.aliveFor(again) === nodes - 1;
    if (isSeen) seen.restartedAfter = mesh.second - restartedAt;
    return isSeen;
  });
  seen.falseDeaths = dead.size;
  seen.nodeHours = (nodes * 55) / 3600;
  return seen;
}
