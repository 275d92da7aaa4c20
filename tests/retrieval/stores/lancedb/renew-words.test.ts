import { expect, test } from "bun:test";
import { join } from "node:path";
import { tableName } from "../../../../src/retrieval/stores/lancedb/table-name.ts";
import { asked, batchOf, lanceStore, someCollection } from "../../../support/lance-store.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const count = 4100;
const texts = Array.from({ length: count }, (_, at) => (at === count - 1 ? "Große Straße" : `Élève ${at}`));

/** A table as releases before the rule of words made it; `withHalf`: as a process left it that ended while it made the words. */
async function makeOldTable(folder: string, withHalf: boolean) {
  // Makes the folder for temporary files that the library needs.
  const store = lanceStore(folder);
  await store.check();
  await store.close();
  const [lance, arrow] = [await import("@lancedb/lancedb"), await import("apache-arrow")];
  const place = join(folder, "vectors");
  const connection = await lance.connect(place);
  const field = (name: string) => new arrow.Field(name, new arrow.Utf8(), false);
  const vector = new arrow.FixedSizeList(2, new arrow.Field("item", new arrow.Float32(), true));
  const names = ["id", "group", "write", "text", "metadata", "facts"];
  const schema = new arrow.Schema([...names.map(field), new arrow.Field("vector", vector, false)]);
  const table = await connection.createEmptyTable(tableName(someCollection), schema);
  await table.add(
    texts.map((text, at) => ({
      id: `id${at}`,
      group: "g",
      write: "w1",
      text,
      metadata: "{}",
      facts: "",
      vector: [1, 0],
    })),
  );
  await table.createIndex("text", { name: "text_idx", config: lance.Index.fts({ withPosition: false }) });
  if (withHalf) {
    await table.addColumns([{ name: "words_1", valueSql: "cast(null as string)" }]);
    await table.update({ where: "id < 'id3'", values: { words_1: "elev" } });
  }
  table.close();
  connection.close();
}

test.each([
  ["of an older release", false],
  ["that an ended process has half renewed", true],
])("the words of a table %s are made again when it is opened", async (_, withHalf) => {
  using folder = temporaryFolder();
  await makeOldTable(folder.path, withHalf);
  for (const life of ["first", "second"]) {
    const store = lanceStore(folder.path);
    const collection = await store.open(someCollection, 2);
    const search = (text: string) => collection.matching?.({ ...asked([1, 0], count), text });
    expect(await search("strasse")).toMatchObject([{ id: `id${count - 1}`, text: "Große Straße", score: 1 }]);
    expect(await search("eleves")).toHaveLength(count - 1);
    await collection.add(batchOf([{ id: life, text: `Ёлка ${life}` }]));
    expect(await search(`елка ${life}`)).toContainEqual(expect.objectContaining({ id: life }));
    await store.maintain?.(new AbortController().signal);
    expect(await collection.count()).toBe(count + (life === "first" ? 1 : 2));
    await store.close();
  }
  const { connect } = await import("@lancedb/lancedb");
  const connection = await connect(join(folder.path, "vectors"));
  const table = await connection.openTable(tableName(someCollection));
  expect((await table.listIndices()).map(({ name }) => name)).toEqual(["words_1_idx"]);
  expect(await table.countRows("words_1 is null")).toBe(0);
  table.close();
  connection.close();
});
