import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../../../src/kit/clock.ts";
import { asked, batchOf, lanceStore, someCollection, tableState } from "../../../support/lance-store.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

describe("what a process has written before it ends", () => {
  /** Adds rows one by one in a store that is then finished and closed. Returns the state of its table. */
  async function written(folder: string, rows: readonly string[], text: string) {
    const store = lanceStore(folder);
    const collection = await store.open(someCollection, 2);
    for (const id of rows) await collection.add(batchOf([{ id, text: `${text} ${id}` }]));
    await store.finish?.();
    await store.close();
    return tableState(join(folder, "vectors"));
  }

  test("is put together and indexed when it is in many files, and stays found", async () => {
    using folder = temporaryFolder();
    const ids = Array.from({ length: 40 }, (_, at) => `id${at}`);
    expect(await written(folder.path, ids, "kept")).toMatchObject({ rows: 40, files: 1, unindexed: 0 });
    const store = lanceStore(folder.path);
    const collection = await store.open(someCollection, 2);
    expect(await collection.count()).toBe(40);
    const found = await collection.matching?.({ ...asked([1, 0], 3), text: "id17" });
    expect(found?.map(({ id }) => id)).toContain("id17");
    await store.close();
  });

  test("is left as it is when there is little of it, until several processes have added to it", async () => {
    using folder = temporaryFolder();
    for (let process = 0; process < 3; process++) {
      const state = await written(folder.path, [`${process}a`, `${process}b`], "little");
      expect(state).toMatchObject({ files: 2 * (process + 1) });
    }
    let most = 0;
    for (let process = 3; process < 30; process++) {
      const { versions } = await written(folder.path, [`${process}a`], "little");
      most = Math.max(most, versions);
    }
    expect(most).toBeLessThanOrEqual(17);
  });

  test("is not removed by a process that only searches", async () => {
    using folder = temporaryFolder();
    await written(folder.path, ["a", "b"], "little");
    const before = await tableState(join(folder.path, "vectors"));
    const store = lanceStore(folder.path, {
      clock: { ...systemClock, now: () => new Date(systemClock.now().getTime() + 3_600_000) },
    });
    const collection = await store.open(someCollection, 2);
    await collection.nearest(asked([1, 0], 1));
    await store.finish?.();
    await store.close();
    expect(await tableState(join(folder.path, "vectors"))).toEqual(before);
  });
});
