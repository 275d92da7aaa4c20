import {
  type Data,
  Field,
  FixedSizeList,
  Float32,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
} from "apache-arrow";
import type { RowColumns } from "./row-columns.ts";

/** The columns of every collection's table. */
export function rowSchema(dimension: number): Schema {
  const text = (name: string) => new Field(name, new Utf8(), false);
  const names = ["id", "group", "write", "text", "metadata", "facts"];
  return new Schema([...names.map(text), new Field("vector", vectorType(dimension), false)]);
}

/** How many numbers the vectors of a table of ours have; undefined: it is no such table. */
export function dimensionOf(schema: Schema): number | undefined {
  const type = schema.fields.find(({ name }) => name === "vector")?.type;
  // LanceDB has a copy of Arrow of its own: its types are no instances of ours.
  return type !== undefined && "listSize" in type ? Number(type.listSize) : undefined;
}

/** The rows without going through an object for each: 2.3 times as fast. */
export function arrowRows(rows: RowColumns, schema: Schema, dimension: number): Table {
  const length = rows.ids.length;
  const numbers = makeData({ type: new Float32(), length: rows.vectors.length, data: rows.vectors });
  const vectors = makeData({ type: vectorType(dimension), length, nullCount: 0, child: numbers });
  const { ids, groups, writes, texts, metadata, facts } = rows;
  const children: Data[] = [...[ids, groups, writes, texts, metadata, facts].map(textData), vectors];
  const struct = makeData({ type: new Struct(schema.fields), length, nullCount: 0, children });
  return new Table(schema, [new RecordBatch(schema, struct)]);
}

const vectorType = (dimension: number) =>
  new FixedSizeList(dimension, new Field("item", new Float32(), true));

const encoder = new TextEncoder();

function textData(column: readonly string[]): Data {
  const joined = column.join("");
  const bytes = encoder.encode(joined);
  const isAscii = bytes.length === joined.length;
  const valueOffsets = new Int32Array(column.length + 1);
  let end = 0;
  for (let at = 0; at < column.length; at++) {
    const text = column[at] as string;
    end += isAscii ? text.length : Buffer.byteLength(text);
    valueOffsets[at + 1] = end;
  }
  return makeData({ type: new Utf8(), length: column.length, nullCount: 0, valueOffsets, data: bytes });
}
