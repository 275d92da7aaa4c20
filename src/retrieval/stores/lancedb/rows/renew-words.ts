import { inPieces } from "../../../../kit/concurrency/others-turn.ts";
import type { LanceTable } from "../lance-table.ts";
import type { LanceLibrary } from "../native/lance-library.ts";
import { textData, wordsColumn, wordsField, wordsOf } from "./arrow-rows.ts";

/** Rows of one commit: about 2 MB of text. */
const rowsTogether = 4000;

/**
 * Makes the words of a table's rows that have none, because an older release stored them. The table is being opened, so no one else uses it
 * in this process. If the process ends meanwhile, the next one continues.
 */
export async function renewWords({ arrow }: LanceLibrary, { handle }: LanceTable): Promise<void> {
  const { fields } = await handle.schema();
  if (!fields.some(({ name }) => name === wordsColumn))
    await handle.addColumns([{ name: wordsColumn, valueSql: "cast(null as string)" }]);
  const schema = new arrow.Schema([new arrow.Field("id", new arrow.Utf8(), false), wordsField(arrow)]);
  for (;;) {
    const query = handle.query().where(`${wordsColumn} is null`).select(["id", "text"]);
    const rows: { id: string; text: string }[] = await query.limit(rowsTogether).toArray();
    if (rows.length === 0) return;
    const words = await inPieces(wordsOf(rows));
    const ids = rows.map(({ id }) => id);
    const children = [textData(arrow, ids), textData(arrow, words)];
    const struct = arrow.makeData({
      type: new arrow.Struct(schema.fields),
      length: rows.length,
      nullCount: 0,
      children,
    });
    const data = new arrow.Table(schema, [new arrow.RecordBatch(schema, struct)]);
    await handle.mergeInsert("id").whenMatchedUpdateAll().execute(data);
  }
}

/** Removes what older rules made. */
export async function dropOldWords({ handle }: LanceTable): Promise<void> {
  for (const { name, columns } of await handle.listIndices())
    if (columns.some((column) => column === "text" || isOldWords(column))) await handle.dropIndex(name);
  const old = (await handle.schema()).fields.map(({ name }) => name).filter(isOldWords);
  if (old.length > 0) await handle.dropColumns(old);
}

const isOldWords = (column: string) => column.startsWith("words_") && column !== wordsColumn;
