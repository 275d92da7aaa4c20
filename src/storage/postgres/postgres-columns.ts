import { boolean, customType, index, pgSchema, primaryKey, uniqueIndex } from "drizzle-orm/pg-core";
import { encoder, exactInteger, finiteNumber, jsonText, storableInstant } from "../tables/column-values.ts";

/** Compared byte by byte, as in SQLite: the database's locale must not affect order or equality. */
const text = customType<{ data: string }>({ dataType: () => 'text collate "C"' });

const integer = customType<{ data: number; driverData: number | string }>({
  dataType: () => "bigint",
  toDriver: encoder(exactInteger),
  fromDriver: (value) => exactInteger(Number(value)),
});

const real = customType<{ data: number; driverData: number }>({
  dataType: () => "double precision",
  toDriver: encoder(finiteNumber),
});

/** Milliseconds, like a JavaScript Date: PostgreSQL's own microseconds would make keyset cursors skip rows. */
const instant = customType<{ data: Date; driverData: Date }>({
  dataType: () => "timestamp (3) with time zone",
  toDriver: encoder(storableInstant),
});

/**
 * Bun.SQL writes any string for a jsonb parameter as a JSON string, so ready text would be encoded twice. It also cannot distinguish a
 * top-level number from an integer column's. An object with `toJSON` is written once, whatever its value.
 */
const json = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => "jsonb",
  toDriver: encoder((value: unknown) => {
    jsonText(value);
    return { toJSON: () => value };
  }),
});

/** The column types on PostgreSQL, in a schema named after the service. */
export const postgresColumns = (service: string) => ({
  table: pgSchema(service).table,
  id: (name: string) => text(name),
  text: (name: string) => text(name),
  instant: (name: string) => instant(name),
  json: <T>(name: string) => json(name).$type<T>(),
  money: (name: string) => integer(name),
  flag: (name: string) => boolean(name),
  integer: (name: string) => integer(name),
  real: (name: string) => real(name),
  index,
  unique: uniqueIndex,
  primaryKey,
});
