import { expect, test } from "bun:test";
import { newId } from "../../../../src/kit/id.ts";
import { tables } from "../../../../src/services/platform/tables.ts";
import { changeRecords, readRecords } from "../../../../src/services/platform/workspace/store.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("records of a workspace", (engine) => {
  async function open() {
    const storage = await engine.open({ service: "platform", tables });
    const deps = { storage, clock: new FakeClock("2026-03-10T12:00:00.000Z"), newId };
    const createdAt = deps.clock.now();
    const tenant = async (crName: string) => {
      const row = { id: newId(), crName, displayName: crName, userId: newId(), createdAt, deletedAt: null };
      await storage.transact((tx) => tx.insert(storage.tables.tenants).values(row));
      return row.id;
    };
    return { deps, ada: await tenant("ada"), bob: await tenant("bob"), storage };
  }
  const agent = (name: string, value = 1) => ({
    resource_type: "platform.agent",
    name,
    applied: { config: { value }, secrets: {} },
  });

  test("are put, replaced and dropped, each tenant's for itself", async () => {
    const { deps, ada, bob, storage } = await open();
    await using _ = storage;
    expect(await readRecords(deps, ada)).toEqual({ revision: 0, resources: [] });
    await changeRecords(deps, ada, { revision: 0, put: [agent("a"), agent("b")], drop: [] });
    await changeRecords(deps, bob, { revision: 0, put: [agent("a", 9)], drop: [] });
    const changed = await changeRecords(deps, ada, { revision: 1, put: [agent("a", 2)], drop: [agent("b")] });
    expect(changed).toEqual({ revision: 2 });
    expect(await readRecords(deps, ada)).toMatchObject({ revision: 2, resources: [agent("a", 2)] });
    expect(await readRecords(deps, bob)).toMatchObject({ revision: 1, resources: [agent("a", 9)] });
  });

  test("a change of an old revision is 409 and changes nothing; of many at once, one wins", async () => {
    const { deps, ada, storage } = await open();
    await using _ = storage;
    for (const revision of [0, 1]) {
      const tries = await Promise.allSettled(
        ["a", "b", "c", "d"].map((name) =>
          changeRecords(deps, ada, { revision, put: [agent(`${name}-${revision}`)], drop: [] }),
        ),
      );
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const one of tries)
        if (one.status === "rejected")
          expect(one.reason).toMatchObject({ kind: "conflict", code: "workspace_changed" });
      expect((await readRecords(deps, ada)).resources).toHaveLength(revision + 1);
    }
  });

  test("an unknown tenant is 404", async () => {
    const { deps, storage } = await open();
    await using _ = storage;
    await expect(changeRecords(deps, newId(), { revision: 0, put: [], drop: [] })).rejects.toMatchObject({
      kind: "not_found",
    });
  });
});
