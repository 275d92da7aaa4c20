import type { Connection, Table } from "@lancedb/lancedb";
import {
  Table as Arrow,
  Field,
  FixedSizeList,
  Float32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Utf8,
} from "apache-arrow";
import type { LanceLibrary } from "../../src/retrieval/stores/lancedb/native/lance-library.ts";
import { type BenchBatch, dimension } from "./vector-data.ts";

const vectorType = new FixedSizeList(dimension, new Field("item", new Float32(), true));
const columns = ["id", "text", "metadata"];
const schema = new Schema([
  ...columns.map((name) => new Field(name, new Utf8(), false)),
  new Field("vector", vectorType, false),
]);

/** A reference that uses LanceDB directly and efficiently: Arrow columns, an index, nothing else. */
export class BareLance {
  readonly #lance: LanceLibrary["lance"];
  readonly #table: Table;

  private constructor(lance: LanceLibrary["lance"], table: Table) {
    this.#lance = lance;
    this.#table = table;
  }

  static async create(
    lance: LanceLibrary["lance"],
    connection: Connection,
    name: string,
  ): Promise<BareLance> {
    return new BareLance(lance, await connection.createEmptyTable(name, schema));
  }

  async add({ ids, texts, metadata, vectors }: BenchBatch): Promise<void> {
    const numbers = makeData({ type: new Float32(), length: vectors.length, data: vectors });
    const length = ids.length;
    const children = [
      ...[ids, texts, metadata.map((value) => JSON.stringify(value))].map(textData),
      makeData({ type: vectorType, length, nullCount: 0, child: numbers }),
    ];
    const struct = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children });
    await this.#table.add(new Arrow(schema, [new RecordBatch(schema, struct)]));
  }

  /** Creates the same kind of index as a collection of that size. */
  async index(rows: number, indexedFromRows: number): Promise<void> {
    await this.#table.createIndex("text", { config: this.#lance.Index.fts() });
    if (rows >= indexedFromRows) {
      const numPartitions = Math.round(Math.sqrt(rows));
      const config = this.#lance.Index.ivfFlat({ distanceType: "cosine", numPartitions });
      await this.#table.createIndex("vector", { config });
    }
    await this.#table.optimize();
  }

  async nearest(vector: Float32Array, limit: number, isExact = false): Promise<string[]> {
    const query = this.#table.query().nearestTo(vector).distanceType("cosine");
    query.select([...columns, "_distance"]).limit(limit);
    if (isExact) query.bypassVectorIndex();
    return (await query.toArray()).map(({ id, metadata }) => (JSON.parse(metadata) ? id : ""));
  }

  async matching(text: string, limit: number): Promise<string[]> {
    const query = this.#table.query().fullTextSearch(text, { columns: "text" });
    const rows = await query
      .select([...columns, "_score"])
      .limit(limit)
      .toArray();
    return rows.map(({ id, metadata }) => (JSON.parse(metadata) ? id : ""));
  }
}

const encoder = new TextEncoder();

/** Encodes texts; only for ASCII, like all of this data. */
function textData(column: readonly string[]) {
  const valueOffsets = new Int32Array(column.length + 1);
  for (const [at, text] of column.entries()) valueOffsets[at + 1] = (valueOffsets[at] ?? 0) + text.length;
  const data = encoder.encode(column.join(""));
  return makeData({ type: new Utf8(), length: column.length, nullCount: 0, valueOffsets, data });
}
