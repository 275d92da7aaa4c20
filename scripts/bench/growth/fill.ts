import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SQL } from "bun";
import { getTableColumns, getTableName, type Table } from "drizzle-orm";
import { systemClock } from "../../../src/kit/clock.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import type { ServiceMigrations } from "../../../src/storage/migration.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { createCheckpointThread } from "../../../src/storage/sqlite/checkpoint-thread.ts";
import type { Storage } from "../../../src/storage/storage.ts";
import type { Columns } from "../../../src/storage/tables/columns.ts";
import { longestBlockMs } from "../../../tests/support/processor-time.ts";

/** SQL over a number `i`, for both engines or for each. */
type Expression = string | { sqlite: string; postgres: string };

/** Where a filled database is: a folder for SQLite, and a URL for PostgreSQL. */
export interface Place {
  folder: string;
  url?: string | undefined;
}

export interface FilledService<Tables> {
  service: string;
  tables: (columns: Columns) => Tables;
  migrations: ServiceMigrations;
  /** Rows of each table: SQL for each column, over a number `i` from 0. Instants are milliseconds since 1970, flags 0 or 1. */
  rows: Readonly<Record<string, { count: number; columns: Readonly<Record<string, Expression>> }>>;
}

/** A text that ends in a number of 24 digits. */
export const numbered = (kind: string, number: string): Expression => ({
  sqlite: `printf('${kind}%024d', ${number})`,
  postgres: `'${kind}' || lpad((${number})::text, 24, '0')`,
});

/** Opens a database of a service that was filled by SQL, which takes minutes for a million rows of every table. */
export async function openFilled<Tables extends object>(
  { folder, url }: Place,
  { service, tables, migrations, rows }: FilledService<Tables>,
): Promise<Storage<Tables>> {
  const checkpoints = createCheckpointThread(silentLogger);
  const open = () =>
    openStorage({
      checkpoints,
      service,
      tables,
      migrations,
      folder,
      ...(url && { url }),
      log: silentLogger,
      clock: systemClock,
      random: Math.random,
    });
  const empty = await open();
  await empty.close();
  if (url !== undefined) await fillPostgres(url, service, empty, rows);
  else fillSqlite(join(folder, `${service}.db`), rows);
  return open();
}

type Rows = FilledService<object>["rows"];

function fillSqlite(file: string, rows: Rows): void {
  using database = new Database(file);
  database.run("pragma synchronous = off");
  for (const [table, { count, columns }] of Object.entries(rows)) {
    const names = Object.keys(columns).map((name) => `\`${name}\``);
    const values = Object.values(columns).map((one) => (typeof one === "string" ? one : one.sqlite));
    database.run(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1}) insert into \`${table}\` (${names.join(", ")}) select ${values.join(", ")} from n`,
    );
  }
  database.run("pragma wal_checkpoint(truncate)");
}

const postgresRows = 1000;

async function fillPostgres(url: string, service: string, { tables }: Storage, rows: Rows): Promise<void> {
  await using database = new SQL(url, { max: 1 });
  const known = Object.values(tables as unknown as Record<string, Table>);
  for (const [table, { count, columns }] of Object.entries(rows)) {
    const found = known.find((one) => getTableName(one) === table);
    if (found === undefined) throw new Error(`There is no table ${table}.`);
    const types = new Map(Object.values(getTableColumns(found)).map((one) => [one.name, one.getSQLType()]));
    const names = Object.keys(columns).map((name) => `"${name}"`);
    const values = Object.entries(columns).map(([name, one]) =>
      cast(typeof one === "string" ? one : one.postgres, types.get(name) ?? ""),
    );
    // A transaction keeps each version of the sums that triggers change, so that large ones take time by the square.
    for (let from = 0; from < count; from += postgresRows) {
      const last = Math.min(count, from + postgresRows) - 1;
      await database.unsafe(
        `insert into "${service}"."${table}" (${names.join(", ")}) select ${values.join(", ")} from generate_series(${from}::bigint, ${last}) as n(i)`,
      );
    }
  }
  await database.unsafe("vacuum analyze");
}

function cast(value: string, type: string): string {
  if (type.startsWith("timestamp")) return `to_timestamp((${value}) / 1000.0)`;
  if (type === "boolean") return `(${value})::integer::boolean`;
  return type === "jsonb" ? `(${value})::jsonb` : `(${value})`;
}

export interface Figure {
  medianMs: number;
  /** The longest time for which nothing else could run, in processor time: other load of the machine doesn't count. */
  blockMs: number;
}

/** Asks `times` times: the median in milliseconds, and the longest block of the event loop. */
export async function measured(ask: () => Promise<unknown>, times = 5): Promise<Figure> {
  const took: number[] = [];
  const blockMs = await longestBlockMs(async () => {
    for (let time = 0; time < times; time++) {
      const from = performance.now();
      await ask();
      took.push(performance.now() - from);
    }
  });
  return { medianMs: took.toSorted((one, other) => one - other)[Math.floor(times / 2)] ?? 0, blockMs };
}
