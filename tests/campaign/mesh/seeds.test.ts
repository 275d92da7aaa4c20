import { expect, test } from "bun:test";
import { meshMisses, simulateMesh } from "../../support/campaign/mesh-seed.ts";

test.each([1, 2, 3, 4, 5])(
  "64 nodes meet every goal while 5 %% of the calls are lost, nodes pause and restart, and a partition heals (seed %p)",
  async (seed) => {
    const seen = await simulateMesh({ seed, nodes: 64, loss: 0.05 });
    const missed = Object.entries(meshMisses).filter(([, isMissed]) => isMissed(seen));
    expect(missed.map(([name]) => name)).toEqual([]);
  },
);
