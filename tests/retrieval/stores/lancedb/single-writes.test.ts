import { expect, test } from "bun:test";
import { join } from "node:path";
import { connect } from "@lancedb/lancedb";
import { systemClock } from "../../../../src/kit/clock.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { createLanceLoader } from "../../../../src/retrieval/stores/lancedb/native/load-lance.ts";
import { asked, batchOf, lanceStore, someCollection } from "../../../support/lance-store.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

/** A clock for which recent versions are old. */
const laterClock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + 3_600_000) };

test("many single additions leave few files and versions, and nothing is lost or doubled", async () => {
  using folder = temporaryFolder();
  const store = lanceStore(folder.path, { clock: laterClock });
  const rows = await store.open(someCollection, 2);
  const ids = Array.from({ length: 300 }, (_, index) => `r${String(index).padStart(3, "0")}`);
  for (const [index, id] of ids.entries()) {
    await rows.add(batchOf([{ id, text: `word${index} stands here` }], `w${index}`));
    // A repeated call, and a removal, in between.
    if (index % 50 === 49) await rows.add(batchOf([{ id: ids[index - 40] ?? "" }], "again"));
    if (index % 100 === 99) await rows.remove({ ids: [ids[index - 90] ?? ""] });
  }
  expect(await rows.count()).toBe(297);
  const listed = await rows.list({}, { limit: 1000 });
  expect(listed.map(({ id }) => id)).toEqual(ids.filter((id) => !["r009", "r109", "r209"].includes(id)));
  const [first] = (await rows.matching?.({ ...asked([1, 0], 3), text: "word299" })) ?? [];
  expect(first?.id).toBe("r299");
  await store.close();
  const connection = await connect(join(folder.path, "vectors"));
  const [name = ""] = await connection.tableNames();
  const table = await connection.openTable(name);
  expect((await table.stats()).fragmentStats.numFragments).toBeLessThan(80);
  // Without pruning there would be one for each change.
  expect((await table.listVersions()).length).toBeLessThan(80);
  table.close();
  connection.close();
});

test("the caches that are bounded are those that LanceDB uses", async () => {
  using folder = temporaryFolder();
  const load = createLanceLoader({ dataFolder: folder.path, log: silentLogger });
  const library = await load();
  const sessions: InstanceType<typeof library.lance.Session>[] = [];
  class Session extends library.lance.Session {
    constructor(...sizes: ConstructorParameters<typeof library.lance.Session>) {
      super(...sizes);
      sessions.push(this);
    }
  }
  const observed = { ...library, lance: { ...library.lance, Session } };
  const store = lanceStore(folder.path, { load: async () => observed });
  const rows = await store.open(someCollection, 2);
  await rows.add(batchOf([{ id: "a" }]));
  await rows.nearest(asked([1, 0], 1));
  expect(sessions).toHaveLength(1);
  expect(sessions[0]?.approxNumItems()).toBeGreaterThan(0);
  await store.close();
});
