import {
  customType,
  index,
  primaryKey,
  integer as sqliteInteger,
  sqliteTable,
  text as sqliteText,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { encoder, exactInteger, finiteNumber, jsonText, storableInstant } from "../tables/column-values.ts";

const integer = customType<{ data: number; driverData: number }>({
  dataType: () => "integer",
  toDriver: encoder(exactInteger),
  fromDriver: exactInteger,
});

const real = customType<{ data: number; driverData: number }>({
  dataType: () => "real",
  toDriver: encoder(finiteNumber),
});

/** Milliseconds since 1970. */
const instant = customType<{ data: Date; driverData: number }>({
  dataType: () => "integer",
  toDriver: encoder((value: Date) => storableInstant(value).getTime()),
  fromDriver: (value) => new Date(value),
});

const json = customType<{ data: unknown; driverData: string }>({
  dataType: () => "text",
  toDriver: encoder(jsonText),
  fromDriver: (value) => JSON.parse(value),
});

/** The column types on SQLite. */
export const sqliteColumns = {
  table: sqliteTable,
  id: (name: string) => sqliteText(name),
  text: (name: string) => sqliteText(name),
  instant: (name: string) => instant(name),
  json: <T>(name: string) => json(name).$type<T>(),
  money: (name: string) => integer(name),
  flag: (name: string) => sqliteInteger(name, { mode: "boolean" }),
  integer: (name: string) => integer(name),
  real: (name: string) => real(name),
  index,
  unique: uniqueIndex,
  primaryKey,
};
